import Contracts
import Persistence

enum PostStore {
  static func find(_ id: PostID, for viewer: UserID? = nil, in db: any Connection) throws -> Post? {
    try list("id = \(id)", limit: 1, for: viewer, in: db).first
  }

  static func get(_ id: PostID, for viewer: UserID? = nil, in db: any Connection) throws -> Post {
    guard let post = try find(id, for: viewer, in: db) else { throw Problem(.postNotFound) }
    return post
  }

  static func exists(_ id: PostID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM posts WHERE id = \(id)")
  }

  /// Matching posts, latest date first, and newest first within a date, with whether the viewer likes them.
  ///
  /// - Parameter viewer: `nil` when the caller is not signed in.
  static func list(_ condition: SQL, limit: Int, for viewer: UserID?, in db: any Connection) throws -> [Post] {
    try db.all(
      """
      SELECT id, title, date, link, media, description, like_count, comment_count, created_at, version,
        CASE WHEN EXISTS (SELECT 1 FROM marks m WHERE m.kind = 'post-like' AND m.object_id = posts.id
          AND m.user_id = \(viewer)) THEN 1 ELSE 0 END AS is_liked
      FROM posts WHERE \(condition) ORDER BY date DESC, id DESC LIMIT \(limit)
      """
    ) { row in
      Post(
        id: try row["id"], title: try row["title"], date: try row["date"],
        mediaLink: try row["link"], media: try row["media"], description: try row["description"],
        likeCount: try row["like_count"], commentCount: try row["comment_count"],
        isLiked: try viewer == nil ? nil : row["is_liked"] as Bool, createdAt: try row["created_at"],
        version: try row["version"]
      )
    }
  }

  /// From where a post was imported.
  struct Source: Sendable {
    var id: SourceID
    /// The fingerprint of the row that was imported last.
    var fingerprint: String
  }

  /// The posts that were imported, with the fingerprints of their rows.
  static func imported(_ sources: [SourceID], in db: any Connection) throws
    -> [SourceID: (post: Post, fingerprint: String)]
  {
    let found = try db.all(
      "SELECT id, source_id, source_fingerprint FROM posts WHERE source_id IN \(list: sources)"
    ) { row -> (id: PostID, source: Source) in
      (try row["id"], Source(id: try row["source_id"], fingerprint: try row["source_fingerprint"]))
    }
    let posts = try list("id IN \(list: found.map(\.id))", limit: max(1, found.count), for: nil, in: db)
    let byID = Dictionary(posts.map { ($0.id, $0) }) { first, _ in first }
    let pairs = found.compactMap { item in byID[item.id].map { (item.source.id, ($0, item.source.fingerprint)) } }
    return Dictionary(pairs) { first, _ in first }
  }

  static func setSource(_ source: Source, of id: PostID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE posts SET source_id = \(source.id), source_fingerprint = \(source.fingerprint) WHERE id = \(id)
      """
    )
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
