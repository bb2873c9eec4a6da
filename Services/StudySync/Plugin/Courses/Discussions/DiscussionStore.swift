import Contracts
import Persistence
import ServiceKit

/// A discussion as stored. Its texts stay encrypted until ``DiscussionStore/open(_:)``.
struct StoredDiscussion: Sendable {
  let id: DiscussionID
  let course: CourseID
  let author: UserID?
  /// `nil` when it was deleted.
  var sealed: String?
  var isLocked: Bool
  let replyCount: Int
  let createdAt: Timestamp
  var editedAt: Timestamp?
  var version: Int
}

/// The topics that members of courses discuss.
struct DiscussionStore: Sendable {
  let keys: DataKeys

  static let contentColumn = SealedColumn("discussions", "content")

  struct Content: Codable, Sendable {
    var title: ShortText
    var text: CourseText
  }

  func seal(_ content: Content, of id: DiscussionID) throws -> String {
    try keys.sealContent(content, in: Self.contentColumn, row: id.rawValue)
  }

  func content(_ stored: StoredDiscussion) throws -> Content? {
    try stored.sealed.map { try keys.openContent($0, in: Self.contentColumn, row: stored.id.rawValue) }
  }

  func open(_ stored: StoredDiscussion) throws -> Discussion {
    let content = try content(stored)
    return Discussion(
      id: stored.id, authorID: stored.author, title: content?.title, text: content?.text, isLocked: stored.isLocked,
      replyCount: stored.replyCount, createdAt: stored.createdAt, editedAt: stored.editedAt, version: stored.version)
  }

  // MARK: reading

  static func list(of course: CourseID, before: DiscussionID?, limit: Int, in db: any Connection) throws
    -> [StoredDiscussion]
  {
    try list(.and("course_id = \(course)", before.map { "id < \($0)" }), limit: limit, in: db)
  }

  static func get(_ id: DiscussionID, of course: CourseID, in db: any Connection) throws -> StoredDiscussion {
    guard let found = try list("id = \(id) AND course_id = \(course)", limit: 1, in: db).first else {
      throw Problem(.notFound)
    }
    return found
  }

  static func list(by author: UserID, in db: any Connection) throws -> [StoredDiscussion] {
    try list("author_id = \(author)", limit: .max, in: db)
  }

  static func count(of course: CourseID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM discussions WHERE course_id = \(course)")
  }

  private static func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [StoredDiscussion] {
    try db.all(
      """
      SELECT id, course_id, author_id, content, is_locked, reply_count, created_at, edited_at, version
      FROM discussions WHERE \(condition) ORDER BY id DESC LIMIT \(limit)
      """
    ) { row in
      StoredDiscussion(
        id: try row["id"], course: try row["course_id"], author: try row["author_id"], sealed: try row["content"],
        isLocked: try row["is_locked"], replyCount: try row["reply_count"], createdAt: try row["created_at"],
        editedAt: try row["edited_at"], version: try row["version"])
    }
  }

  // MARK: writing

  static func insert(_ discussion: StoredDiscussion, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO discussions (id, course_id, author_id, content, is_locked, reply_count, created_at, version)
      VALUES (\(discussion.id), \(discussion.course), \(discussion.author), \(discussion.sealed), 0, 0,
              \(discussion.createdAt), 1)
      """
    )
  }

  static func update(_ discussion: StoredDiscussion, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE discussions SET content = \(discussion.sealed), is_locked = \(discussion.isLocked),
        edited_at = \(discussion.editedAt), version = \(discussion.version)
      WHERE id = \(discussion.id)
      """
    )
  }

  static func countReply(to id: DiscussionID, in tx: Transaction) throws {
    try tx.execute("UPDATE discussions SET reply_count = reply_count + 1 WHERE id = \(id)")
  }

  static func erase(_ author: UserID, in tx: Transaction) throws {
    try tx.execute(
      "UPDATE discussions SET author_id = NULL, content = NULL, version = version + 1 WHERE author_id = \(author)")
  }
}
