import HTTPTypes
import HummingbirdCore

/// Allows web pages of configured origins to call the API (WHATWG Fetch, "CORS protocol").
struct CORS: Sendable {
  let origins: Set<String>

  /// The response to a preflight request; `nil` for other requests.
  func preflight(_ request: Request) -> Response? {
    guard request.method == .options, request.headers.contains(.accessControlRequestMethod) else { return nil }
    var headers: HTTPFields = [.vary: "Origin"]
    if allows(request) {
      headers[.accessControlAllowMethods] = "GET, HEAD, PUT, POST, PATCH, DELETE"
      headers[.accessControlAllowHeaders] =
        """
        Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, Range, \
        Tus-Resumable, Upload-Checksum, Upload-Concat, Upload-Defer-Length, Upload-Length, Upload-Metadata, \
        Upload-Offset, X-App-Version, X-Battery, X-Device, X-HTTP-Method-Override, X-Network, X-Request-ID, \
        X-Requested-With, traceparent
        """
      headers[.accessControlMaxAge] = "600"
    }
    return Response(status: .noContent, headers: headers)
  }

  func complete(_ headers: inout HTTPFields, for request: Request) {
    guard !origins.isEmpty else { return }
    headers.append(HTTPField(name: .vary, value: "Origin"))
    guard allows(request), let origin = request.headers[.origin] else { return }
    headers[.accessControlAllowOrigin] = origins.contains("*") ? "*" : origin
    headers[.accessControlExposeHeaders] = Self.exposed
  }

  static let exposed = """
    Accept-Ranges, Content-Disposition, Content-Range, ETag, Location, RateLimit, RateLimit-Policy, Retry-After, \
    Tus-Checksum-Algorithm, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Concat, Upload-Expires, \
    Upload-Length, Upload-Media, Upload-Metadata, Upload-Offset, X-Request-ID
    """

  private func allows(_ request: Request) -> Bool { request.headers[.origin].map { allows($0) } ?? false }

  func allows(_ origin: String) -> Bool { origins.contains("*") || origins.contains(origin) }
}
