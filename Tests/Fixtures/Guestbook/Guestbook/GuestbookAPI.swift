public import Contracts

/// Visitors leave notes.
public enum GuestbookAPI: ServiceAPI {
  public static let name = "guestbook"
  public static let summary = "Visitors leave notes"
  public static let endpoints: [any Endpoint.Type] = [AddNote.self, ListNotes.self]

  public struct AddNote: Endpoint {
    public typealias Response = Note
    public static let operation = Operation.post(
      "/v1/guestbook/notes", "Add a note", scope: .account, idempotency: .acceptsKey, success: 201,
      limits: .init(bodyBytes: 2048)
    )
    public var text: NoteText
  }

  public struct ListNotes: PagedEndpoint {
    public typealias Response = Page<Note>
    public static let operation = Operation.get("/v1/guestbook/notes", "List notes, newest first", access: .anyone)
    public var limit: PageSize?
    public var cursor: String?
  }
}

public typealias NoteID = ID<Note>

public struct Note: Codable, Sendable, Equatable {
  public var id: NoteID
  public var authorID: UserID
  public var text: NoteText
  public var createdAt: Timestamp
}

public struct NoteText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(length: 1...500, example: "Lovely place")
}
