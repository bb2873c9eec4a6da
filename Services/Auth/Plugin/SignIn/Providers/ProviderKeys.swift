import Contracts
import CurlClient
import Foundation
import HTTPTypes
import JWTKit
import ServiceKit
import Synchronization

/// A provider's public keys: found by discovery, cached as long as their `Cache-Control` allows, and fetched again when
/// a token names an unknown key, with one request at a time. The cached keys stay in use while the provider is
/// unreachable.
final class ProviderKeys: Sendable {
  struct Key: Sendable {
    let id: String
    /// `RS256` or `ES256`.
    let algorithm: String
    let verifier: JWTKeyCollection
  }

  private struct State {
    var keys: [String: Key] = [:]
    var freshUntil: Timestamp?
    var askedAt: Timestamp?
    var refresh: Task<Void, any Error>?

    func find(_ id: String?) -> Key? { id.map { keys[$0] } ?? (keys.count == 1 ? keys.values.first : nil) }
  }

  private let issuer: String
  private let http: CurlClient
  private let seconds: Double
  private let time: TimeSource
  private let state = Mutex(State())

  /// Minimum interval of fetches for unknown keys, in seconds, so that forged tokens cannot cause a flood of requests.
  private static let unknownKeyInterval = 10.0
  private static let minLife = 60.0
  private static let maxLife = 86_400.0
  private static let answerLimit = 256 * 1024

  /// - Parameter seconds: How long each request to the provider may take.
  init(issuer: String, http: CurlClient, seconds: Double, time: TimeSource) {
    self.issuer = issuer
    self.http = http
    self.seconds = seconds
    self.time = time
  }

  /// The key with that id; without an id, the provider's only key (OpenID Connect Core 1.0 §10.1).
  /// - Throws: ``Problem`` 401 when the provider has no such key, 503 when it is unreachable and the key is not cached.
  func key(_ id: String?) async throws -> Key {
    let now = time.now()
    let (known, isFresh, mayAsk) = state.withLock { state in
      let isFresh = state.freshUntil.map { $0 > now } ?? false
      let mayAsk = state.askedAt.map { now.seconds(since: $0) >= Self.unknownKeyInterval } ?? true
      return (state.find(id), isFresh, mayAsk)
    }
    if let known, isFresh || !mayAsk { return known }
    guard mayAsk || !isFresh && known == nil else { throw Problem(.idTokenKeyUnknown) }
    do { try await refresh() } catch {
      if let known { return known }
      throw Problem(.unavailable, detail: "The sign-in provider cannot be reached.", retryAfter: 5)
    }
    guard let key = state.withLock({ $0.find(id) }) else { throw Problem(.idTokenKeyUnknown) }
    return key
  }

  private func refresh() async throws {
    let task = state.withLock { state in
      if let running = state.refresh { return running }
      state.askedAt = time.now()
      let task = Task {
        defer { self.state.withLock { $0.refresh = nil } }
        try await fetch()
      }
      state.refresh = task
      return task
    }
    try await task.value
  }

  // MARK: discovery

  private struct Description: Decodable {
    var issuer: String
    var jwksURI: String
    private enum CodingKeys: String, CodingKey {
      case issuer
      case jwksURI = "jwks_uri"
    }
  }

  private struct KeySet: Decodable {
    struct Member: Decodable {
      var kty: String
      var kid: String?
      var use: String?
      var alg: String?
      var n: String?
      var e: String?
      var crv: String?
      var x: String?
      var y: String?
    }
    var keys: [Member]
  }

  private struct Unusable: Error {}

  private func fetch() async throws {
    let (description, _) = try await get(
      (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration",
      Description.self
    )
    // OpenID Connect Discovery §4.3: the issuer must match, otherwise another issuer's document would be accepted.
    guard description.issuer == issuer else { throw Unusable() }
    let (set, life) = try await get(description.jwksURI, KeySet.self)
    var keys: [String: Key] = [:]
    for member in set.keys where member.use ?? "sig" == "sig" {
      if let key = try? await Self.key(of: member) { keys[key.id] = key }
    }
    guard !keys.isEmpty else { throw Unusable() }
    state.withLock { [keys] state in
      state.keys = keys
      state.freshUntil = time.now().advanced(bySeconds: life)
    }
  }

  /// A verifier with a single key, so that a token's header cannot select another one.
  private static func key(of member: KeySet.Member) async throws -> Key {
    let id = member.kid ?? ""
    let verifier = JWTKeyCollection()
    switch member.kty {
    case "RSA" where member.alg ?? "RS256" == "RS256":
      guard let n = member.n, let e = member.e, let modulus = Base64URL.decode(n), modulus.count >= 256 else {
        throw Unusable()
      }
      await verifier.add(rsa: try Insecure.RSA.PublicKey(modulus: n, exponent: e), digestAlgorithm: .sha256)
      return Key(id: id, algorithm: "RS256", verifier: verifier)
    case "EC" where member.alg ?? "ES256" == "ES256" && member.crv == "P-256":
      guard let x = member.x, let y = member.y else { throw Unusable() }
      await verifier.add(ecdsa: try ES256PublicKey(parameters: (x: x, y: y)))
      return Key(id: id, algorithm: "ES256", verifier: verifier)
    default: throw Unusable()
    }
  }

  private func get<Value: Decodable>(_ url: String, _ type: Value.Type) async throws -> (Value, life: Double) {
    guard let parts = URLComponents(string: url), let scheme = parts.scheme, let host = parts.host,
      scheme == "https" || issuer.hasPrefix("http://")
    else { throw Unusable() }
    let origin = "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
    let target =
      (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath)
      + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    let response = try await http.execute(
      ClientRequest(
        .get,
        origin: origin,
        target: target,
        headers: [.accept: "application/json"],
        timeouts: .init(firstByte: seconds, total: seconds),
        responseLimit: Self.answerLimit,
        decompresses: true,
        isRepeatable: true
      )
    )
    guard response.status == 200 else { throw Unusable() }
    let body = try await response.body.collect(upTo: Self.answerLimit)
    let value = try WireJSON.decode(type, from: body)
    return (value, Self.life(response.headers[.cacheControl]))
  }

  /// `max-age` (RFC 9111 §5.2.2.1) in seconds, clamped to the bounds; an hour when it is absent.
  static func life(_ cacheControl: String?) -> Double {
    let age = cacheControl?.split(separator: ",").lazy.compactMap { part -> Double? in
      let pair = part.split(separator: "=").map { $0.trimmingCharacters(in: .whitespaces) }
      return pair.count == 2 && pair[0].lowercased() == "max-age" ? Double(pair[1]) : nil
    }.first
    return min(maxLife, max(minLife, age ?? 3600))
  }
}
