import Contracts
import Crypto
import Foundation
import Logging
import Synchronization

/// Authenticates calls between services by short-lived tokens, which each service signs with a key of its own.
///
/// The called service knows the public keys of each caller (``ServiceTrust``). So a service that has been broken into can
/// say what it likes in its own name, and nothing in the name of another one.
public final class ServiceIdentity: Sendable {
  private struct Verified {
    var claims: ServiceToken.Claims
    var keyID: String
  }

  private struct State {
    var issued: [String: (token: String, keyID: String, until: Timestamp)] = [:]
    var verified: [SHA256Digest: Verified] = [:]
    /// The services of this process, and those that tests pretend to be.
    var own: [String: ServiceKeys]
  }

  /// How long a token is valid, in seconds.
  static let lifetime = 60.0
  private static let maxIssued = 1000
  private static let maxVerified = 10_000

  private let trust: ServiceTrust
  let time: TimeSource
  private let state: Mutex<State>

  /// - Parameter own: The keys of the services of this process.
  init(_ own: [String: ServiceKeys], trust: ServiceTrust, time: TimeSource) {
    (self.trust, self.time) = (trust, time)
    state = Mutex(State(own: own))
  }

  /// The identity of services that know no service outside this process.
  static func inMemory(_ services: [String] = [], time: TimeSource) -> ServiceIdentity {
    let own = Dictionary(services.map { ($0, ServiceKeys.inMemory()) }) { first, _ in first }
    let logger = Logger(label: "host") { _ in SwiftLogNoOpLogHandler() }
    return ServiceIdentity(own, trust: ServiceTrust(ServiceTrust.Sources(), logger: logger), time: time)
  }

  /// The public keys of a service of this process.
  func published(by service: String) -> JSONWebKeySet {
    let keys = state.withLock { $0.own[service] }?.published(at: time.now()) ?? []
    return JSONWebKeySet(keys: keys.map(\.webKey))
  }

  /// Reads this service's key files again, and the keys of the others.
  func refresh() async throws {
    await trust.refreshAll()
    for keys in state.withLock({ Array($0.own.values) }) { try keys.reload() }
  }

  /// Lets this process call in the name of a service that is not in it; for tests.
  package func pretend(_ service: String) {
    state.withLock { state in
      if state.own[service] == nil { state.own[service] = .inMemory() }
    }
  }

  // MARK: calls

  /// Returns a token for calls from `caller` to `audience`; cached for half of its lifetime.
  /// - Throws: ``ServiceIdentity/NotOwn``.
  package func token(caller: String, audience: String) async throws -> String {
    let now = time.now()
    let pair = try signer(caller, at: now)
    let (name, keyID) = ("\(caller) \(audience)", pair.publicKey.id)
    if let known = state.withLock({ $0.issued[name] }), known.until > now, known.keyID == keyID { return known.token }
    let claims = ServiceToken.Claims(
      sub: caller, aud: audience, iat: now.unixSeconds, exp: now.unixSeconds + Int64(Self.lifetime))
    let token = try ServiceToken.sign(claims, by: pair)
    state.withLock { state in
      if state.issued.count >= Self.maxIssued { state.issued = [:] }
      state.issued[name] = (token, keyID, now.advanced(bySeconds: Self.lifetime / 2))
    }
    return token
  }

  /// A service has no key in this process.
  struct NotOwn: Error, CustomStringConvertible {
    let service: String
    var description: String { "\(service) is not a service of this process" }
  }

  private func signer(_ service: String, at now: Timestamp) throws -> ServiceKeyRing.Pair {
    guard let keys = state.withLock({ $0.own[service] }) else { throw NotOwn(service: service) }
    return keys.signer(at: now)
  }

  /// Verifies a token and returns the calling service's name.
  /// - Throws: ``Problem`` 401; 503 while the caller's keys cannot be read.
  func verify(_ token: Substring, audience: String) async throws -> String {
    let now = time.now()
    let digest = SHA256.hash(data: Data(token.utf8))
    if let known = state.withLock({ $0.verified[digest] }), isKnown(known.keyID, of: known.claims.sub, at: now) {
      try Self.check(known.claims, audience, at: now)
      return known.claims.sub
    }
    guard let parsed = ServiceToken(token) else { throw Problem(.tokenInvalid) }
    // Checks that cost nothing come before those that read keys.
    try Self.check(parsed.claims, audience, at: now)
    guard parsed.isSigned(by: try await key(parsed.keyID, of: parsed.claims.sub, at: now)) else {
      throw Problem(.tokenInvalid)
    }
    state.withLock { state in
      if state.verified.count >= Self.maxVerified {
        state.verified = state.verified.filter { $0.value.claims.exp > now.unixSeconds }
        if state.verified.count >= Self.maxVerified { state.verified = [:] }
      }
      state.verified[digest] = Verified(claims: parsed.claims, keyID: parsed.keyID)
    }
    return parsed.claims.sub
  }

  private static func check(_ claims: ServiceToken.Claims, _ audience: String, at now: Timestamp) throws(Problem) {
    let (lifetime, overflows) = claims.exp.subtractingReportingOverflow(claims.iat)
    guard claims.aud == audience, !overflows, lifetime <= Int64(Self.lifetime),
      claims.iat <= now.unixSeconds + Int64(TokenVerifier.leeway)
    else { throw Problem(.tokenInvalid) }
    guard claims.exp > now.unixSeconds else { throw Problem(.tokenExpired) }
  }

  private func ownKeys(_ service: String, at now: Timestamp) -> [ServicePublicKey]? {
    state.withLock { $0.own[service] }?.published(at: now)
  }

  private func isKnown(_ keyID: String, of service: String, at now: Timestamp) -> Bool {
    if let own = ownKeys(service, at: now) { return own.contains { $0.id == keyID } }
    return trust.known(keyID, of: service) != nil
  }

  private func key(_ keyID: String, of service: String, at now: Timestamp) async throws -> P256.Signing.PublicKey {
    // The services of this process know each other without being asked.
    if let key = ownKeys(service, at: now)?.first(where: { $0.id == keyID }) { return key.key }
    return try await trust.key(keyID, of: service, at: now)
  }

  // MARK: URLs

  /// Signs a text in the name of a service of this process.
  /// - Returns: The key's id and the signature.
  func sign(_ text: String, as service: String) throws -> String {
    let pair = try signer(service, at: time.now())
    let signature = try pair.key.signature(for: Data(text.utf8))
    return "\(pair.publicKey.id).\(Base64URL.encode(signature.rawRepresentation))"
  }

  /// Whether a service has signed a text.
  /// - Throws: ``Problem`` 503 while the service's keys cannot be read.
  func isSigned(_ text: String, _ signature: some StringProtocol, by service: String) async throws -> Bool {
    let parts = signature.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let raw = Base64URL.decode(parts[1]), raw.count == 64,
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
    else { return false }
    do {
      let key = try await key(String(parts[0]), of: service, at: time.now())
      return key.isValidSignature(signature, for: Data(text.utf8))
    } catch let problem as Problem {
      if problem.is(.tokenInvalid) { return false }
      throw problem
    }
  }
}
