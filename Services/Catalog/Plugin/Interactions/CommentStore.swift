import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The object that a comment is about.
enum CommentTarget: Equatable {
  case listing(ListingID)
  case post(PostID)

  init?(_ text: String) {
    let parts = text.split(separator: ":")
    switch parts.first {
    case "listing": self = .listing(ListingID(trusted: String(parts[1])))
    case "post": self = .post(PostID(trusted: String(parts[1])))
    default: return nil
    }
  }

  var text: String {
    switch self {
    case .listing(let id): "listing:\(id)"
    case .post(let id): "post:\(id)"
    }
  }

  func exists(in db: any Connection) throws -> Bool {
    switch self {
    case .listing(let id): try ListingStore.exists(id, in: db)
    case .post(let id): try PostStore.exists(id, in: db)
    }
  }

  func requireExistence(in db: any Connection) throws {
    guard try !exists(in: db) else { return }
    switch self {
    case .listing: throw Problem(.listingNotFound)
    case .post: throw Problem(.postNotFound)
    }
  }

  /// The user whose it is; posts are the shop's.
  func owner(in db: any Connection) throws -> UserID? {
    switch self {
    case .listing(let id): try ListingStore.owner(of: id, in: db)
    case .post: nil
    }
  }

  /// Requires that it exists, and that there is no block between the user and its owner: then it is refused in the same
  /// way as one that does not exist.
  func requireAccess(by user: UserID, in db: any Connection) throws {
    try requireExistence(in: db)
    guard let owner = try owner(in: db), try ReportedBlocks.exist(between: user, and: owner, in: db) else { return }
    throw Problem(.listingNotFound)
  }

  func count(by change: Int, in tx: Transaction) throws {
    switch self {
    case .listing(let id): try ListingStore.countComments(on: id, by: change, in: tx)
    case .post(let id): try PostStore.countComments(on: id, by: change, in: tx)
    }
  }
}

struct StoredComment: Sendable {
  var comment: Comment
  var subject: String

  /// Requires that what it is about has not been deleted: then it is refused as if it did not exist.
  func requireTarget(in db: any Connection) throws {
    guard let target = CommentTarget(subject), try target.exists(in: db) else { throw Problem(.commentNotFound) }
  }
}

/// Comments in the database, with one level of replies.
enum CommentStore {
  private static func find(_ id: CommentID, for viewer: UserID?, in db: any Connection) throws -> StoredComment? {
    try list("c.id = \(id)", "c.id", limit: 1, for: viewer, in: db).first
  }

  static func get(_ id: CommentID, for viewer: UserID, in db: any Connection) throws -> StoredComment {
    guard let comment = try find(id, for: viewer, in: db) else { throw Problem(.commentNotFound) }
    return comment
  }

  /// A comment that is not deleted; a deleted one cannot be replied to or changed.
  static func present(_ id: CommentID, for viewer: UserID, in db: any Connection) throws -> StoredComment {
    let stored = try get(id, for: viewer, in: db)
    guard stored.comment.text != nil else { throw Problem(.commentNotFound) }
    return stored
  }

  /// Requires that a comment exists and is not deleted, and that there is no block between the user and its author or
  /// the author of the comment that it replies to: then it is refused as if it did not exist.
  static func requireAccess(to id: CommentID, by user: UserID, in db: any Connection) throws {
    let isHidden = try db.value(
      """
      SELECT CASE WHEN c.author_id IN \(ReportedBlocks.others(of: user)) OR p.author_id IN \(ReportedBlocks.others(of: user))
        THEN 1 ELSE 0 END
      FROM comments c LEFT JOIN comments p ON p.id = c.parent_id WHERE c.id = \(id)
      """,
      as: Bool.self
    )
    guard isHidden == false else { throw Problem(.commentNotFound) }
  }

  /// A condition on `c`: there is no block between the viewer and the comment's author.
  static func isVisible(to viewer: UserID) -> SQL {
    "(c.author_id IS NULL OR c.author_id NOT IN \(ReportedBlocks.others(of: viewer)))"
  }

