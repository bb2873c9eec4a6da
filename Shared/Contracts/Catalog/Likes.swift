/// Likes and the archive. Repeating a call has no further effect.
extension CatalogAPI {
  /// Like a listing.
  public struct LikeListing: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .put,
      "/v1/listings/{id}/like",
      "Like a listing",
      access: .user,
      success: 204,
      problems: [.listingNotFound]
    )
    public var id: ListingID
    public init(id: ListingID) { self.id = id }
  }

  /// Like a listing no longer.
  public struct UnlikeListing: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .delete,
      "/v1/listings/{id}/like",
      "Like a listing no longer",
      access: .user,
      success: 204,
      problems: [.listingNotFound]
    )
    public var id: ListingID
    public init(id: ListingID) { self.id = id }
  }

  /// Keep a listing in the archive.
  public struct ArchiveListing: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .put,
      "/v1/listings/{id}/archive",
      "Keep a listing in the archive",
      access: .user,
      success: 204,
      problems: [.listingNotFound]
    )
    public var id: ListingID
    public init(id: ListingID) { self.id = id }
  }

  /// Take a listing out of the archive.
  public struct UnarchiveListing: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .delete,
      "/v1/listings/{id}/archive",
      "Take a listing out of the archive",
      access: .user,
      success: 204,
      problems: [.listingNotFound]
    )
    public var id: ListingID
    public init(id: ListingID) { self.id = id }
  }

  /// The listings that the user has archived, the last archived first.
  public struct ListArchive: Endpoint {
    public typealias Response = Page<ListingSummary>
    public static let operation = Operation(.get, "/v1/archive", "The user's archived listings", access: .user)
    public var limit: PageSize?
    public var cursor: String?

    public init(limit: PageSize? = nil, cursor: String? = nil) {
      self.limit = limit
      self.cursor = cursor
    }
  }

  /// Like a post.
  public struct LikePost: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .put,
      "/v1/posts/{id}/like",
      "Like a post",
      access: .user,
      success: 204,
      problems: [.postNotFound]
    )
    public var id: PostID
    public init(id: PostID) { self.id = id }
  }

  /// Like a post no longer.
  public struct UnlikePost: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .delete,
      "/v1/posts/{id}/like",
      "Like a post no longer",
      access: .user,
      success: 204,
      problems: [.postNotFound]
    )
    public var id: PostID
    public init(id: PostID) { self.id = id }
  }

  /// Like a comment.
  public struct LikeComment: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .put,
      "/v1/comments/{id}/like",
      "Like a comment",
      access: .user,
      success: 204,
      problems: [.commentNotFound]
    )
    public var id: CommentID
    public init(id: CommentID) { self.id = id }
  }

  /// Like a comment no longer.
  public struct UnlikeComment: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .delete,
      "/v1/comments/{id}/like",
      "Like a comment no longer",
      access: .user,
      success: 204,
      problems: [.commentNotFound]
    )
    public var id: CommentID
    public init(id: CommentID) { self.id = id }
  }
}
