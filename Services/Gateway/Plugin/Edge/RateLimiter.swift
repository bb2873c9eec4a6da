import Contracts
import HTTPServing
import HTTPTypes
import HummingbirdCore
import RedisClient
import ServiceKit

/// Limits how often requests of a class are sent. Each one is charged to several callers:
///
/// - its user, and the network of the user: an IPv4 address or a /64 of IPv6, with a multiple of a user's allowance,
///   because many users may share it;
/// - or the network alone, with one user's allowance for all who are no users: guests, who are made for nothing,
///   requests without a token, and those whose token is refused. They take nothing from the users of the network.
///
/// A token that may be forged is charged to its network before it is verified, so that it costs its sender more than the
/// gateway. That allowance is separate from the others and not asked for tokens of ``KnownSessions``.
struct RateLimiter: Sendable {
  private let limits: [RequestClass: RateLimit]
  private let networkLimits: [RequestClass: RateLimit]
  private let time: TimeSource
  private let local = LocalBuckets()
  private let redis: RedisBuckets?
  private let refusals = LocalBuckets()

  /// After so many refusals, those that follow close their connections.
  private static let tolerated = RateLimit(30, per: 60, pause: .untilOneIsForgotten)

  init(_ environment: ServiceEnvironment, redis: RedisClient?) throws {
    let settings = environment.settings
    limits = [
      .signIn: try settings[GatewaySettings.signInRate], .session: try settings[GatewaySettings.sessionRate],
      .guest: try settings[GatewaySettings.guestRate],
      .read: try settings[GatewaySettings.readRate], .search: try settings[GatewaySettings.searchRate],
      .costly: try settings[GatewaySettings.costlyRate], .write: try settings[GatewaySettings.writeRate],
    ]
    let factor = try settings[GatewaySettings.networkFactor]
    networkLimits = limits.filter { !$0.key.isOfAddress }.mapValues { $0.multiplied(by: factor) }
    time = environment.time
    self.redis = redis.map { RedisBuckets($0) }
  }

  var dependencies: [Dependency] {
    redis.map { redis in
      [
        Dependency("redis", setting: GatewaySettings.redisURL.key, without: "rate limits apply per gateway") {
          try await redis.check()
        }
      ]
    } ?? []
  }

  /// The result of a check, reported in the response headers.
  struct Outcome: Sendable {
    fileprivate var policy: String
    var limit: RateLimit
    var verdict: RateLimit.Verdict

    /// `draft-ietf-httpapi-ratelimit-headers-10`.
    func write(to headers: inout HTTPFields) {
      headers.append(HTTPField(name: .rateLimitPolicy, value: policyValue))
      headers.append(HTTPField(name: .rateLimit, value: value))
    }

    /// The value of `RateLimit-Policy`.
    var policyValue: String { "\"\(policy)\";q=\(limit.count);w=\(limit.seconds)" }
    /// The value of `RateLimit`.
    var value: String { "\"\(policy)\";r=\(verdict.remaining);t=\(verdict.seconds)" }
  }

  // MARK: charging

  /// Charges a request that carries no token.
  ///
  /// - Returns: `nil` when the caller is not limited, such as another part of this process.
  func chargeAnonymous(_ kind: RequestClass, _ context: RequestContext) async -> Outcome? {
    guard let network = Self.network(context) else { return nil }
    return await take([anonymous(kind, network)])
  }

  /// Charges the network of a request whose token has not been verified yet.
  ///
  /// - Parameter isKnown: Whether the token seems to be one of a session whose tokens have been genuine.
  func chargeBeforeVerification(_ kind: RequestClass, isKnown: Bool, _ context: RequestContext) async -> Outcome? {
    guard let network = Self.network(context) else { return nil }
    if kind.isOfAddress { return await take([anonymous(kind, network)]) }
    return isKnown ? nil : await take([unverified(kind, network)])
  }

  /// Charges a request for new tokens to the session whose genuine token has expired, as it has when it is refreshed.
  func chargeExpired(_ session: SessionID, _ kind: RequestClass, _ context: RequestContext) async -> Outcome? {
    guard Self.network(context) != nil else { return nil }
    return await take([charge(kind, "\(kind.rawValue) of \(session)", limits[kind])])
  }

  /// Charges the sender of a request whose token has been verified or refused.
  func chargeAfterVerification(_ kind: RequestClass, _ context: RequestContext) async -> Outcome? {
    await take(charges(kind, context.user, Self.network(context)))
  }

