import Contracts
import Persistence

enum PostStore {
  static func find(_ id: PostID, in db: any Connection) throws -> Post? {
    try list("id = \(id)", limit: 1, in: db).first
  }

  /// Matching posts, latest date first, and newest first within a date.
  static func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [Post] {
    try db.all(
      """
      SELECT id, title, date, link, media, description, like_count, comment_count, created_at, version FROM posts
      WHERE \(condition) ORDER BY date DESC, id DESC LIMIT \(limit)
      """
    ) { row in
      Post(
        id: try row["id"],
        title: try row["title"],
        date: try row["date"],
        mediaLink: try row["link"],
        media: try row["media"],
        description: try row["description"],
        likeCount: try row["like_count"],
        commentCount: try row["comment_count"],
        createdAt: try row["created_at"],
        version: try row["version"]
      )
    }
  }

  static func insert(_ post: Post, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO posts (id, title, date, link, media, description, like_count, comment_count, created_at, version)
      VALUES (\(post.id), \(post.title), \(post.date.description), \(post.mediaLink), \(post.media),
              \(post.description), 0, 0,
              \(post.createdAt), \(post.version))
      """
    )
  }

  static func update(_ post: Post, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE posts SET title = \(post.title), date = \(post.date.description),
        link = \(post.mediaLink), media = \(post.media), description = \(post.description), version = \(post.version)
      WHERE id = \(post.id)
      """
    )
  }

  /// Deletes a post with its comments and likes.
  static func delete(_ id: PostID, in tx: Transaction) throws {
    let subject = CommentTarget.post(id).text
    try tx.execute(
      """
      DELETE FROM marks WHERE kind = 'comment-like' AND object_id IN (SELECT id FROM comments WHERE subject = \(subject))
      """
    )
    try tx.execute("DELETE FROM comments WHERE subject = \(subject) AND parent_id IS NOT NULL")
    try tx.execute("DELETE FROM comments WHERE subject = \(subject)")
    try tx.execute("DELETE FROM marks WHERE kind = 'post-like' AND object_id = \(id)")
    try tx.execute("DELETE FROM posts WHERE id = \(id)")
  }
}
