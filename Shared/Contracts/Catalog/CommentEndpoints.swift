extension CatalogAPI {
  /// Newest first, without replies; see ``ListReplies``. Comments of users who have blocked the caller, or are blocked by
  /// the caller, are left out; they still count.
  public struct ListListingComments: PagedEndpoint {
    public typealias Response = Page<Comment>
    public static let operation = Operation.get(
      "/v1/listings/{id}/comments", "List comments on a listing", problems: [.listingNotFound], caching: .own
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
      "/v1/listings/{id}/comments", "Comment on a listing", publishes: true, idempotency: .acceptsKey, success: 201,
      problems: [.listingNotFound]
    )
    public var id: ListingID
    public var text: CommentText
    public init(id: ListingID, text: CommentText) { (self.id, self.text) = (id, text) }
  }

  /// Newest first. For a caller who is not signed in, `isLiked` is absent and blocks have no effect.
  public struct ListPostComments: PagedEndpoint {
    public typealias Response = Page<Comment>
    public static let operation = Operation.get(
      "/v1/posts/{id}/comments", "List comments on a post", access: .anyoneIdentified, problems: [.postNotFound],
      caching: .shared
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
      "/v1/posts/{id}/comments", "Comment on a post", publishes: true, idempotency: .acceptsKey, success: 201,
      problems: [.postNotFound]
    )
    public var id: PostID
    public var text: CommentText
    public init(id: PostID, text: CommentText) { (self.id, self.text) = (id, text) }
  }

  /// Newest first, as far as ``ListListingComments`` shows them.
  public struct ListReplies: PagedEndpoint {
    public typealias Response = Page<Comment>
    public static let operation = Operation.get(
      "/v1/comments/{id}/replies", "List replies to a comment", problems: [.commentNotFound], caching: .own
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
      "/v1/comments/{id}/replies", "Reply to a comment", publishes: true, idempotency: .acceptsKey, success: 201,
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
      "/v1/comments/{id}", "Update a comment", publishes: true, idempotency: .idempotent,
      problems: [.commentNotFound, .editWindowOver]
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
    public static let operation = Operation.delete(
      "/v1/comments/{id}", "Delete a comment", success: 204, problems: [.commentNotFound]
    )
    public var id: CommentID
    public init(id: CommentID) { self.id = id }
  }
}

extension Problem.Kind {
  public static let commentNotFound = Self(
    "comment-not-found", status: 404, "There is no such comment",
    meaning: "The comment does not exist, was deleted, or belongs to something that the caller may not see.",
    remedy: "Load the comments again.")
  public static let editWindowOver = Self(
    "edit-window-over", status: 409, "The comment can no longer be changed",
    meaning: "Comments can be changed for a limited time only.",
    remedy: "Offer to delete the comment, or to write another one.")
}
