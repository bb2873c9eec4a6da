import Contracts
import Persistence

/// The order of a set's cards: by position, and among cards with the same position by id.
enum CardOrder {
  /// A card's new position.
  struct Move {
    var id: RecordID
    var position: String
  }

  /// How many cards with the same position get positions of their own when a card is moved among them.
  private static let maxMoves = 500

  /// The position of the last card; `nil` in an empty set.
  static func last(of set: StudySetID, in db: any Connection) throws -> String? {
    try cards("space_id = \(set.space)", "position DESC, id DESC", limit: 1, in: db).first?.position
  }

  /// The changes when a card is put directly before or after another one: usually only the card.
  static func moves(_ card: StoredRecord, nextTo neighbor: StoredRecord, isAfter: Bool, in db: any Connection) throws
    -> [Move]
  {
    let others: SQL = "space_id = \(neighbor.space) AND id <> \(card.id)"
    let key: SQL = "(\(neighbor.position), \(neighbor.id))"
    let lower: StoredRecord?
    if isAfter {
      lower = neighbor
    } else {
      lower = try cards("\(others) AND (position, id) < \(key)", "position DESC, id DESC", limit: 1, in: db).first
    }
    let rest: SQL = isAfter ? "(position, id) > \(key)" : "(position, id) >= \(key)"
    // Cards that share their position with the card before must follow the moved one, and those without a position if
    // it becomes the first.
    let shared = lower?.position ?? (neighbor.position.isEmpty ? "" : nil)
    let tied: [StoredRecord] =
      try shared.map { try cards("\(others) AND \(rest) AND position = \($0)", "id", limit: maxMoves, in: db) } ?? []
    let end = tied.last.map { last -> SQL in "(position, id) > (\(last.position), \(last.id))" } ?? rest
    let upper = try cards("\(others) AND \(end)", "position, id", limit: 1, in: db).first
    let keys = FractionalIndex.keys(tied.count + 1, between: lower?.position, upper?.position)
    // Without room, the card shares the position of its neighbor.
    guard let keys else { return [Move(id: card.id, position: neighbor.position)].filter { !$0.position.isEmpty } }
    return zip([card.id] + tied.map(\.id), keys).map { Move(id: $0, position: $1) }
  }

  private static func cards(_ condition: SQL, _ order: SQL, limit: Int, in db: any Connection) throws
    -> [StoredRecord]
  {
    try RecordStore.list(
      "\(condition) AND collection = 'cards' AND deleted_at IS NULL", order, limit: limit, in: db)
  }
}
