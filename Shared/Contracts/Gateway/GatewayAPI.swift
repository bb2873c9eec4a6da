/// The operations that the gateway serves itself.
public enum GatewayAPI: ServiceAPI {
  public static let name = "gateway"
  public static let summary = "Realtime events, crash reports of apps, and the platform itself"
  public static let endpoints: [any Endpoint.Type] = [
    ReportCrash.self, ListCrashReports.self, GetStatus.self, GetMetrics.self, FollowTopics.self, SignalsAPI.Send.self,
  ]
  public static let rawRoutes = [
    events, link, openAPI, documentation, serviceDocumentation, problems, problem, root, alive, ready, acmeChallenge,
  ]

  /// Server-sent events of the caller and of the topics in `topics`, separated by commas, at most 50. Resumes after the
  /// event of `Last-Event-ID`; an event `resync` names in ``MissedEvents`` what has to be loaded again instead. An event
  /// `topics` holds ``FollowedTopics``, at the start and whenever they change.
  public static let events = RawRoute(
    Operation.get("/v1/events", "Stream the events of the caller and of topics"),
    mediaType: "text/event-stream", headers: ["Last-Event-ID"], query: ["topics"]
  )
  /// A page about what everyone may see, with Open Graph data. The answer is the same for what does not exist and what is
  /// not for everyone.
  public static let link = RawRoute(
    Operation.get("/s/{kind}/{id}", "Get the preview page of a shared link", access: .anyone), mediaType: "text/html",
    answers: [
      .notModified, .init(404, "A page that says that there is nothing", mediaType: "text/html"),
      .init(503, "A page that says to come back later", mediaType: "text/html"),
    ]
  )
  public static let openAPI = RawRoute(
    Operation.get("/openapi.json", "Get this document", access: .anyone), mediaType: "application/json",
    answers: [.notModified]
  )
  public static let documentation = RawRoute(
    Operation.get("/docs", "Get the documentation", access: .anyone), mediaType: "text/html", answers: [.notModified]
  )
  public static let serviceDocumentation = RawRoute(
    Operation.get("/docs/{service}", "Get the documentation of a service", access: .anyone), mediaType: "text/html",
    answers: [.notModified]
  )
  public static let problems = RawRoute(
    Operation.get("/problems", "List the problem types", access: .anyone), mediaType: "text/html",
    answers: [.notModified]
  )
  /// The page to which the `type` of a problem leads.
  public static let problem = RawRoute(
    Operation.get("/problems/{code}", "Get the page of a problem", access: .anyone), mediaType: "text/html",
    answers: [.notModified]
  )
  public static let root = RawRoute(
    Operation.get("/", "Get the page of all apps", access: .anyone), mediaType: "text/html", answers: [.notModified]
  )
  public static let alive = RawRoute(
    Operation.get("/livez", "Check that the process runs", access: .anyone), mediaType: "text/plain"
  )
  public static let ready = RawRoute(
    Operation.get("/readyz", "Check that the process can serve requests", access: .anyone), mediaType: "text/plain"
  )

  /// For authorities that issue certificates; also by plain HTTP.
  public static let acmeChallenge = RawRoute(
    Operation.get("/.well-known/acme-challenge/{token}", "Get the response to an ACME challenge", access: .anyone),
    mediaType: "application/octet-stream"
  )

  /// Reports the crash of a signed-in user's app, with the user's consent to `analytics` only. A report without a token
  /// identifies no user.
  public struct ReportCrash: Endpoint {
    public typealias Response = CrashReport
    public static let operation = Operation.post(
      "/v1/crash-reports", "Report an app crash", access: .anyoneIdentified, success: 201,
      problems: [.consentRequired], limits: .init(bodyBytes: 65_536)
    )
    public var app: ClientApp
    public var version: ShortText
    public var device: ShortText
    public var text: CrashText
    public init(app: ClientApp, version: ShortText, device: ShortText, text: CrashText) {
      (self.app, self.version, self.device, self.text) = (app, version, device, text)
    }
  }

  /// Events of topics that are new to the stream are sent from now on; those of other topics no longer. The stream's
  /// event `topics` does not repeat which topics the user may not follow.
  public struct FollowTopics: Endpoint {
    public typealias Response = FollowedTopics
    public static let operation = Operation.put(
      "/v1/events/{stream}/topics", "Replace the topics of an open stream", problems: [.streamNotFound],
      limits: .init(bodyBytes: 8192)
    )
    public var stream: StreamID
    /// At most 50.
    public var topics: [Topic]
    public init(stream: StreamID, topics: [Topic]) { (self.stream, self.topics) = (stream, topics) }
  }

  public struct GetStatus: Endpoint {
    public typealias Response = PlatformStatus
    public static let operation = Operation.get(
      "/status", "Get the status of the services", access: .anyone
    )
    public init() {}
  }

  /// Gets the metrics of one process when the service has several.
  public struct GetMetrics: Endpoint {
    public typealias Response = PlatformMetrics
    public static let operation = Operation.get(
      "/v1/admin/metrics", "Get the services' metrics of the last hour",
      access: .roles([.administrator, .support])
    )
    public init() {}
  }

  /// Newest first.
  public struct ListCrashReports: PagedEndpoint {
    public typealias Response = Page<CrashReport>
    public static let operation = Operation.get(
      "/v1/admin/crash-reports", "List crash reports", access: .roles([.administrator, .support])
    )
    public var app: ClientApp?
    public var limit: PageSize?
    public var cursor: String?
    public init(app: ClientApp? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.app, self.limit, self.cursor) = (app, limit, cursor)
    }
  }
}
