import Contracts
import Foundation
import Persistence

/// The orders of media that the text index does not have.
enum SortKeyStore {
  /// A position in a list. Callers get it sealed, since it may be that of someone else's media item.
  struct Position {
    /// The sort key of the list, besides the id.
    var key: String
    var id: MediaID

    init(key: String, id: MediaID) { (self.key, self.id) = (key, id) }

    init?(_ text: String) {
      let parts = text.split(separator: "_", omittingEmptySubsequences: false)
      guard parts.count == 2, let id = MediaID(String(parts[1])) else { return nil }
      (key, self.id) = (String(parts[0]), id)
    }

    var text: String { "\(key)_\(id)" }
  }

  /// - Parameters:
  ///   - among: Media that are wanted; `nil` for all.
  ///   - limit: The maximum number of positions.
  /// - Returns: `nil` when the position does not belong to this order.
  static func list(_ sort: MediaSort, after: Position?, among ids: [String]?, limit: Int, in db: any Connection) throws
    -> [Position]?
  {
    let (order, column): (SQL, SQL)
    var filter: SQL?
    switch sort {
    case .newest, .relevance:
      (order, column) = ("media_id DESC", "media_id IS NOT NULL")
      filter = after.map { "media_id < \($0.id)" }
    case .duration:
      (order, column) = ("milliseconds, media_id", "milliseconds IS NOT NULL")
      if let after {
        guard let key = Int64(after.key) else { return nil }
        filter = "(milliseconds, media_id) > (\(key), \(after.id))"
      }
    case .title:
      (order, column) = ("title, media_id", "title IS NOT NULL")
      if let after {
        guard let key = Data(base64Encoded: after.key) else { return nil }
        filter = "(title, media_id) > (\([UInt8](key)), \(after.id))"
      }
    }
    let condition = SQL.and(column, filter, ids.map { "media_id IN \(list: $0)" })
    return try db.all(
      "SELECT media_id, title, milliseconds FROM media_sort_keys WHERE \(condition) ORDER BY \(order) LIMIT \(limit)"
    ) { row in
      let id: MediaID = try row["media_id"]
      switch sort {
      case .newest, .relevance: return Position(key: "", id: id)
      case .duration: return Position(key: String(try row["milliseconds"] as Int64), id: id)
      case .title: return Position(key: Data(try row["title"] as [UInt8]).base64EncodedString(), id: id)
      }
    }
  }

  static func put(_ media: Media, in tx: Transaction) throws {
    let title = media.title.map { title in
      let folded = title.rawValue.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
      return Array(folded.utf8)
    }
    try tx.execute(
      """
      INSERT INTO media_sort_keys (media_id, title, milliseconds)
      VALUES (\(media.id), \(title), \(media.milliseconds))
      ON CONFLICT (media_id) DO UPDATE SET title = excluded.title, milliseconds = excluded.milliseconds
      """
    )
  }

  static func delete(_ id: MediaID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM media_sort_keys WHERE media_id = \(id)")
  }
}