  /// The same without waiting, for a gateway that does not share its limits. A token has been verified before, or there
  /// is none.
  func chargeNow(_ kind: RequestClass, _ user: UserCaller?, network: String?) -> Outcome? {
    let charges = charges(kind, user, network).compactMap(\.self)
    return outcome(charges, localVerdicts(charges))
  }

  /// Whether other gateways have to be asked.
  var isShared: Bool { redis != nil }

  private func charges(_ kind: RequestClass, _ user: UserCaller?, _ network: String?) -> [Charge?] {
    if let user, !user.roles.contains(.guest) {
      // In this order: what is refused to a user takes nothing from the others of the network.
      let own = charge(kind, "\(kind.rawValue) user \(user.id)", limits[kind])
      return [own, network.flatMap { whole(kind, $0) }]
    }
    return kind.isOfAddress ? [] : [network.flatMap { anonymous(kind, $0) }]
  }

  /// Notes that a request was refused.
  ///
  /// - Returns: Whether its connection should be closed, because its sender does not stop. That of a proxy, which others
  ///   use too, should not.
  func refused(_ context: RequestContext) -> Bool {
    Self.network(context).map { refused($0, remoteAddress: context.remoteAddress) } ?? false
  }

  func refused(_ network: String, remoteAddress: String?) -> Bool {
    guard remoteAddress.map({ ClientNetwork.of($0) }) == network else { return false }
    return !refusals.take(network, Self.tolerated, at: time.now()).isAllowed
  }

  private static func network(_ context: RequestContext) -> String? {
    context.clientAddress.map { ClientNetwork.of($0) }
  }

  // MARK: buckets

  private struct Charge {
    var policy: String
    var key: String
    var limit: RateLimit
  }

  private func anonymous(_ kind: RequestClass, _ network: String) -> Charge? {
    charge(kind, "\(kind.rawValue) address \(network)", limits[kind])
  }

  private func whole(_ kind: RequestClass, _ network: String) -> Charge? {
    charge(kind, "\(kind.rawValue) network \(network)", networkLimits[kind], policy: "\(kind.rawValue)-network")
  }

  private func unverified(_ kind: RequestClass, _ network: String) -> Charge? {
    charge(kind, "\(kind.rawValue) unverified \(network)", networkLimits[kind], policy: "\(kind.rawValue)-unverified")
  }

  private func charge(_ kind: RequestClass, _ key: String, _ limit: RateLimit?, policy: String? = nil) -> Charge? {
    guard let limit, !limit.isUnlimited else { return nil }
    return Charge(policy: policy ?? kind.rawValue, key: key, limit: limit)
  }

  /// Takes from each bucket, up to the first one that has nothing left.
  ///
  /// - Returns: That of the first bucket, unless another one refuses.
  private func take(_ charges: [Charge?]) async -> Outcome? {
    let charges = charges.compactMap(\.self)
    return charges.isEmpty ? nil : outcome(charges, await verdicts(charges))
  }

  private func outcome(_ charges: [Charge], _ verdicts: [RateLimit.Verdict]) -> Outcome? {
    guard let first = charges.first else { return nil }
    for (charge, verdict) in zip(charges, verdicts) where !verdict.isAllowed {
      return Outcome(policy: charge.policy, limit: charge.limit, verdict: verdict)
    }
    return verdicts.first.map { Outcome(policy: first.policy, limit: first.limit, verdict: $0) }
  }

  private func verdicts(_ charges: [Charge]) async -> [RateLimit.Verdict] {
    if let redis {
      // Limits per gateway are better than no limits.
      if let verdicts = try? await redis.take(charges.map { ($0.key, $0.limit) }) { return verdicts }
    }
    return localVerdicts(charges)
  }

  private func localVerdicts(_ charges: [Charge]) -> [RateLimit.Verdict] {
    let now = time.now()
    var verdicts: [RateLimit.Verdict] = []
    for charge in charges where verdicts.last?.isAllowed ?? true {
      verdicts.append(local.take(charge.key, charge.limit, at: now))
    }
    return verdicts
  }
}

extension HTTPField.Name {
  fileprivate static let rateLimit = Self(known: "RateLimit")
  fileprivate static let rateLimitPolicy = Self(known: "RateLimit-Policy")
}
