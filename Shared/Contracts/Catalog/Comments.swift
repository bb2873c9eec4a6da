extension CatalogAPI {
  /// Newest first, without replies; see ``ListReplies``.
  public struct ListListingComments: Endpoint {
    public typealias Response = Page<Comment>
    public static let operation = Operation(
      .get,
      "/v1/listings/{id}/comments",
      "List comments on a listing",
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

  public struct CommentOnListing: Endpoint {
    public typealias Response = Comment
    public static let operation = Operation(
      .post,
      "/v1/listings/{id}/comments",
      "Comment on a listing",
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

  /// Newest first. Open to anyone, so `isLiked` is absent.
  public struct ListPostComments: Endpoint {
    public typealias Response = Page<Comment>
    public static let operation = Operation(
      .get,
      "/v1/posts/{id}/comments",
      "List comments on a post",
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

  public struct CommentOnPost: Endpoint {
    public typealias Response = Comment
    public static let operation = Operation(
      .post,
      "/v1/posts/{id}/comments",
      "Comment on a post",
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

  /// Newest first.
  public struct ListReplies: Endpoint {
    public typealias Response = Page<Comment>
    public static let operation = Operation(
      .get,
      "/v1/comments/{id}/replies",
      "List replies to a comment",
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

  /// A reply to a reply gets the same parent comment as that reply.
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

  /// Allowed for the author, within 15 minutes of writing the comment.
  public struct UpdateComment: Endpoint {
    public typealias Response = Comment
    public static let operation = Operation(
      .patch,
      "/v1/comments/{id}",
      "Edit a comment",
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

  /// Allowed for the author, for the owner of the listing it is about, and for moderators.
  public struct DeleteComment: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .delete,
      "/v1/comments/{id}",
      "Delete a comment",
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

/// The body of a request that writes or edits a comment.
public struct CommentForm: Codable, Sendable {
  public var text: CommentText
  public init(text: CommentText) { self.text = text }
}

/// The text of a comment: multiline, up to 2,000 characters.
public struct CommentText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }

  public static let rule = StringRule.multiline(length: 1...2000)
}

/// A comment on a listing or a post.
public struct Comment: Codable, Sendable, Equatable, Versioned {
  public var id: CommentID
  /// The comment that a reply belongs to.
  public var parentID: CommentID?
  /// Absent when the comment or its author was deleted.
  public var authorID: UserID?
  /// Absent while the author's name is unavailable.
  public var author: PublicName?
  /// Absent when the comment was deleted and remains only as a placeholder for its replies.
  public var text: CommentText?
  public var likeCount: Int
  public var replyCount: Int
  /// Whether the caller likes it; absent where callers are not identified.
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
