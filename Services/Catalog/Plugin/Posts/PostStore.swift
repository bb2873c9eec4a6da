import Contracts
import Persistence

enum PostStore {
  static func find(_ id: PostID, in db: any Connection) throws -> Post? {
    try list("id = \(id)", limit: 1, in: db).first
  }

  static func get(_ id: PostID, in db: any Connection) throws -> Post {
    guard let post = try find(id, in: db) else { throw Problem(.postNotFound) }
    return post
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
        id: try row["id"], title: try row["title"], date: try row["date"],
        mediaLink: try row["link"], media: try row["media"], description: try row["description"],
        likeCount: try row["like_count"], commentCount: try row["comment_count"],
        createdAt: try row["created_at"], version: try row["version"]
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

  /// - Returns: `false` when the post does not exist.
  static func countLikes(of id: PostID, by change: Int, in tx: Transaction) throws -> Bool {
    try tx.execute("UPDATE posts SET like_count = like_count + \(change) WHERE id = \(id)") > 0
  }

  static func countComments(on id: PostID, by change: Int, in tx: Transaction) throws {
    try tx.execute("UPDATE posts SET comment_count = comment_count + \(change) WHERE id = \(id)")
  }

  /// Deletes a post with its comments and likes.
  static func delete(_ id: PostID, in tx: Transaction) throws {
    try CommentStore.delete(on: .post(id), in: tx)
    try ReactionStore.delete(.postLike, of: id.rawValue, in: tx)
    try tx.execute("DELETE FROM posts WHERE id = \(id)")
  }
}
