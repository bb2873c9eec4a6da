/// The endpoints that the gateway implements itself. It also serves `GET /v1/events`, a stream of server-sent events.
public enum GatewayAPI: ServiceAPI {
  public static let name = "gateway"
  public static let summary = "Crash reports of apps"
  public static let endpoints: [any Endpoint.Type] = [ReportCrash.self, ListCrashReports.self]

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
