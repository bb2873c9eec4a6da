public import Contracts
import Crypto
import Foundation
import JWTKit
import Synchronization

/// Verifies access tokens: ES256 signature by a key of auth, issuer, type, audience, times, and session revocation.
///
/// Verified tokens are cached by their SHA-256 until they expire, because a signature check costs as much as a whole
/// proxied request.
public final class TokenVerifier: Sendable {
  private struct State {
    var verified: [SHA256Digest: UserCaller] = [:]
    var revoked: [SessionID: Timestamp] = [:]
    var refresh: Task<Void, any Error>?
    var keysAskedAt: Timestamp?
  }

  /// Tolerated clock skew between machines, in seconds.
  static let leeway = 5.0
  /// Maximum number of cached tokens.
  static let capacity = 100_000
  /// Minimum interval between requests for unknown keys, in seconds.
  static let keyInterval = 5.0

  private let time: TimeSource
  private let keys = JWTKeyCollection()
  private let knownKeys = Mutex<Set<String>>([])
  private let fetchKeys: @Sendable () async throws -> JSONWebKeySet
  private let state = Mutex(State())

  /// - Parameter fetchKeys: Fetches auth's public keys.
  public init(time: TimeSource, fetchKeys: @escaping @Sendable () async throws -> JSONWebKeySet) {
    self.time = time
    self.fetchKeys = fetchKeys
  }

  /// Verifies a token and returns its user.
  /// - Throws: ``Problem`` 401 with the kind of failure; 503 when auth's keys are unavailable.
  public func verify(_ token: Substring) async throws -> UserCaller {
    let digest = SHA256.hash(data: Data(token.utf8))
    let now = time.now()
    let (known, isRevoked) = state.withLock { state in
      let known = state.verified[digest]
      return (known, known.map { state.revoked[$0.sessionID] != nil } ?? false)
    }
    if let known {
      if isRevoked { throw Problem(.sessionRevoked) }
      guard known.expiresAt > now else { throw Problem(.tokenExpired) }
      return known
    }
    let caller = try await check(token, at: now)
    try state.withLock { state in
      if state.revoked[caller.sessionID] != nil { throw Problem(.sessionRevoked) }
      if state.verified.count >= Self.capacity {
        state.verified = state.verified.filter { $0.value.expiresAt > now }
        if state.verified.count >= Self.capacity { state.verified = [:] }
      }
      state.verified[digest] = caller
    }
    return caller
  }

  /// Whether a user's verified token is still valid: it has not expired and its session has not been revoked.
  public func isValid(_ session: SessionID, until expiry: Timestamp) -> Bool {
    expiry > time.now() && state.withLock { $0.revoked[session] == nil }
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
    guard claims.iss == Issuer.name, let caller = claims.caller(),
      Double(claims.iat) <= Double(now.unixSeconds) + Self.leeway
    else { throw Problem(.tokenInvalid) }
    guard caller.expiresAt > now else { throw Problem(.tokenExpired) }
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

  /// Fetches auth's keys when this one is unknown; one request at a time, at most every ``keyInterval`` seconds.
  private func needKey(_ kid: String, at now: Timestamp) async throws {
    if knownKeys.withLock({ $0.contains(kid) }) { return }
    let task = state.withLock { state -> Task<Void, any Error>? in
      if let running = state.refresh { return running }
      if let last = state.keysAskedAt, now.seconds(since: last) < Self.keyInterval { return nil }
      state.keysAskedAt = now
      let task = Task { try await self.loadKeys() }
      state.refresh = task
      return task
    }
    guard let task else {
      // Another request may have fetched it since this one looked.
      guard knownKeys.withLock({ $0.contains(kid) }) else { throw Problem(.tokenInvalid) }
      return
    }
    do {
      try await task.value
    } catch {
      state.withLock { state in
        state.refresh = nil
        state.keysAskedAt = nil
      }
      throw Problem(.unavailable, detail: "The token verification keys are unavailable.", retryAfter: 1)
    }
    state.withLock { $0.refresh = nil }
    guard knownKeys.withLock({ $0.contains(kid) }) else { throw Problem(.tokenInvalid) }
  }

  private func loadKeys() async throws {
    let set = try await fetchKeys()
    for key in set.keys where key.kty == "EC" && key.crv == "P-256" && key.alg == "ES256" {
      let publicKey = try ES256PublicKey(parameters: (x: key.x, y: key.y))
      await keys.add(ecdsa: publicKey, kid: JWKIdentifier(string: key.kid))
    }
    let kids = Set(set.keys.map(\.kid))
    let retired = knownKeys.withLock { known in
      defer { known = kids }
      return known.subtracting(kids)
    }
    for kid in retired { await keys.remove(kid: JWKIdentifier(string: kid)) }
  }

  // MARK: sessions

  /// Rejects the tokens of revoked sessions from now on; removes sessions whose tokens have all expired.
  func revoke(_ sessions: [RevokedSession], tokenLifetime: Double) {
    let forgotten = time.now().advanced(bySeconds: -tokenLifetime)
    state.withLock { state in
      for session in sessions { state.revoked[session.id] = session.revokedAt }
      if state.revoked.count > 1000 { state.revoked = state.revoked.filter { $0.value > forgotten } }
    }
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
