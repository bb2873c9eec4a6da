/// Likes and the archive. Repeating a call has no further effect.
extension CatalogAPI {
  public struct LikeListing: Endpoint {
    public static let operation = Operation.put(
      "/v1/listings/{id}/like", "Like a listing", success: 204, problems: [.listingNotFound]
    )
    public var id: ListingID
    public init(id: ListingID) { self.id = id }
  }

  public struct UnlikeListing: Endpoint {
    public static let operation = Operation.delete(
      "/v1/listings/{id}/like", "Unlike a listing", success: 204, problems: [.listingNotFound]
    )
    public var id: ListingID
    public init(id: ListingID) { self.id = id }
  }

  public struct ArchiveListing: Endpoint {
    public static let operation = Operation.put(
      "/v1/listings/{id}/archive", "Archive a listing", success: 204, problems: [.listingNotFound]
    )
    public var id: ListingID
    public init(id: ListingID) { self.id = id }
  }

  public struct UnarchiveListing: Endpoint {
    public static let operation = Operation.delete(
      "/v1/listings/{id}/archive", "Remove a listing from the archive", success: 204, problems: [.listingNotFound]
    )
    public var id: ListingID
    public init(id: ListingID) { self.id = id }
  }

  /// Most recently archived first.
  public struct ListArchive: PagedEndpoint {
    public typealias Response = Page<ListingSummary>
    public static let operation = Operation.get("/v1/archive", "List the caller's archived listings", caching: .own)
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  public struct LikePost: Endpoint {
    public static let operation = Operation.put(
      "/v1/posts/{id}/like", "Like a post", success: 204, problems: [.postNotFound]
    )
    public var id: PostID
    public init(id: PostID) { self.id = id }
  }

  public struct UnlikePost: Endpoint {
    public static let operation = Operation.delete(
      "/v1/posts/{id}/like", "Unlike a post", success: 204, problems: [.postNotFound]
    )
    public var id: PostID
    public init(id: PostID) { self.id = id }
  }

  public struct LikeComment: Endpoint {
    public static let operation = Operation.put(
      "/v1/comments/{id}/like", "Like a comment", success: 204, problems: [.commentNotFound]
    )
    public var id: CommentID
    public init(id: CommentID) { self.id = id }
  }

  public struct UnlikeComment: Endpoint {
    public static let operation = Operation.delete(
      "/v1/comments/{id}/like", "Unlike a comment", success: 204, problems: [.commentNotFound]
    )
    public var id: CommentID
    public init(id: CommentID) { self.id = id }
  }
}
