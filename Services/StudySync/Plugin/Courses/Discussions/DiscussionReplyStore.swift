import Contracts
import Persistence
import ServiceKit

/// A reply as stored. Its text stays encrypted until ``DiscussionReplyStore/open(_:)``.
struct StoredDiscussionReply: Sendable {
  let id: DiscussionReplyID
  let discussion: DiscussionID
  let author: UserID?
  /// `nil` when it was deleted.
  var sealed: String?
  let createdAt: Timestamp
  var editedAt: Timestamp?
  var version: Int
}

struct DiscussionReplyStore: Sendable {
  let keys: DataKeys

  static let textColumn = SealedColumn("discussion_replies", "text")

  func seal(_ text: CourseText, of id: DiscussionReplyID) throws -> String {
    try keys.sealContent(text, in: Self.textColumn, row: id.rawValue)
  }

  func open(_ stored: StoredDiscussionReply) throws -> DiscussionReply {
    let text: CourseText? = try stored.sealed.map {
      try keys.openContent($0, in: Self.textColumn, row: stored.id.rawValue)
    }
    return DiscussionReply(
      id: stored.id, authorID: stored.author, text: text, createdAt: stored.createdAt, editedAt: stored.editedAt,
      version: stored.version)
  }

  // MARK: reading

  static func list(of discussion: DiscussionID, after: DiscussionReplyID?, limit: Int, in db: any Connection) throws
    -> [StoredDiscussionReply]
  {
    try list(.and("discussion_id = \(discussion)", after.map { "id > \($0)" }), limit: limit, in: db)
  }

  static func get(_ id: DiscussionReplyID, of discussion: DiscussionID, in db: any Connection) throws
    -> StoredDiscussionReply
  {
    guard let found = try list("id = \(id) AND discussion_id = \(discussion)", limit: 1, in: db).first else {
      throw Problem(.notFound)
    }
    return found
  }

  static func list(by author: UserID, in db: any Connection) throws -> [StoredDiscussionReply] {
    try list("author_id = \(author)", limit: .max, in: db)
  }

  private static func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [StoredDiscussionReply] {
    try db.all(
      """
      SELECT id, discussion_id, author_id, text, created_at, edited_at, version
      FROM discussion_replies WHERE \(condition) ORDER BY id LIMIT \(limit)
      """
    ) { row in
      StoredDiscussionReply(
        id: try row["id"], discussion: try row["discussion_id"], author: try row["author_id"],
        sealed: try row["text"], createdAt: try row["created_at"], editedAt: try row["edited_at"],
        version: try row["version"])
    }
  }

  // MARK: writing

  static func insert(_ reply: StoredDiscussionReply, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO discussion_replies (id, discussion_id, author_id, text, created_at, version)
      VALUES (\(reply.id), \(reply.discussion), \(reply.author), \(reply.sealed), \(reply.createdAt), 1)
      """
    )
  }

  static func update(_ reply: StoredDiscussionReply, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE discussion_replies SET text = \(reply.sealed), edited_at = \(reply.editedAt), version = \(reply.version)
      WHERE id = \(reply.id)
      """
    )
  }

  static func erase(_ author: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE discussion_replies SET author_id = NULL, text = NULL, version = version + 1 WHERE author_id = \(author)
      """
    )
  }
}
