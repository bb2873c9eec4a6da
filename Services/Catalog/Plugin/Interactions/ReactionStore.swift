import Contracts
import Persistence

enum ReactionKind: String, CaseIterable {
  case listingLike = "listing-like"
  case archive
  case commentLike = "comment-like"
  case postLike = "post-like"
}

/// Likes and archived listings, at most one of a kind per user and object.
enum ReactionStore {
  // MARK: reading

  /// The listings that a user has archived, most recent first.
  static func archive(of user: UserID, before mark: ID<Reactions>?, limit: Int, in db: any Connection) throws
    -> [(listing: ListingID, mark: ID<Reactions>)]
  {
    let condition = SQL.and("kind = 'archive' AND user_id = \(user)", mark.map { "id < \($0)" })
    return try db.all("SELECT object_id, id FROM marks WHERE \(condition) ORDER BY id DESC LIMIT \(limit)") { row in
      (try row["object_id"], try row["id"])
    }
  }

  /// A user's reactions, for the data export.
  static func list(of user: UserID, in db: any Connection) throws -> [JSONValue] {
    try db.all(
      "SELECT kind, object_id FROM marks WHERE kind IN \(list: ReactionKind.allCases) AND user_id = \(user) ORDER BY id"
    ) { row in ["kind": .string(try row["kind"]), "object": .string(try row["object_id"])] }
  }

  static func objects(_ kind: ReactionKind, of user: UserID, in db: any Connection) throws -> [String] {
    try db.values("SELECT object_id FROM marks WHERE kind = \(kind) AND user_id = \(user)")
  }

  // MARK: writing

  /// - Returns: `false` when the user has already reacted.
  static func insert(_ kind: ReactionKind, _ object: String, by user: UserID, id: String, in tx: Transaction) throws
    -> Bool
  {
    try tx.execute(
      """
      INSERT INTO marks (kind, object_id, user_id, id) VALUES (\(kind), \(object), \(user), \(id))
      ON CONFLICT DO NOTHING
      """
    ) > 0
  }

  /// - Returns: `false` when the user has not reacted.
  static func delete(_ kind: ReactionKind, _ object: String, by user: UserID, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM marks WHERE kind = \(kind) AND object_id = \(object) AND user_id = \(user)") > 0
  }

  static func delete(_ kind: ReactionKind, by user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM marks WHERE kind = \(kind) AND user_id = \(user)")
  }

  static func delete(_ kind: ReactionKind, of object: String, in tx: Transaction) throws {
    try tx.execute("DELETE FROM marks WHERE kind = \(kind) AND object_id = \(object)")
  }

  /// Deletes the likes of all comments on an object.
  static func deleteCommentLikes(on target: CommentTarget, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM marks
      WHERE kind = 'comment-like' AND object_id IN (SELECT id FROM comments WHERE subject = \(target.text))
      """
    )
  }
}
