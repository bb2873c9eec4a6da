extension CatalogAPI {
  /// Newest first, without replies; see ``ListReplies``.
  public struct ListListingComments: PagedEndpoint {
    public typealias Response = Page<Comment>
    public static let operation = Operation.get(
      "/v1/listings/{id}/comments", "List comments on a listing", problems: [.listingNotFound]
    )
    public var id: ListingID
    public var limit: PageSize?
    public var cursor: String?

    public init(id: ListingID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.id, self.limit, self.cursor) = (id, limit, cursor)
    }
  }

  public struct CommentOnListing: Endpoint {
    public typealias Response = Comment
    public static let operation = Operation.post(
      "/v1/listings/{id}/comments", "Comment on a listing", idempotency: .acceptsKey, success: 201,
      problems: [.listingNotFound]
    )

    public var id: ListingID
    public var text: CommentText

    public init(id: ListingID, text: CommentText) { (self.id, self.text) = (id, text) }
  }

  /// Newest first. Open to anyone, so `isLiked` is absent.
  public struct ListPostComments: PagedEndpoint {
    public typealias Response = Page<Comment>
    public static let operation = Operation.get(
      "/v1/posts/{id}/comments", "List comments on a post", access: .anyone, problems: [.postNotFound]
    )
    public var id: PostID
    public var limit: PageSize?
    public var cursor: String?

    public init(id: PostID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.id, self.limit, self.cursor) = (id, limit, cursor)
    }
  }

  public struct CommentOnPost: Endpoint {
    public typealias Response = Comment
    public static let operation = Operation.post(
      "/v1/posts/{id}/comments", "Comment on a post", idempotency: .acceptsKey, success: 201, problems: [.postNotFound]
    )

    public var id: PostID
    public var text: CommentText

    public init(id: PostID, text: CommentText) { (self.id, self.text) = (id, text) }
  }

  /// Newest first.
  public struct ListReplies: PagedEndpoint {
    public typealias Response = Page<Comment>
    public static let operation = Operation.get(
      "/v1/comments/{id}/replies", "List replies to a comment", problems: [.commentNotFound]
    )
    public var id: CommentID
    public var limit: PageSize?
    public var cursor: String?

    public init(id: CommentID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.id, self.limit, self.cursor) = (id, limit, cursor)
    }
  }

  /// A reply to a reply gets the same parent comment as that reply.
  public struct ReplyToComment: Endpoint {
    public typealias Response = Comment
    public static let operation = Operation.post(
      "/v1/comments/{id}/replies", "Reply to a comment", idempotency: .acceptsKey, success: 201,
      problems: [.commentNotFound]
    )

    public var id: CommentID
    public var text: CommentText

    public init(id: CommentID, text: CommentText) { (self.id, self.text) = (id, text) }
  }

  /// Allowed for the author, within 15 minutes of writing the comment.
  public struct UpdateComment: Endpoint {
    public typealias Response = Comment
    public static let operation = Operation.patch(
      "/v1/comments/{id}", "Edit a comment", idempotency: .idempotent, problems: [.commentNotFound, .editWindowOver]
    )
    public var id: CommentID
    public var ifMatch: EntityTag?

    public var text: CommentText

    public init(id: CommentID, ifMatch: EntityTag? = nil, text: CommentText) {
      (self.id, self.ifMatch, self.text) = (id, ifMatch, text)
    }
  }

  /// Allowed for the author, for the owner of the listing it is about, and for moderators.
  public struct DeleteComment: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation.delete(
      "/v1/comments/{id}", "Delete a comment", success: 204, problems: [.commentNotFound]
    )
    public var id: CommentID
    public init(id: CommentID) { self.id = id }
  }
}

public typealias CommentID = ID<Comment>

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
    id: CommentID, parentID: CommentID?, authorID: UserID?, author: PublicName? = nil, text: CommentText?,
    likeCount: Int, replyCount: Int, isLiked: Bool?, createdAt: Timestamp, editedAt: Timestamp?, version: Int
  ) {
    (self.id, self.parentID, self.authorID, self.author, self.text) = (id, parentID, authorID, author, text)
    (self.likeCount, self.replyCount, self.isLiked, self.createdAt) = (likeCount, replyCount, isLiked, createdAt)
    (self.editedAt, self.version) = (editedAt, version)
  }
}

extension Problem.Kind {
  public static let commentNotFound = Self("comment-not-found", status: 404, "There is no such comment")
  public static let editWindowOver = Self("edit-window-over", status: 409, "The comment can no longer be changed")
}
