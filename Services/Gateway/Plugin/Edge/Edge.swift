import Contracts
import HTTPTypes
import HummingbirdCore
import ServiceKit

/// The gateway's middleware: rate limits, CORS, security headers and compression.
struct Edge: Feature {
  let tokens: TokenVerifier
  let limiter: RateLimiter
  let cors: CORS

  func register(in routes: inout Routes) {
    routes.middleware { request, context, next in await pass(request, context, next) }
  }

  private func pass(
    _ request: Request,
    _ context: RequestContext,
    _ next: @Sendable (RequestContext) async -> Response
  ) async -> Response {
    var context = context
    if let token = BearerToken.read(request.headers[values: .authorization]) {
      context.user = try? await tokens.verify(token)
    }
    let outcome = await limiter.check(request, context)
    var response: Response
    if let outcome, !outcome.verdict.isAllowed {
      let problem = Problem(.tooManyRequests, retryAfter: outcome.verdict.seconds)
      response = .problem(problem, trace: context.trace)
    } else if let preflight = cors.preflight(request) {
      response = preflight
    } else {
      response = await next(context)
    }
    outcome?.write(to: &response.headers)
    cors.complete(&response.headers, for: request)
    Self.secure(&response.headers, request)
    Compression.apply(to: &response, for: request)
    return response
  }

  /// OWASP's "HTTP Headers Cheat Sheet" for an API; an HTML page sets its own policy.
  private static func secure(_ headers: inout HTTPFields, _ request: Request) {
    for field in always { headers[field.name] = field.value }
    if !headers.contains(.contentSecurityPolicy) { headers.append(policyOfData) }
    if request.head.scheme == "https" { headers[.strictTransportSecurity] = "max-age=31536000" }
    if request.headers.contains(.authorization), !headers.contains(.cacheControl) {
      headers.append(HTTPField(name: .cacheControl, value: "no-store"))
    }
  }

  private static let always = [
    HTTPField(name: .xContentTypeOptions, value: "nosniff"), HTTPField(name: .referrerPolicy, value: "no-referrer"),
    HTTPField(name: .xFrameOptions, value: "DENY"),
  ]
  private static let policyOfData = HTTPField(
    name: .contentSecurityPolicy,
    value: "default-src 'none'; frame-ancestors 'none'"
  )
}

extension HTTPField.Name {
  fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .xContentTypeOptions
  fileprivate static let xFrameOptions = HTTPField.Name("X-Frame-Options") ?? .xContentTypeOptions
}
