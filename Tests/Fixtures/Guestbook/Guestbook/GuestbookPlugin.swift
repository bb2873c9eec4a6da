import Contracts
import Persistence
public import ServiceKit

public struct GuestbookPlugin: ServicePlugin, Feature {
  public static let manifest = Manifest(
    name: GuestbookAPI.name,
    api: GuestbookAPI.self,
    emits: [RealtimeEvent.self],
    consumes: [.init(from: AuthAPI.self, [UserDeleted.self])],
    migrations: [
      Migration(
        "guestbook-001-notes",
        why: "visitors leave notes",
        [
          """
          CREATE TABLE notes
            (id TEXT PRIMARY KEY, author_id TEXT NOT NULL, text TEXT NOT NULL, created_at BIGINT NOT NULL)
          """,
          "CREATE INDEX notes_by_author ON notes (author_id)",
        ]
      )
    ]
  )

  private let database: any Database
  private let ids: IDGenerator

  public init(environment: ServiceEnvironment) throws { (database, ids) = (try environment.database, environment.ids) }

  public func register(in routes: inout Routes) {
    routes.on(GuestbookAPI.AddNote.self) { request, call in
      let author = try call.user.id
      return try await database.write { [ids] tx in
        try tx.idempotent(call.idempotencyKey) {
          let note = Note(id: ids.make(), authorID: author, text: request.text, createdAt: tx.now)
          try NoteStore.insert(note, in: tx)
          try tx.record(RealtimeEvent(to: author, "guestbook.noted", ["note": .string(note.id.rawValue)]))
          return note
        }
      }
    }
    routes.on(GuestbookAPI.ListNotes.self) { request, _ in
      let page = try request.page(by: NoteID.self)
      return try await database.read { db in
        try page.fetch({ try NoteStore.list(after: $0, limit: $1, in: db) }, key: \.id).page
      }
    }
  }

  public func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("notes", try JSONValue(NoteStore.all(of: user, in: db)))]
  }

  public func erase(_ user: UserID, in tx: Transaction) throws { try NoteStore.delete(of: user, in: tx) }
}
