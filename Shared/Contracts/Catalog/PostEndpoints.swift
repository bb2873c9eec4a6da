extension CatalogAPI {
  /// Latest date first.
  public struct ListPosts: PagedEndpoint {
    public typealias Response = Page<Post>
    public static let operation = Operation.get("/v1/posts", "List posts", access: .anyoneIdentified, caching: .shared)
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  public struct CreatePost: Endpoint {
    public typealias Response = Post
    public static let operation = Operation.post(
      "/v1/posts", "Create a post", access: .owners, idempotency: .acceptsKey, success: 201,
      problems: [.mediaNotFound, .mediaNotReady]
    )
    public var title: ShortText
    /// Today in UTC by default.
    public var date: CalendarDate?
    public var mediaLink: WebLink?
    public var media: MediaID?
    public var description: LongText?
    public init(
      title: ShortText, date: CalendarDate? = nil, mediaLink: WebLink? = nil, media: MediaID? = nil,
      description: LongText? = nil
    ) {
      (self.title, self.date, self.mediaLink, self.media) = (title, date, mediaLink, media)
      self.description = description
    }
  }

  public struct GetPost: Endpoint {
    public typealias Response = Post
    public static let operation = Operation.get(
      "/v1/posts/{id}", "Get a post", access: .anyoneIdentified, problems: [.postNotFound], caching: .shared
    )
    public var id: PostID
    public init(id: PostID) { self.id = id }
  }

  public struct UpdatePost: Endpoint {
    public typealias Response = Post
    public static let operation = Operation.patch(
      "/v1/posts/{id}", "Update a post (JSON merge patch)", access: .owners,
      idempotency: .idempotent, problems: [.postNotFound, .mediaNotFound, .mediaNotReady]
    )
    public var id: PostID
    public var ifMatch: EntityTag?
    public var title: ShortText?
    public var date: CalendarDate?
    public var mediaLink: Patch<WebLink>
    public var media: Patch<MediaID>
    public var description: Patch<LongText>
    public init(
      id: PostID, ifMatch: EntityTag? = nil, title: ShortText? = nil, date: CalendarDate? = nil,
      mediaLink: Patch<WebLink> = .keep, media: Patch<MediaID> = .keep, description: Patch<LongText> = .keep
    ) {
      (self.id, self.ifMatch, self.title, self.date, self.mediaLink) = (id, ifMatch, title, date, mediaLink)
      (self.media, self.description) = (media, description)
    }
  }

  public struct DeletePost: Endpoint {
    public static let operation = Operation.delete(
      "/v1/posts/{id}", "Delete a post and its comments", access: .owners, success: 204, problems: [.postNotFound]
    )
    public var id: PostID
    public var ifMatch: EntityTag?
    public init(id: PostID, ifMatch: EntityTag? = nil) { (self.id, self.ifMatch) = (id, ifMatch) }
  }
}

extension Problem.Kind {
  public static let postNotFound = Self(
    "post-not-found", status: 404, "There is no such post",
    meaning: "The post does not exist, was deleted, or is not published.",
    remedy: "Load the posts again.")
}
