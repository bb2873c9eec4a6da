import Foundation

/// The hosts of apps that have one of their own, and where pages find those of another host.
public struct WebHosts: Sendable {
  /// All apps are on one host.
  public static let none = WebHosts([], publicURL: "")

  private let hosts: [(host: String, app: WebApp)]
  /// The origin of the host of all; the others have its scheme and port.
  private let origin: URLComponents

  /// - Parameters:
  ///   - hosts: The first of an app is the one to which links lead.
  ///   - publicURL: Of the host of all.
  public init(_ hosts: [(host: String, app: WebApp)], publicURL: String) {
    self.hosts = hosts
    var origin = URLComponents(string: publicURL) ?? URLComponents()
    origin.path = ""
    self.origin = origin
  }

  public var isEmpty: Bool { hosts.isEmpty }

  /// The host of all.
  public var common: String? { origin.host }

  /// The app whose host this is; `nil` for the host of all.
  ///
  /// - Parameter host: May have a port.
  public func app(on host: String?) -> WebApp? { entry(of: host)?.app }

  private func entry(of host: String?) -> (host: String, app: WebApp)? {
    guard !hosts.isEmpty, let name = host?.lowercased().prefix(while: { $0 != ":" }) else { return nil }
    return hosts.first { $0.host == name }
  }

  /// The public URL of an app's host; `nil` for the host of all.
  ///
  /// - Parameter host: May have a port.
  public func publicURL(of host: String?) -> String? { entry(of: host).flatMap { url(of: $0.host) } }

  private func url(of host: String) -> String? {
    var own = origin
    own.host = host
    return own.string
  }

  /// Whether an app has a host of its own, and is nowhere else.
  public func isElsewhere(_ app: WebApp) -> Bool { hosts.contains { $0.app == app } }

  /// The beginning of the addresses of an app.
  ///
  /// - Parameter page: The app on whose host they are used; `nil` on the host of all.
  public func base(of app: WebApp, from page: WebApp?) -> String {
    guard let host = hosts.first(where: { $0.app == app })?.host else {
      return (page == nil ? "" : origin.string ?? "") + "/\(app.rawValue)"
    }
    return page == app ? "" : url(of: host) ?? ""
  }
}
