import Foundation

/// Which apps have a host of their own, and where pages find those of another host.
public struct WebHosts: Sendable {
  /// All apps are on one host.
  public static let none = WebHosts([:], publicURL: "")

  private let apps: [String: WebApp]
  /// Of the host of all; the others have its scheme and port.
  private let origin: URLComponents

  /// - Parameters:
  ///   - apps: By host.
  ///   - publicURL: Of the host of all.
  public init(_ apps: [String: WebApp], publicURL: String) {
    self.apps = apps
    var origin = URLComponents(string: publicURL) ?? URLComponents()
    origin.path = ""
    self.origin = origin
  }

  var isEmpty: Bool { apps.isEmpty }

  /// The app whose host this is; `nil` for the host of all.
  ///
  /// - Parameter host: May have a port.
  public func app(on host: String?) -> WebApp? {
    guard !apps.isEmpty, let host else { return nil }
    return apps[String(host.lowercased().prefix { $0 != ":" })]
  }

  /// Whether an app has a host of its own, and is nowhere else.
  public func isElsewhere(_ app: WebApp) -> Bool { apps.values.contains(app) }

  /// What the addresses of an app begin with.
  ///
  /// - Parameter page: The app on whose host they are used; `nil` on the host of all.
  public func base(of app: WebApp, from page: WebApp?) -> String {
    guard let host = apps.first(where: { $0.value == app })?.key else {
      return (page == nil ? "" : origin.string ?? "") + "/\(app.rawValue)"
    }
    guard page != app else { return "" }
    var own = origin
    own.host = host
    return own.string ?? ""
  }
}
