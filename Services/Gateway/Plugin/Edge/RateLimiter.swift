import Contracts
import HTTPTypes
import HummingbirdCore
import Logging
import ServiceKit
import RedisClient

/// Limits the rate of requests per user, or per address for anonymous requests, and by kind of request.
struct RateLimiter: Sendable {
  enum Kind: String, Sendable {
    case signIn = "sign-in"
    case read
    /// Reads that search texts, which cost some times as much as others.
    case search
    case write

    init(_ request: Request) {
      let isRead = request.method == .get || request.method == .head
      let isSignIn = request.method == .post && request.head.path?.hasPrefix("/v1/auth/") == true
      if isRead {
        self = Self.searches(request.head.path ?? "") ? .search : .read
      } else {
        self = isSignIn ? .signIn : .write
      }
    }

    /// Whether a target has a `query`, by which all endpoints that search take their words.
    private static func searches(_ target: String) -> Bool {
      guard let start = target.firstIndex(of: "?") else { return false }
      let query = PercentCoding.query(target[target.index(after: start)...])
      return query?.contains { $0.name == "query" && !$0.value.isEmpty } ?? false
    }
  }

  private let limits: [Kind: RateLimit]
  private let time: TimeSource
  private let local = LocalBuckets()
  private let redis: RedisBuckets?
  private let logger: Logger

  init(_ environment: ServiceEnvironment, redis: RedisClient?) throws {
    let settings = environment.settings
    limits = [
      .signIn: try settings[GatewaySettings.signInRate], .read: try settings[GatewaySettings.readRate],
      .search: try settings[GatewaySettings.searchRate], .write: try settings[GatewaySettings.writeRate],
    ]
    time = environment.time
    logger = environment.logger
    self.redis = redis.map { RedisBuckets($0) }
  }

  /// The result of a check, reported in the response headers.
  struct Outcome: Sendable {
    var kind: Kind
    var limit: RateLimit
    var verdict: RateLimit.Verdict

    /// `draft-ietf-httpapi-ratelimit-headers-10`.
    func write(to headers: inout HTTPFields) {
      let policy = "\"\(kind.rawValue)\";q=\(limit.count);w=\(limit.seconds)"
      let state = "\"\(kind.rawValue)\";r=\(verdict.remaining);t=\(verdict.seconds)"
      headers.append(HTTPField(name: .rateLimitPolicy, value: policy))
      headers.append(HTTPField(name: .rateLimit, value: state))
    }
  }

  /// `nil` when the caller is not limited, such as another part of this process.
  func check(_ request: Request, _ context: RequestContext) async -> Outcome? {
    let kind = Kind(request)
    guard let limit = limits[kind], !limit.isUnlimited, let caller = caller(context, kind) else {
      return nil
    }
    let key = "\(kind.rawValue) \(caller)"
    let now = time.now()
    if let redis {
      do { return Outcome(kind: kind, limit: limit, verdict: try await redis.take(key, limit)) } catch {
        // Limits per gateway are better than no limits.
        logger.warning("Redis is unavailable; rate limits apply per gateway")
      }
    }
    return Outcome(kind: kind, limit: limit, verdict: local.take(key, limit, at: now))
  }

  private func caller(_ context: RequestContext, _ kind: Kind) -> String? {
    if kind != .signIn, let user = context.user { return "user \(user.id)" }
    return context.clientAddress.map { "address \(ClientNetwork.of($0))" }
  }
}

extension HTTPField.Name {
  fileprivate static let rateLimit = HTTPField.Name("RateLimit") ?? .retryAfter
  fileprivate static let rateLimitPolicy = HTTPField.Name("RateLimit-Policy") ?? .retryAfter
}
