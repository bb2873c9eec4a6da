import Contracts
import ServiceKit

/// The positions in lists of media, as callers get them: not readable, because the last row that was looked at may be
/// someone's private media item, and not made by callers, who could begin at any title.
struct SealedPositions {
  struct Cursor: PageCursor {
    let cursor: String

    init(cursor: String) { self.cursor = cursor }
  }

  let keys: DataKeys
  let sort: MediaSort

  /// No column: cursors are not stored.
  private static let column = SealedColumn("media_sort_keys", key: "media_id", "cursor")

  func seal(_ position: SortKeyStore.Position) throws -> String {
    try keys.seal(Array(position.text.utf8), in: Self.column, row: sort.rawValue)
  }

  /// - Throws: ``Problem`` 422 for a cursor that lists in this order have not given out.
  func open(_ cursor: Cursor) throws -> SortKeyStore.Position {
    let bytes: [UInt8]
    do { bytes = try keys.open(cursor.cursor, in: Self.column, row: sort.rawValue) } catch is DataKeys.UnreadableValue {
      throw Self.invalid
    }
    guard let position = SortKeyStore.Position(String(decoding: bytes, as: UTF8.self)) else { throw Self.invalid }
    return position
  }

  static var invalid: Problem {
    Problem(.invalidRequest, errors: [.init(location: "query.cursor", message: "is not a cursor of this list")])
  }
}
