import Contracts
import HTTPTypes
import HummingbirdCore
import ServiceKit

/// What every request and every answer of the gateway passes: rate limits, CORS, security headers, compression.
struct Edge: Sendable {
  let limiter: RateLimiter
  let cors: CORS

  func pass(
    _ request: Request,
    _ context: RequestContext,
    _ next: @Sendable () async -> Response
  ) async -> Response {
    let outcome = await limiter.check(request, context)
    var response: Response
    if let outcome, !outcome.verdict.isAllowed {
      let problem = Problem(.tooManyRequests, retryAfter: outcome.verdict.seconds)
      response = .problem(problem, trace: context.trace)
    } else if let preflight = cors.preflight(request) {
      response = preflight
    } else {
      response = await next()
    }
    outcome?.write(to: &response.headers)
    cors.complete(&response.headers, for: request)
    Self.secure(&response.headers, request)
    Compression.apply(to: &response, for: request)
    return response
  }

  /// OWASP's "HTTP Headers Cheat Sheet" for an API; a page of its own sets its own policy.
  private static func secure(_ headers: inout HTTPFields, _ request: Request) {
    headers[.xContentTypeOptions] = "nosniff"
    if headers[.contentSecurityPolicy] == nil {
      headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
    }
    headers[.referrerPolicy] = "no-referrer"
    headers[.xFrameOptions] = "DENY"
    if request.head.scheme == "https" { headers[.strictTransportSecurity] = "max-age=31536000" }
    if request.headers.contains(.authorization), headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
  }
}

extension HTTPField.Name {
  fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .xContentTypeOptions
  fileprivate static let xFrameOptions = HTTPField.Name("X-Frame-Options") ?? .xContentTypeOptions
}
