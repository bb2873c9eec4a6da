import Contracts
import Persistence

/// The media that cards have, with those who have named media whose owners were not checked.
enum CardMediaStore {
  /// Takes the place of a claimant whose account was deleted: no one's id, because a claim without a claimant would count
  /// as checked.
  private static let erased = "erased"

  struct Stored: Sendable {
    var card: RecordID
    var media: MediaID
    /// `nil` when it was the user's own when it was added.
    var claimedBy: UserID?
  }

  static func list(of cards: [RecordID], in db: any Connection) throws -> [RecordID: [Stored]] {
    guard !cards.isEmpty else { return [:] }
    let rows = try db.all(
      "SELECT card_id, media_id, claimed_by FROM card_media WHERE card_id IN \(list: cards) ORDER BY card_id, media_id"
    ) { row in
      Stored(card: try row["card_id"], media: try row["media_id"], claimedBy: try row["claimed_by"])
    }
    return Dictionary(grouping: rows, by: \.card)
  }

  static func insert(_ media: Stored, of set: SpaceID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO card_media (card_id, media_id, set_id, claimed_by)
      VALUES (\(media.card), \(media.media), \(set), \(media.claimedBy)) ON CONFLICT DO NOTHING
      """
    )
  }

  static func delete(_ media: [MediaID], of card: RecordID, in tx: Transaction) throws {
    guard !media.isEmpty else { return }
    try tx.execute("DELETE FROM card_media WHERE card_id = \(card) AND media_id IN \(list: media)")
  }

  static func delete(of cards: [RecordID], in tx: Transaction) throws {
    guard !cards.isEmpty else { return }
    try tx.execute("DELETE FROM card_media WHERE card_id IN \(list: cards)")
  }

  /// The cards that have media.
  static func cards(among ids: [RecordID], in db: any Connection) throws -> [RecordID] {
    guard !ids.isEmpty else { return [] }
    return try db.values("SELECT DISTINCT card_id FROM card_media WHERE card_id IN \(list: ids) ORDER BY card_id")
  }

  static func cards(of set: SpaceID, limit: Int, in db: any Connection) throws -> [RecordID] {
    try db.values("SELECT DISTINCT card_id FROM card_media WHERE set_id = \(set) ORDER BY card_id LIMIT \(limit)")
  }

  static func forget(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE card_media SET claimed_by = \(erased) WHERE claimed_by = \(user)")
  }
}
