extension MediaAPI {
  static let items: [any Endpoint.Type] = [
    GetMedia.self, UpdateMedia.self, DeleteMedia.self, LinkMedia.self, CheckMedia.self,
  ]

  /// Allowed for everyone who may load it or its preview.
  public struct GetMedia: Endpoint {
    public typealias Response = Media
    public static let operation = Operation.get(
      "/v1/media/{id}", "Get a media item", problems: [.mediaNotFound], caching: .own)
    public var id: MediaID
    public init(id: MediaID) { self.id = id }
  }

  /// Allowed for the owner.
  public struct UpdateMedia: Endpoint {
    public typealias Response = Media
    public static let operation = Operation.patch(
      "/v1/media/{id}", "Update a media item (JSON merge patch)", idempotency: .idempotent,
      problems: [.mediaNotFound, .guardianConsentRequired])
    public var id: MediaID
    public var ifMatch: EntityTag?
    public var title: Patch<ShortText>
    public var description: Patch<LongText>
    /// At most 20.
    public var tags: [Tag]?
    public var workoutType: Patch<WorkoutTypeID>
    public var productType: Patch<Slug>
    public var visibility: MediaVisibility?
    public init(
      id: MediaID, ifMatch: EntityTag? = nil, title: Patch<ShortText> = .keep, description: Patch<LongText> = .keep,
      tags: [Tag]? = nil, workoutType: Patch<WorkoutTypeID> = .keep, productType: Patch<Slug> = .keep,
      visibility: MediaVisibility? = nil
    ) {
      (self.id, self.ifMatch, self.title, self.description) = (id, ifMatch, title, description)
      (self.tags, self.workoutType, self.productType, self.visibility) = (tags, workoutType, productType, visibility)
    }
  }

  /// Allowed for the owner and for moderators, while it is not used in anything.
  public struct DeleteMedia: Endpoint {
    public static let operation = Operation.delete(
      "/v1/media/{id}", "Delete a media item", success: 204, problems: [.mediaNotFound, .mediaInUse])
    public var id: MediaID
    public var ifMatch: EntityTag?
    public init(id: MediaID, ifMatch: EntityTag? = nil) { (self.id, self.ifMatch) = (id, ifMatch) }
  }

  /// For players and pages that cannot send a token. The link gives its bearer what its creator may load, as long as
  /// the creator may and until it expires; playlists of a linked stream refer to linked files.
  public struct LinkMedia: Endpoint {
    public typealias Response = MediaLink
    public static let operation = Operation.post(
      "/v1/media/{id}/links", "Create a link to a file of a media item", idempotency: .safe,
      problems: [.mediaNotFound, .mediaNotLicensed])
    public var id: MediaID
    /// `content` by default, or another path below the media item, such as `preview` and `hls/master.m3u8`.
    public var file: MediaFilePath?
    /// How long it is valid; 3600 by default.
    public var seconds: LinkSeconds?
    public init(id: MediaID, file: MediaFilePath? = nil, seconds: LinkSeconds? = nil) {
      (self.id, self.file, self.seconds) = (id, file, seconds)
    }
  }

  /// Internal, for services that are about to use media in an object: media that do not exist or that another user owns
  /// are omitted. Those that are ready are not deleted for an hour, within which ``MediaReferencesChanged`` names them.
  public struct CheckMedia: Endpoint {
    public typealias Response = Page<CheckedMedia>
    public static let operation = Operation.post(
      "/internal/v1/media/check", "Check a user's media and hold them for use",
      access: .services(
        AuthAPI.self, CatalogAPI.self, MatchingAPI.self, OrdersAPI.self, StudyAPI.self),
      idempotency: .idempotent, limits: .init(seconds: 5))
    public var user: UserID
    public var object: Topic
    /// At most 500.
    public var media: [MediaID]
    public init(user: UserID, object: Topic, media: [MediaID]) {
      (self.user, self.object, self.media) = (user, object, media)
    }
  }
}

extension Problem.Kind {
  public static let mediaNotFound = Self(
    "media-not-found", status: 404, "There is no such media item",
    meaning: "The media item does not exist, was deleted, or the caller may not load it.",
    remedy: "Show a placeholder.")
  public static let mediaNotReady = Self(
    "media-not-ready", status: 409, "The media item is not ready to be used",
    meaning: "The media item is still being processed, or its processing has failed.",
    remedy: "Wait for its event, or load its state, until it is ready.")
  public static let mediaInUse = Self(
    "media-in-use", status: 409, "The media item is used in something",
    meaning: "The media item is part of something that would lack it.",
    remedy: "Remove the media item there first.")
  public static let mediaNotLicensed = Self(
    "media-not-licensed", status: 403, "Only the preview may be loaded",
    meaning: "The caller has no license that covers the original.",
    remedy: "Load the preview, or offer to buy a license.")
  public static let mediaTypeUnsupported = Self(
    "media-type-unsupported", status: 415, "Files of this type are not accepted",
    meaning: "The content of the file is of a type that is not accepted here; its name does not matter.",
    remedy: "Ask for a file of another type.")
}
