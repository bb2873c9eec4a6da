public import Contracts
import Crypto
import Foundation
import JWTKit
import Synchronization

/// Verifies access tokens: ES256 signature by a key of auth, issuer, type, audience, times, and session revocation.
///
/// Verified tokens are cached by their SHA-256 until they expire, because a signature check costs as much as a whole
/// proxied request; those of a key that auth no longer publishes are dropped.
public final class TokenVerifier: Sendable {
  private struct State {
    var verified: [SHA256Digest: UserCaller] = [:]
    /// The keys that auth publishes.
    var kids: Set<String> = []
    var refresh: Task<Void, any Error>?
    var keysAskedAt: Timestamp?
  }

  /// Tolerated clock skew between machines, in seconds.
  static let leeway = 5.0
  /// The longest life of an access token, in seconds: the maximum of `auth.accessTokenSeconds`.
  public static let maxLifetime = 3600.0
  /// Maximum number of cached tokens.
  static let capacity = 100_000
  /// Minimum interval between requests for unknown keys, in seconds.
  static let keyInterval = 5.0

  private let time: TimeSource
  private let keys = JWTKeyCollection()
  private let fetchKeys: @Sendable () async throws -> JSONWebKeySet
  private let maxLifetime: Double
  private let state = Mutex(State())
  /// The sessions that have ended.
  let revocations: RevocationFeed
  /// When the sessions of verified tokens were last used.
  let uses = SessionUses()

  /// Creates a verifier that knows of no ended sessions.
  ///
  /// - Parameter fetchKeys: Fetches auth's public keys.
  public convenience init(time: TimeSource, fetchKeys: @escaping @Sendable () async throws -> JSONWebKeySet) {
    let none = RevocationFeed(time: time) { _ in RevokedSessions(items: [], next: time.now()) }
    self.init(time: time, revocations: none, fetchKeys: fetchKeys)
  }

  init(
    time: TimeSource,
    revocations: RevocationFeed,
    maxLifetime: Double = TokenVerifier.maxLifetime,
    fetchKeys: @escaping @Sendable () async throws -> JSONWebKeySet
  ) {
    self.time = time
    self.revocations = revocations
    self.maxLifetime = maxLifetime
    self.fetchKeys = fetchKeys
  }

  /// Verifies a token and returns its user.
  /// - Throws: ``Problem`` 401 with the kind of failure; 503 when auth's keys or the ended sessions are unavailable.
  public func verify(_ token: Substring) async throws -> UserCaller {
    let digest = SHA256.hash(data: Data(token.utf8))
    let now = time.now()
    if let known = state.withLock({ $0.verified[digest] }) {
      if revocations.contains(known.sessionID) { throw Problem(.sessionRevoked) }
      guard known.expiresAt > now else { throw Problem(.tokenExpired) }
      recordUse(known, at: now)
      return known
    }
    let caller = try await check(token, at: now)
    try await revocations.requireFirstRead()
    if revocations.contains(caller.sessionID) { throw Problem(.sessionRevoked) }
    try state.withLock { state in
      // The key may have been retired since the check.
      guard let kid = caller.keyID, state.kids.contains(kid) else { throw Problem(.tokenInvalid) }
      if state.verified.count >= Self.capacity {
        state.verified = state.verified.filter { $0.value.expiresAt > now }
        if state.verified.count >= Self.capacity { state.verified = [:] }
      }
      state.verified[digest] = caller
    }
    recordUse(caller, at: now)
    return caller
  }

  /// The user of a token that has been verified before and is still valid: nothing is awaited. `nil` for other tokens,
  /// which ``verify(_:)`` judges.
  ///
  /// - Parameter token: Its characters.
  package func known(_ token: UnsafeRawBufferPointer) -> UserCaller? {
    let digest = SHA256.hash(data: token)
    let now = time.now()
    guard let known = state.withLock({ $0.verified[digest] }), known.expiresAt > now,
      !revocations.contains(known.sessionID)
    else { return nil }
    recordUse(known, at: now)
    return known
  }

  private func recordUse(_ caller: UserCaller, at now: Timestamp) {
    if !caller.isClient { uses.record(caller.sessionID, at: now) }
  }

  /// Whether a user's verified token is still valid: it has not expired, its session has not ended and its key has not
  /// been retired.
  public func isValid(_ caller: UserCaller) -> Bool {
    caller.expiresAt > time.now() && !revocations.contains(caller.sessionID)
      && state.withLock { state in caller.keyID.map { state.kids.contains($0) } ?? true }
  }

