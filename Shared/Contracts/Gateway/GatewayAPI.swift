/// What the gateway serves itself.
public enum GatewayAPI: ServiceAPI {
  public static let name = "gateway"
  public static let summary = "Realtime events, crash reports of apps, and the platform itself"
  public static let endpoints: [any Endpoint.Type] = [ReportCrash.self, ListCrashReports.self, GetStatus.self]
  public static let rawRoutes = [events, openAPI, documentation, root, alive, ready]

  /// Server-sent events of the caller. Resumes after the event of `Last-Event-ID`.
  public static let events = RawRoute(
    Operation.get("/v1/events", "Receive the caller's events"),
    mediaType: "text/event-stream", headers: ["Last-Event-ID"]
  )
  public static let openAPI = RawRoute(
    Operation.get("/openapi.json", "Get this document", access: .anyone), mediaType: "application/json"
  )
  public static let documentation = RawRoute(
    Operation.get("/docs", "Read the documentation", access: .anyone), mediaType: "text/html"
  )
  public static let root = RawRoute(
    Operation.get("/", "Go to the documentation", access: .anyone, success: 302), mediaType: "text/html"
  )
  public static let alive = RawRoute(
    Operation.get("/livez", "Check that the process runs", access: .anyone), mediaType: "text/plain"
  )
  public static let ready = RawRoute(
    Operation.get("/readyz", "Check that the process can serve requests", access: .anyone), mediaType: "text/plain"
  )

  public struct ReportCrash: Endpoint {
    public typealias Response = CrashReport
    public static let operation = Operation.post(
      "/v1/crash-reports", "Report an app crash", access: .anyone, success: 201, limits: .init(bodyBytes: 65_536)
    )
    public var app: ClientApp
    public var version: ShortText
    public var device: ShortText
    public var text: CrashText
    public init(app: ClientApp, version: ShortText, device: ShortText, text: CrashText) {
      (self.app, self.version, self.device, self.text) = (app, version, device, text)
    }
  }

  public struct GetStatus: Endpoint {
    public typealias Response = PlatformStatus
    public static let operation = Operation.get(
      "/status", "Get which services respond", access: .anyone
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
