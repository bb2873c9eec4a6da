import Contracts
import Hummingbird
import Persistence
import ServiceKit

/// A third-party service, written against the public API only.
enum GuestbookAPI: ServiceAPI {
  static let name = "guestbook"
  static let summary = "Visitors leave notes"
  static let endpoints: [any Endpoint.Type] = [AddEntry.self, ListEntries.self, Misbehave.self]
  static let rawRoutes = [countdown]
  static let countdown = RawRoute(Operation.get("/countdown", "Count down", access: .anyone), mediaType: "text/plain")

  struct Entry: Codable, Sendable, Equatable {
    var number: Int
    var text: String
  }

  struct AddEntry: Endpoint {
    typealias Response = Entry
    static let operation = Operation.post(
      "/v1/entries", "Add an entry", access: .anyone, idempotency: .requiresKey, success: 201,
      limits: .init(bodyBytes: 1000)
    )
    var text: String
  }

  struct ListEntries: Endpoint {
    typealias Response = Page<Entry>
    static let operation = Operation.get("/v1/entries", "List entries", access: .anyone)
    var limit: PageSize?
  }

  struct Misbehave: Endpoint {
    typealias Response = Empty
    static let operation = Operation.post(
      "/v1/misbehave", "Fail with an undeclared problem", access: .anyone, success: 204
    )
    var how: String
  }
}

struct GuestbookPlugin: ServicePlugin, Feature {
  static let manifest = Manifest(
    name: GuestbookAPI.name,
    api: GuestbookAPI.self,
    emits: [],
    consumes: [.init(from: AuthAPI.self, [UserRegistered.self])],
    migrations: [
      Migration("guestbook-001", why: "notes", ["CREATE TABLE entries (number BIGINT PRIMARY KEY, text TEXT NOT NULL)"])
    ]
  )

  private let database: any Database

  init(environment: ServiceEnvironment) throws { database = try environment.database }

  func register(in routes: inout Routes) {
    routes.on(GuestbookAPI.AddEntry.self) { request, call in
      try await database.write { tx in try tx.idempotent(call.idempotencyKey) { try add(request.text, tx) } }
    }
    routes.on(GuestbookAPI.ListEntries.self) { _, _ in
      try await database.read { db in
        Page(
          items: try db.all("SELECT number, text FROM entries ORDER BY number") { row in
            GuestbookAPI.Entry(number: try row["number"], text: try row["text"])
          }
        )
      }
    }
    routes.on(GuestbookAPI.Misbehave.self) { request, _ -> Empty in
      struct Secret: Error { let password = "hush" }
      if request.how == "throw" { throw Secret() }
      if request.how == "sleep" { try await Task.sleep(for: .seconds(3600)) }
      throw Problem(.userNotFound)
    }
    routes.on(GuestbookAPI.countdown) { _, _ in
      Response(
        status: .ok,
        body: ResponseBody { writer in
          for number in ["3", "2", "1"] { try await writer.write(ByteBuffer(string: number)) }
          try await writer.finish(nil)
        })
    }
    routes.on(UserRegistered.self) { event, tx in _ = try add("welcome \(event.userID)", tx) }
  }

  @Sendable private func add(_ text: String, _ tx: Transaction) throws -> GuestbookAPI.Entry {
    let number = try tx.count("SELECT COUNT(*) FROM entries") + 1
    try tx.execute("INSERT INTO entries VALUES (\(number), \(text))")
    return GuestbookAPI.Entry(number: number, text: text)
  }
}
