import Contracts
import HTTPServing
import HTTPTypes
import HummingbirdCore
import ServiceKit
import WebClient

/// The gateway's middleware: rate limits, HTTPS, CORS, security headers and compression.
struct Edge: Feature {
  let tokens: TokenVerifier
  let limiter: RateLimiter
  let cors: CORS
  let plainHTTP: PlainHTTP
  let publicURL: String
  let hosts: WebHosts
  let time: TimeSource
  let sessions = KnownSessions()

  func register(in routes: inout Routes) {
    routes.middleware { request, context, next in await pass(request, context, next) }
  }

  var dependencies: [Dependency] { limiter.dependencies }

  private func pass(
    _ request: Request,
    _ context: RequestContext,
    _ next: @Sendable (RequestContext) async -> Response
  ) async -> Response {
    var context = context
    let outcome = await charge(request, &context)
    var response: Response
    if let outcome, !outcome.verdict.isAllowed {
      let problem = Problem(.tooManyRequests, retryAfter: outcome.verdict.seconds)
      response = .problem(problem, trace: context.trace)
      if limiter.refused(context) { context.closeConnection(after: &response) }
    } else if let answer = plainHTTP.answer(request, context, at: address(of: request)) {
      response = answer
    } else if let preflight = cors.preflight(request) {
      response = preflight
    } else {
      response = await next(context)
    }
    outcome?.write(to: &response.headers)
    cors.complete(&response.headers, for: request)
    Self.secure(&response.headers, request, context)
    Compression.apply(to: &response, for: request)
    return response
  }

  /// An app with a host of its own is nowhere else.
  private func address(of request: Request) -> String { hosts.publicURL(of: request.head.authority) ?? publicURL }

  /// Charges a request to its callers. Its token is verified as soon as the network has paid for that, unless the session
  /// is known.
  private func charge(_ request: Request, _ context: inout RequestContext) async -> RateLimiter.Outcome? {
    await charge(
      RequestClass(request, cost: context.cost), BearerToken.read(request.headers[values: .authorization]), &context)
  }

  /// - Parameter token: `nil` when the request has none.
  func charge(_ kind: RequestClass, _ token: Substring?, _ context: inout RequestContext) async -> RateLimiter.Outcome?
  {
    guard let token else { return await limiter.chargeAnonymous(kind, context) }
    let now = time.now()
    let claims = KnownSessions.Claims(token)
    let isKnown = sessions.contain(claims, at: now)
    let before = await limiter.chargeBeforeVerification(kind, isKnown: isKnown, context)
    if let before, !before.verdict.isAllowed { return before }
    do {
      let user = try await tokens.verify(token)
      sessions.add(user.sessionID, at: now)
      context.user = user
    } catch {
      let problem = error as? Problem ?? Problem(.tokenInvalid)
      // While auth's keys cannot be had, nothing is known of the token.
      if isKnown, let claims, problem.status == 401 { sessions.remove(claims.sid) }
      context.tokenProblem = problem
      // Its signature has been found genuine, so its session is the one that it names.
      if kind == .session, problem.is(.tokenExpired), let claims {
        return await limiter.chargeExpired(claims.sid, kind, context) ?? before
      }
    }
    return await limiter.chargeAfterVerification(kind, context) ?? before
  }

  /// Adds ``ConstantFields``, and what depends on the request.
  private static func secure(_ headers: inout HTTPFields, _ request: Request, _ context: RequestContext) {
    for field in ConstantFields.always { headers[field.name] = field.value }
    if !headers.contains(.contentSecurityPolicy) { headers.append(ConstantFields.policyOfData) }
    if context.isSecure { headers[.strictTransportSecurity] = transportSecurity }
    // Tokens are in the responses of auth. What does not say that it may be kept is personal, or may become so.
    if request.uri.path.hasPrefix("/v1/auth/") || !headers.contains(.cacheControl) {
      headers[.cacheControl] = "no-store"
    }
  }

  static let transportSecurity = "max-age=31536000; includeSubDomains"
}
