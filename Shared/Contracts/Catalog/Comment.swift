public typealias CommentID = ID<Comment>

/// The text of a comment: multiline, up to 2,000 characters.
public struct CommentText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.multiline(length: 1...2000)
}

public struct Comment: Codable, Sendable, Equatable, Versioned {
  public var id: CommentID
  /// The comment that a reply belongs to.
  public var parentID: CommentID?
  /// Absent when the comment or its author was deleted.
  public var authorID: UserID?
  /// Absent while the author's name is unavailable.
  public var author: PublicName?
  /// Absent when the comment was deleted; it stays because of its replies.
  public var text: CommentText?
  public var likeCount: Int
  public var replyCount: Int
  /// Whether the caller likes it; absent when the caller is not signed in.
  public var isLiked: Bool?
  public var createdAt: Timestamp
  public var editedAt: Timestamp?
  public var version: Int
  public init(
    id: CommentID, parentID: CommentID?, authorID: UserID?, author: PublicName? = nil, text: CommentText?,
    likeCount: Int, replyCount: Int, isLiked: Bool?, createdAt: Timestamp, editedAt: Timestamp?, version: Int
  ) {
    (self.id, self.parentID, self.authorID, self.author, self.text) = (id, parentID, authorID, author, text)
    (self.likeCount, self.replyCount, self.isLiked, self.createdAt) = (likeCount, replyCount, isLiked, createdAt)
    (self.editedAt, self.version) = (editedAt, version)
  }
}
