import Contracts
import HTTPServing
import HTTPTypes
import HummingbirdCore
import ServiceKit

/// The policy for requests that were not sent by HTTPS.
enum PlainHTTP: String, Sendable, CaseIterable {
  case allow
  /// Reads that carry no token go to HTTPS. Others have shown their secrets already: an error is noticed, a redirect
  /// would hide it.
  case redirect
  case refuse

  static let challenges = "/.well-known/acme-challenge/"
  /// Health checks come from the same machine; an authority for certificates asks before there is a certificate.
  private static func isExempt(_ path: String) -> Bool {
    path == "/livez" || path == "/readyz" || path.hasPrefix(challenges)
  }

  /// The response to a request that is not served; `nil` for others.
  ///
  /// - Parameter publicURL: Of the host that was asked.
  func answer(_ request: Request, _ context: RequestContext, at publicURL: String) -> Response? {
    // Calls within the process have no connection.
    guard self != .allow, !context.isSecure, context.remoteAddress != nil, !Self.isExempt(request.uri.path) else {
      return nil
    }
    let isRead = request.method == .get || request.method == .head
    if self == .redirect, isRead, !request.headers.contains(.authorization),
      let origin = Self.origin(publicURL, request.head.authority)
    {
      return Response(
        status: .permanentRedirect,
        headers: [.location: origin + (request.head.path ?? "/"), .cacheControl: "no-store"])
    }
    return .problem(Problem(.httpsRequired).with(header: "Connection", "close"), trace: context.trace)
  }

  /// The public URL; as long as that is none of HTTPS, the host that the request names, at the usual port.
  private static func origin(_ publicURL: String, _ authority: String?) -> String? {
    if publicURL.hasPrefix("https://") { return publicURL }
    guard let authority, !authority.isEmpty else { return nil }
    let end = authority.lastIndex(of: "]").map { authority.index(after: $0) } ?? authority.startIndex
    let colon = authority[end...].firstIndex(of: ":") ?? authority.endIndex
    return "https://\(authority[..<colon])"
  }
}