  private func check(_ token: Substring, at now: Timestamp) async throws -> UserCaller {
    guard let header = Self.header(of: token), header.algorithm == "ES256", header.type == Issuer.accessTokenType,
      !header.hasCriticalExtensions, let kid = header.keyID
    else { throw Problem(.tokenInvalid) }
    try await needKey(kid, at: now)
    let claims: AccessClaims
    do {
      claims = try await keys.verify(String(token), as: AccessClaims.self)
    } catch {
      throw Problem(.tokenInvalid)
    }
    // A stolen key must not make tokens that outlive the list of ended sessions.
    let (lifetime, overflows) = claims.exp.subtractingReportingOverflow(claims.iat)
    guard claims.iss == Issuer.name, var caller = claims.caller(), !overflows, Double(lifetime) <= maxLifetime,
      Double(claims.iat) <= Double(now.unixSeconds) + Self.leeway
    else { throw Problem(.tokenInvalid) }
    guard caller.expiresAt > now else { throw Problem(.tokenExpired) }
    caller.keyID = kid
    return caller
  }

  private static func header(of token: Substring) -> JOSEHeader? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    // Only the canonical encoding is accepted: padding and other variants would be other strings with the same claims.
    guard parts.count == 3, Base64URL.decode(parts[1]) != nil, Base64URL.decode(parts[2])?.count == 64 else {
      return nil
    }
    return JOSEHeader(base64URL: parts[0])
  }

  // MARK: keys

  /// Reads auth's keys again, so that one that is no longer published loses its trust. Called every half minute; the
  /// first token makes the first request.
  func refreshKeys() async throws {
    if let task = state.withLock({ $0.kids.isEmpty ? nil : Self.begin(&$0, self) }) { try await task.value }
  }

  /// Fetches auth's keys when this one is unknown; one request at a time, at most every ``keyInterval`` seconds.
  private func needKey(_ kid: String, at now: Timestamp) async throws {
    let task = try state.withLock { state -> Task<Void, any Error>? in
      if state.kids.contains(kid) { return nil }
      if state.refresh == nil, let last = state.keysAskedAt, now.seconds(since: last) < Self.keyInterval {
        throw Problem(.tokenInvalid)
      }
      if state.refresh == nil { state.keysAskedAt = now }
      return Self.begin(&state, self)
    }
    guard let task else { return }
    do { try await task.value } catch {
      throw Problem(.unavailable, detail: "The token verification keys are unavailable.", retryAfter: 1)
    }
    guard state.withLock({ $0.kids.contains(kid) }) else { throw Problem(.tokenInvalid) }
  }

  /// The running request for the keys, or a new one.
  private static func begin(_ state: inout State, _ verifier: TokenVerifier) -> Task<Void, any Error> {
    if let running = state.refresh { return running }
    let task = Task { try await verifier.loadKeys() }
    state.refresh = task
    return task
  }

  private func loadKeys() async throws {
    var areKnown = false
    defer {
      state.withLock { state in
        state.refresh = nil
        // An unknown key is asked for again at once. Not later than the request ends: until then, nothing is known of it.
        if !areKnown { state.keysAskedAt = nil }
      }
    }
    let set = try await fetchKeys()
    var kids: Set<String> = []
    for key in set.keys where key.kty == "EC" && key.crv == "P-256" && key.alg == "ES256" {
      let publicKey = try ES256PublicKey(parameters: (x: key.x, y: key.y))
      await keys.add(ecdsa: publicKey, kid: JWKIdentifier(string: key.kid))
      kids.insert(key.kid)
    }
    let retired = state.withLock { [kids] state in
      let retired = state.kids.subtracting(kids)
      state.kids = kids
      if !retired.isEmpty { state.verified = state.verified.filter { !retired.contains($0.value.keyID ?? "") } }
      return retired
    }
    areKnown = true
    for kid in retired { await keys.remove(kid: JWKIdentifier(string: kid)) }
  }
}

/// Base64url without padding (RFC 4648 §5), as used in tokens.
public enum Base64URL {
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let standard = Data(bytes).base64EncodedString().utf8
    let characters = standard.prefix { $0 != UInt8(ascii: "=") }.map { character in
      switch character {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: character
      }
    }
    return String(decoding: characters, as: UTF8.self)
  }

  /// Returns `nil` for anything but canonical base64url.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var standard: [UInt8] = []
    standard.reserveCapacity(text.utf8.count + 3)
    for character in text.utf8 {
      switch character {
      case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
      case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
      default: standard.append(character)
      }
    }
    while standard.count % 4 != 0 { standard.append(UInt8(ascii: "=")) }
    guard let data = Data(base64Encoded: Data(standard)), encode(data) == text else { return nil }
    return Array(data)
  }
}
