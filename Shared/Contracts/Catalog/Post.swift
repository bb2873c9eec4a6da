public typealias PostID = ID<Post>

public struct Post: Codable, Sendable, Equatable, Versioned {
  public var id: PostID
  public var title: ShortText
  public var date: CalendarDate
  public var mediaLink: WebLink?
  public var media: MediaID?
  public var description: LongText?
  public var likeCount: Int
  public var commentCount: Int
  /// Whether the caller likes it; absent when the caller is not signed in.
  public var isLiked: Bool?
  public var createdAt: Timestamp
  public var version: Int
  public init(
    id: PostID, title: ShortText, date: CalendarDate, mediaLink: WebLink?, media: MediaID?, description: LongText?,
    likeCount: Int, commentCount: Int, isLiked: Bool? = nil, createdAt: Timestamp, version: Int
  ) {
    (self.id, self.title, self.date, self.mediaLink, self.media) = (id, title, date, mediaLink, media)
    (self.description, self.likeCount, self.commentCount) = (description, likeCount, commentCount)
    (self.isLiked, self.createdAt, self.version) = (isLiked, createdAt, version)
  }
}
