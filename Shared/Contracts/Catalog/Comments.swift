extension CatalogAPI {
  /// What is said of a listing, the newest first; replies are listed by ``ListReplies``.
  public struct ListListingComments: Endpoint {
    public typealias Response = Page<Comment>
    public static let operation = Operation(
      .get,
      "/v1/listings/{id}/comments",
      "What is said of a listing",
      access: .user,
      problems: [.listingNotFound]
    )
    public var id: ListingID
    public var limit: PageSize?
    public var cursor: String?

    public init(id: ListingID, limit: PageSize? = nil, cursor: String? = nil) {
      self.id = id
      self.limit = limit
      self.cursor = cursor
    }
  }

  /// Say something of a listing.
  public struct CommentOnListing: Endpoint {
    public typealias Response = Comment
    public static let operation = Operation(
      .post,
      "/v1/listings/{id}/comments",
      "Say something of a listing",
      access: .user,
      idempotency: .keyed(required: false),
      success: 201,
      problems: [.listingNotFound]
    )
    public var id: ListingID
    public var body: CommentForm

    public init(id: ListingID, body: CommentForm) {
      self.id = id
      self.body = body
    }
  }

  /// What is said of a post, the newest first. Open to anyone, so it does not tell what the reader likes.
  public struct ListPostComments: Endpoint {
    public typealias Response = Page<Comment>
    public static let operation = Operation(
      .get,
      "/v1/posts/{id}/comments",
      "What is said of a post",
      access: .anyone,
      problems: [.postNotFound]
    )
    public var id: PostID
    public var limit: PageSize?
    public var cursor: String?

    public init(id: PostID, limit: PageSize? = nil, cursor: String? = nil) {
      self.id = id
      self.limit = limit
      self.cursor = cursor
    }
  }

  /// Say something of a post.
  public struct CommentOnPost: Endpoint {
    public typealias Response = Comment
    public static let operation = Operation(
      .post,
      "/v1/posts/{id}/comments",
      "Say something of a post",
      access: .user,
      idempotency: .keyed(required: false),
      success: 201,
      problems: [.postNotFound]
    )
    public var id: PostID
    public var body: CommentForm

    public init(id: PostID, body: CommentForm) {
      self.id = id
      self.body = body
    }
  }

  /// The replies to a comment, the newest first.
  public struct ListReplies: Endpoint {
    public typealias Response = Page<Comment>
    public static let operation = Operation(
      .get,
      "/v1/comments/{id}/replies",
      "The replies to a comment",
      access: .user,
      problems: [.commentNotFound]
    )
    public var id: CommentID
    public var limit: PageSize?
    public var cursor: String?

    public init(id: CommentID, limit: PageSize? = nil, cursor: String? = nil) {
      self.id = id
      self.limit = limit
      self.cursor = cursor
    }
  }

  /// Reply to a comment. A reply to a reply stands beside it, under the same comment.
  public struct ReplyToComment: Endpoint {
    public typealias Response = Comment
    public static let operation = Operation(
      .post,
      "/v1/comments/{id}/replies",
      "Reply to a comment",
      access: .user,
      idempotency: .keyed(required: false),
      success: 201,
      problems: [.commentNotFound]
    )
    public var id: CommentID
    public var body: CommentForm

    public init(id: CommentID, body: CommentForm) {
      self.id = id
      self.body = body
    }
  }

  /// Write an own comment anew, within 15 minutes.
  public struct UpdateComment: Endpoint {
    public typealias Response = Comment
    public static let operation = Operation(
      .patch,
      "/v1/comments/{id}",
      "Write an own comment anew, within 15 minutes",
      access: .user,
      idempotency: .idempotent,
      problems: [.commentNotFound, .editWindowOver]
    )
    public var id: CommentID
    public var ifMatch: EntityTag?
    public var body: CommentForm

    public init(id: CommentID, ifMatch: EntityTag? = nil, body: CommentForm) {
      self.id = id
      self.ifMatch = ifMatch
      self.body = body
    }
  }

  /// Take a comment away: its author, the owner of what it is about, or a moderator.
  public struct DeleteComment: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .delete,
      "/v1/comments/{id}",
      "Take a comment away",
      access: .user,
      success: 204,
      problems: [.commentNotFound]
    )
    public var id: CommentID
    public init(id: CommentID) { self.id = id }
  }
}

public enum CommentSubject {}
public typealias CommentID = ID<CommentSubject>

/// What somebody says.
public struct CommentForm: Codable, Sendable {
  public var text: CommentText
  public init(text: CommentText) { self.text = text }
}

/// Up to 2,000 characters in lines.
public struct CommentText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }

  public static let rule = StringRule.multiline(length: 1...2000)
}

/// What somebody has said of a listing or a post.
public struct Comment: Codable, Sendable, Equatable, Versioned {
  public var id: CommentID
  /// What a reply replies to.
  public var parentID: CommentID?
  /// Absent when the comment or its author is gone.
  public var authorID: UserID?
  /// Absent while the author's name cannot be learnt.
  public var author: PublicName?
  /// Absent when the comment is gone and only its place is kept, for its replies.
  public var text: CommentText?
  public var likeCount: Int
  public var replyCount: Int
  /// Whether the caller likes it; absent where callers are not known.
  public var isLiked: Bool?
  public var createdAt: Timestamp
  public var editedAt: Timestamp?
  public var version: Int

  public init(
    id: CommentID,
    parentID: CommentID?,
    authorID: UserID?,
    author: PublicName? = nil,
    text: CommentText?,
    likeCount: Int,
    replyCount: Int,
    isLiked: Bool?,
    createdAt: Timestamp,
    editedAt: Timestamp?,
    version: Int
  ) {
    self.id = id
    self.parentID = parentID
    self.authorID = authorID
    self.author = author
    self.text = text
    self.likeCount = likeCount
    self.replyCount = replyCount
    self.isLiked = isLiked
    self.createdAt = createdAt
    self.editedAt = editedAt
    self.version = version
  }
}

extension Problem.Kind {
  public static let commentNotFound = Self("comment-not-found", status: 404, "There is no such comment")
  public static let editWindowOver = Self("edit-window-over", status: 409, "The comment can no longer be changed")
}
