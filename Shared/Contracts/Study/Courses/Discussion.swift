public typealias DiscussionID = ID<Discussion>
public typealias DiscussionReplyID = ID<DiscussionReply>

/// A topic that members of a course discuss.
public struct Discussion: Codable, Sendable, Equatable, Versioned {
  public var id: DiscussionID
  /// Absent after the author's account was deleted.
  public var authorID: UserID?
  /// Absent when it is not known at the moment.
  public var author: PublicName?
  /// Absent when the author or their account was deleted; the replies stay.
  public var title: ShortText?
  public var text: CourseText?
  /// Whether only instructors reply.
  public var isLocked: Bool
  public var replyCount: Int
  public var createdAt: Timestamp
  public var editedAt: Timestamp?
  public var version: Int
  public init(
    id: DiscussionID, authorID: UserID?, author: PublicName? = nil, title: ShortText?, text: CourseText?,
    isLocked: Bool, replyCount: Int, createdAt: Timestamp, editedAt: Timestamp?, version: Int
  ) {
    (self.id, self.authorID, self.author, self.title) = (id, authorID, author, title)
    (self.text, self.isLocked, self.replyCount) = (text, isLocked, replyCount)
    (self.createdAt, self.editedAt, self.version) = (createdAt, editedAt, version)
  }
}

public struct DiscussionReply: Codable, Sendable, Equatable, Versioned {
  public var id: DiscussionReplyID
  /// Absent after the author's account was deleted.
  public var authorID: UserID?
  /// Absent when it is not known at the moment.
  public var author: PublicName?
  /// Absent when the reply was deleted; its place stays.
  public var text: CourseText?
  public var createdAt: Timestamp
  public var editedAt: Timestamp?
  public var version: Int
  public init(
    id: DiscussionReplyID, authorID: UserID?, author: PublicName? = nil, text: CourseText?, createdAt: Timestamp,
    editedAt: Timestamp?, version: Int
  ) {
    (self.id, self.authorID, self.author, self.text) = (id, authorID, author, text)
    (self.createdAt, self.editedAt, self.version) = (createdAt, editedAt, version)
  }
}
