extension MediaAPI {
  static let livestreams: [any Endpoint.Type] = [
    ListLivestreams.self, CreateLivestream.self, ListLivestreamProviders.self, GetLivestream.self,
    StartLivestream.self, EndLivestream.self, ReceiveZoomWebhook.self,
  ]

  /// Lists by start, earliest first, so that those that are live come first; only scheduled and live ones, and all
  /// states for the host's own. A page can be shorter than its limit although others follow. The results of a query,
  /// whose words may be abbreviated or misspelled, are a single page ordered by relevance.
  public struct ListLivestreams: PagedEndpoint {
    public typealias Response = Page<Livestream>
    public static let operation = Operation.get("/v1/livestreams", "List live streams", caching: .own)
    /// Searches titles, tags and workout types.
    public var query: String?
    public var tag: Tag?
    public var workoutType: WorkoutTypeID?
    public var host: UserID?
    public var state: LivestreamState?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      query: String? = nil, tag: Tag? = nil, workoutType: WorkoutTypeID? = nil, host: UserID? = nil,
      state: LivestreamState? = nil, limit: PageSize? = nil, cursor: String? = nil
    ) {
      (self.query, self.tag, self.workoutType, self.host, self.state) = (query, tag, workoutType, host, state)
      (self.limit, self.cursor) = (limit, cursor)
    }
  }

  /// With a link, it is scheduled at once; without one, a Zoom meeting is created in the background: the state is
  /// `creating` until an event `livestream.changed`.
  public struct CreateLivestream: Endpoint {
    public typealias Response = Livestream
    public static let operation = Operation.post(
      "/v1/livestreams", "Create a live stream", publishes: true, idempotency: .acceptsKey, success: 201,
      problems: [.zoomNotConfigured, .tooManyLivestreams]
    )
    public var title: ShortText
    public var description: LongText?
    /// At most 10.
    public var tags: [Tag]?
    public var workoutType: WorkoutTypeID?
    /// `everyone` by default.
    public var visibility: LivestreamVisibility?
    /// Now by default; at most 180 days ahead.
    public var startsAt: Timestamp?
    /// 60 by default.
    public var minutes: LivestreamMinutes?
    /// The link for participants, for providers other than Zoom.
    public var joinURL: WebLink?
    public init(
      title: ShortText, description: LongText? = nil, tags: [Tag]? = nil, workoutType: WorkoutTypeID? = nil,
      visibility: LivestreamVisibility? = nil, startsAt: Timestamp? = nil, minutes: LivestreamMinutes? = nil,
      joinURL: WebLink? = nil
    ) {
      (self.title, self.description, self.tags, self.workoutType) = (title, description, tags, workoutType)
      (self.visibility, self.startsAt, self.minutes, self.joinURL) = (visibility, startsAt, minutes, joinURL)
    }
  }

  public struct ListLivestreamProviders: Endpoint {
    public typealias Response = LivestreamProviders
    public static let operation = Operation.get(
      "/v1/livestreams/providers", "List the live stream providers"
    )
    public init() {}
  }

  public struct GetLivestream: Endpoint {
    public typealias Response = Livestream
    public static let operation = Operation.get(
      "/v1/livestreams/{id}", "Get a live stream", problems: [.livestreamNotFound], caching: .own
    )
    public var id: LivestreamID
    public init(id: LivestreamID) { self.id = id }
  }

  /// For the host. Of Zoom, a new link each time; with a link of the host, the stream becomes live.
  public struct StartLivestream: Endpoint {
    public typealias Response = LivestreamStart
    public static let operation = Operation.post(
      "/v1/livestreams/{id}/start", "Get the host's link to start a live stream", idempotency: .idempotent,
      problems: [.livestreamNotFound, .livestreamNotOpen, .zoomNotConfigured], limits: .init(seconds: 30)
    )
    public var id: LivestreamID
    public init(id: LivestreamID) { self.id = id }
  }

  /// For the host. Ending it again has no further effect.
  public struct EndLivestream: Endpoint {
    public typealias Response = Livestream
    public static let operation = Operation.post(
      "/v1/livestreams/{id}/end", "End a live stream", idempotency: .idempotent, problems: [.livestreamNotFound]
    )
    public var id: LivestreamID
    public init(id: LivestreamID) { self.id = id }
  }

  /// Called by Zoom, which signs the body (`x-zm-signature`).
  public struct ReceiveZoomWebhook: Endpoint {
    public typealias Response = ZoomWebhookReceipt
    public static let operation = Operation.post(
      "/v1/webhooks/zoom", "Receive a Zoom webhook", access: .anyone, idempotency: .idempotent,
      problems: [.webhookInvalid], limits: .init(bodyBytes: 262_144), accepts: .raw
    )
    public var body: RawBody
    public init(body: RawBody) { self.body = body }
  }
}

extension Problem.Kind {
  public static let livestreamNotFound = Self(
    "livestream-not-found", status: 404, "There is no such live stream",
    meaning: "The live stream does not exist, was deleted, or the caller may not see it.",
    remedy: "Load the live streams again.")
  public static let livestreamNotOpen = Self(
    "livestream-not-open", status: 409, "The live stream is not ready to be started",
    meaning: "The live stream is over, canceled, or its time has not come.",
    remedy: "Load the live stream again and show when it starts.")
  public static let tooManyLivestreams = Self(
    "too-many-livestreams", status: 409, "The user has too many open live streams",
    meaning: "The user has reached the limit of live streams that are planned or running.",
    remedy: "Let the user end or delete one first.")
  public static let zoomNotConfigured = Self(
    "zoom-not-configured", status: 409, "Zoom is not configured; a link of another provider is needed",
    meaning: "The platform cannot create meetings of Zoom.",
    remedy: "Ask for a link to a live stream of another provider.")
}
