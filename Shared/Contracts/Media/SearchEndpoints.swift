extension MediaAPI {
  static let search: [any Endpoint.Type] = [
    ListMedia.self, CountMedia.self, AddVideoLink.self, SaveMedia.self, UnsaveMedia.self, ListSavedMedia.self,
  ]

  /// The caller's media in every state, and those that are ready and that everyone, or the caller as a connection of the
  /// owner, may load. The words of a query may be misspelled: one error in words of five to eight letters, two in longer
  /// ones; the last word may be the beginning of a word.
  public struct ListMedia: PagedEndpoint {
    public typealias Response = Page<Media>
    public static let operation = Operation.get("/v1/media", "List and search media", access: .anyone)
    public var kind: MediaKind?
    public var tag: Tag?
    public var query: String?
    public var owner: UserID?
    public var workoutType: WorkoutTypeID?
    public var productType: Slug?
    /// The order; by default `relevance` for a query, otherwise `newest`.
    public var sort: MediaSort?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      kind: MediaKind? = nil, tag: Tag? = nil, query: String? = nil, owner: UserID? = nil,
      workoutType: WorkoutTypeID? = nil,
      productType: Slug? = nil, sort: MediaSort? = nil, limit: PageSize? = nil, cursor: String? = nil
    ) {
      (self.kind, self.tag, self.query, self.owner) = (kind, tag, query, owner)
      (self.workoutType, self.productType, self.sort) = (workoutType, productType, sort)
      (self.limit, self.cursor) = (limit, cursor)
    }
  }

  /// Counts the items that filters would leave of the list with the same parameters.
  public struct CountMedia: Endpoint {
    public typealias Response = MediaCounts
    public static let operation = Operation.get(
      "/v1/media/counts", "Count media by kind, tag, workout type and product type", access: .anyone)
    public var kind: MediaKind?
    public var tag: Tag?
    public var query: String?
    public var owner: UserID?
    public var workoutType: WorkoutTypeID?
    public var productType: Slug?
    public init(
      kind: MediaKind? = nil, tag: Tag? = nil, query: String? = nil, owner: UserID? = nil,
      workoutType: WorkoutTypeID? = nil,
      productType: Slug? = nil
    ) {
      (self.kind, self.tag, self.query, self.owner) = (kind, tag, query, owner)
      (self.workoutType, self.productType) = (workoutType, productType)
    }
  }

  /// Any usual form of a video's URL is accepted: of its page, a short or shared link, a short, live or embedded video,
  /// with or without the second at which it starts.
  public struct AddVideoLink: Endpoint {
    public typealias Response = Media
    public static let operation = Operation.post(
      "/v1/media/links", "Add a video from YouTube", publishes: true, idempotency: .acceptsKey, success: 201,
      problems: [.notAVideo])
    public var url: YouTubeLink
    public var title: ShortText
    public var description: LongText?
    /// At most 20.
    public var tags: [Tag]?
    public var workoutType: WorkoutTypeID?
    public var productType: Slug?
    /// `everyone` by default.
    public var visibility: MediaVisibility?
    public init(
      url: YouTubeLink, title: ShortText, description: LongText? = nil, tags: [Tag]? = nil,
      workoutType: WorkoutTypeID? = nil,
      productType: Slug? = nil, visibility: MediaVisibility? = nil
    ) {
      (self.url, self.title, self.description, self.tags) = (url, title, description, tags)
      (self.workoutType, self.productType, self.visibility) = (workoutType, productType, visibility)
    }
  }

  /// Allowed for everyone who may load it or its preview.
  public struct SaveMedia: Endpoint {
    public static let operation = Operation.put(
      "/v1/media/{id}/save", "Save a media item", success: 204, problems: [.mediaNotFound, .tooManySaved])
    public var id: MediaID
    public init(id: MediaID) { self.id = id }
  }

  public struct UnsaveMedia: Endpoint {
    public static let operation = Operation.delete("/v1/media/{id}/save", "Remove a saved media item", success: 204)
    public var id: MediaID
    public init(id: MediaID) { self.id = id }
  }

  /// Most recently saved first. Those that the caller may not load any more are left out.
  public struct ListSavedMedia: PagedEndpoint {
    public typealias Response = Page<Media>
    public static let operation = Operation.get("/v1/media/saved", "List the caller's saved media")
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }
}

extension Problem.Kind {
  public static let notAVideo = Self(
    "not-a-video", status: 422, "The URL is not that of a video",
    meaning: "The URL is not that of one YouTube video.",
    remedy: "Ask for the address of a video.")
  public static let tooManySaved = Self(
    "too-many-saved-media", status: 409, "Too many media are saved",
    meaning: "The user has reached the limit of saved media.",
    remedy: "Let the user remove one first.")
}
