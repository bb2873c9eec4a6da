public import Contracts
import GRDB

/// A flashcard on the device.
public struct LocalCard: Sendable, Equatable, Identifiable {
  public let record: LocalRecord

  public var id: CardID { CardID(trusted: record.id) }
  public var set: StudySetID? { record.set }
  public var front: String { record.text("front") }
  public var back: String { record.text("back") }
  public var tags: [String] { record["tags"]?.elements.compactMap(\.string) ?? [] }
  /// The media of the card, such as pictures.
  public var attachments: [MediaID] {
    record["attachments"]?.elements.compactMap { $0["media"]?.string.flatMap { MediaID($0) } } ?? []
  }
  public var position: String { record.text("position") }
}

extension StudyClient {
  /// The cards of a set in their order.
  public func cards(in set: StudySetID, after last: LocalCard? = nil, limit: Int = 1000) async throws -> [LocalCard] {
    try await records(in: .cards, of: set, after: last?.record, limit: limit).map { LocalCard(record: $0) }
  }

  /// A card, unless it is deleted.
  public func card(_ id: CardID) async throws -> LocalCard? {
    try await record(.cards, id.rawValue).flatMap { $0.isDeleted ? nil : LocalCard(record: $0) }
  }

  /// Adds a card at the end of a set.
  public func addCard(
    to set: StudySetID, front: String, back: String, tags: [String] = [], attachments: [MediaID] = []
  ) async throws -> CardID {
    let id = CardID(trusted: newID())
    let last = try await lastPosition(in: set)
    let fields = JSONValue.object([
      ("front", .string(front)), ("back", .string(back)),
      ("tags", tags.isEmpty ? nil : .array(tags.map { .string($0) })),
      ("attachments", attachments.isEmpty ? nil : Self.list(attachments)),
      ("position", .string(ListPosition.between(last, nil))),
    ])
    try await put(.cards, id.rawValue, in: set, SyncFields(fields.members))
    return id
  }

  /// Changes what is given.
  public func editCard(
    _ id: CardID, front: String? = nil, back: String? = nil, tags: [String]? = nil, attachments: [MediaID]? = nil
  ) async throws {
    try await requireRecord(.cards, id.rawValue)
    let fields = JSONValue.object([
      ("front", front.map { .string($0) }), ("back", back.map { .string($0) }),
      ("tags", tags.map { .array($0.map { .string($0) }) }), ("attachments", attachments.map(Self.list)),
    ])
    try await put(.cards, id.rawValue, SyncFields(fields.members))
  }

  /// Moves a card between two others; `nil` is the beginning or the end.
  public func moveCard(_ id: CardID, after: LocalCard?, before: LocalCard?) async throws {
    try await requireRecord(.cards, id.rawValue)
    let position = ListPosition.between(after?.position, before?.position)
    try await put(.cards, id.rawValue, ["position": .string(position)])
  }

  public func deleteCard(_ id: CardID) async throws { try await delete(.cards, id.rawValue) }

  public func restoreCard(_ id: CardID) async throws { try await restore(.cards, id.rawValue) }

  private func lastPosition(in set: StudySetID) async throws -> String? {
    try await read { tx in
      try tx.db.row(
        """
        SELECT position FROM records WHERE set_id = ? AND collection = ? AND is_visible = 1
        ORDER BY position DESC LIMIT 1
        """,
        [set.rawValue, SyncCollection.cards.rawValue]
      )?["position"]
    }
  }

  private static func list(_ media: [MediaID]) -> JSONValue {
    .array(media.map { .object([("media", .string($0.rawValue))]) })
  }
}