  /// - Parameter viewer: `nil` when the caller is not authenticated.
  static func list(_ condition: SQL, _ order: SQL, limit: Int, for viewer: UserID?, in db: any Connection) throws
    -> [StoredComment]
  {
    try db.all(
      """
      SELECT c.id, c.author_id, c.text, c.like_count, c.reply_count,
        CASE WHEN EXISTS (SELECT 1 FROM marks m WHERE m.kind = 'comment-like' AND m.object_id = c.id
          AND m.user_id = \(viewer)) THEN 1 ELSE 0 END AS is_liked,
        c.created_at, c.edited_at, c.subject, c.parent_id, c.version
      FROM comments c WHERE \(condition) ORDER BY \(order) LIMIT \(limit)
      """
    ) { row in
      StoredComment(
        comment: Comment(
          id: try row["id"], parentID: try row["parent_id"],
          authorID: try row["author_id"], text: try row["text"],
          likeCount: try row["like_count"], replyCount: try row["reply_count"],
          isLiked: try viewer == nil ? nil : row["is_liked"] as Bool,
          createdAt: try row["created_at"], editedAt: try row["edited_at"], version: try row["version"]
        ),
        subject: try row["subject"]
      )
    }
  }

  static func insert(_ stored: StoredComment, in tx: Transaction) throws {
    let comment = stored.comment
    try tx.execute(
      """
      INSERT INTO comments (id, subject, parent_id, author_id, text, like_count, reply_count, created_at, version)
      VALUES (\(comment.id), \(stored.subject), \(comment.parentID), \(comment.authorID), \(comment.text),
              0, 0, \(tx.now), 1)
      """
    )
    if let parent = comment.parentID {
      try tx.execute("UPDATE comments SET reply_count = reply_count + 1 WHERE id = \(parent)")
    }
    try CommentTarget(stored.subject)?.count(by: 1, in: tx)
  }

  /// Stores an edited text.
  static func update(_ comment: Comment, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE comments SET text = \(comment.text), edited_at = \(comment.editedAt), version = \(comment.version)
      WHERE id = \(comment.id)
      """
    )
  }

  /// - Returns: `false` when the comment does not exist.
  static func countLikes(of id: CommentID, by change: Int, in tx: Transaction) throws -> Bool {
    try tx.execute("UPDATE comments SET like_count = like_count + \(change) WHERE id = \(id) AND text IS NOT NULL") > 0
  }

  /// Deletes a comment. One with replies stays as a row without text and author until its last reply is deleted.
  static func delete(_ stored: StoredComment, in tx: Transaction) throws {
    let id = stored.comment.id
    try CommentTarget(stored.subject)?.count(by: -1, in: tx)
    try ReactionStore.delete(.commentLike, of: id.rawValue, in: tx)
    let kept = try tx.execute(
      "UPDATE comments SET text = NULL, author_id = NULL, like_count = 0 WHERE id = \(id) AND reply_count > 0"
    )
    guard kept == 0 else { return }
    try tx.execute("DELETE FROM comments WHERE id = \(id)")
    guard let parent = stored.comment.parentID else { return }
    try tx.execute("UPDATE comments SET reply_count = reply_count - 1 WHERE id = \(parent)")
    // A deleted comment that was kept for its replies is removed with the last one.
    try tx.execute("DELETE FROM comments WHERE id = \(parent) AND text IS NULL AND reply_count = 0")
  }

  /// Deletes all comments on an object that is deleted, with their likes.
  static func delete(on target: CommentTarget, in tx: Transaction) throws {
    try ReactionStore.deleteCommentLikes(on: target, in: tx)
    try tx.execute("DELETE FROM comments WHERE subject = \(target.text) AND parent_id IS NOT NULL")
    try tx.execute("DELETE FROM comments WHERE subject = \(target.text)")
  }
}
