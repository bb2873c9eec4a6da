import Contracts
import Crypto
import Foundation

/// The key pairs of one service in the order of their use: which one signs at a time, and which are published.
///
/// A new key is published before it signs, so that every called service knows it by then, and an old one stays published
/// until nothing that it signed is still valid.
struct ServiceKeyRing: Sendable {
  /// A key pair and the time from which it signs.
  struct Pair: Sendable {
    let signsFrom: Int64
    let key: P256.Signing.PrivateKey
    let publicKey: ServicePublicKey

    init(signsFrom: Int64, key: P256.Signing.PrivateKey) {
      (self.signsFrom, self.key, publicKey) = (signsFrom, key, ServicePublicKey(key.publicKey))
    }
  }

  /// How long a new key is published before it signs, in seconds: several times ``ServiceTrust/interval``.
  static let announcedSeconds: Int64 = 60
  /// How long a replaced key stays published, in seconds: longer than any token or URL that it signed is valid.
  static let keptSeconds: Int64 = 600
  /// The longest that what a key signs may be valid, in seconds.
  static let maxSignedSeconds = 300.0
  private static let maxKeys = 8

  /// The earliest first; never empty.
  private(set) var pairs: [Pair]

  /// - Parameter keys: Of which the first signs now and all are published; at least one.
  init(_ keys: [P256.Signing.PrivateKey]) {
    pairs = keys.reversed().map { Pair(signsFrom: 0, key: $0) }
  }

  private init(pairs: [Pair]) { self.pairs = pairs }

  static func random() -> ServiceKeyRing { ServiceKeyRing([P256.Signing.PrivateKey()]) }

  /// The key that signs now.
  func signer(at now: Timestamp) -> Pair { pairs.last { $0.signsFrom <= now.unixSeconds } ?? pairs[0] }

  /// The public keys that others should know now.
  func published(at now: Timestamp) -> [ServicePublicKey] { kept(at: now).map(\.publicKey) }

  private func kept(at now: Timestamp) -> [Pair] {
    pairs.indices.filter { index in
      let next = pairs.index(after: index)
      // Keys of equal times are those of the setting, which the operator replaces.
      return next == pairs.endIndex || pairs[next].signsFrom == 0
        || pairs[next].signsFrom + Self.keptSeconds > now.unixSeconds
    }.map { pairs[$0] }
  }

  /// The ring with a new key that signs after it has been announced; keys that are no longer needed are left out.
  ///
  /// - Parameters:
  ///   - announced: How long the new key is published before it signs, in seconds.
  ///   - atOnce: Signs with the new key now and forgets all others, for when one may have been stolen. What they have
  ///     signed is refused as soon as the other services have asked again.
  func rotated(at now: Timestamp, announced: Int64 = announcedSeconds, atOnce: Bool = false) -> ServiceKeyRing {
    if atOnce { return ServiceKeyRing(pairs: [Pair(signsFrom: now.unixSeconds, key: P256.Signing.PrivateKey())]) }
    let signsFrom = max(now.unixSeconds + announced, pairs.last?.signsFrom ?? 0)
    let next = Pair(signsFrom: signsFrom, key: P256.Signing.PrivateKey())
    return ServiceKeyRing(pairs: (kept(at: now) + [next]).suffix(Self.maxKeys))
  }

  // MARK: text

  /// A line for each pair: the Unix time from which it signs, and the private key as Base64 of its DER.
  var text: String {
    pairs.map { "\($0.signsFrom):\($0.key.derRepresentation.base64EncodedString())\n" }.joined()
  }

  /// - Returns: `nil` for text that ``text`` has not written.
  init?(text: String) {
    var pairs: [Pair] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ":")
      guard parts.count == 2, let signsFrom = Int64(parts[0]), let der = Data(base64Encoded: String(parts[1])),
        let key = try? P256.Signing.PrivateKey(derRepresentation: der), signsFrom >= pairs.last?.signsFrom ?? 0
      else { return nil }
      pairs.append(Pair(signsFrom: signsFrom, key: key))
    }
    guard (1...Self.maxKeys).contains(pairs.count) else { return nil }
    self.pairs = pairs
  }
}

/// A public key of a service.
struct ServicePublicKey: Sendable {
  /// The thumbprint of RFC 7638, shortened to 128 bits.
  let id: String
  let key: P256.Signing.PublicKey

  init(_ key: P256.Signing.PublicKey) {
    let (x, y) = Self.coordinates(of: key)
    let members = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
    (id, self.key) = (Base64URL.encode(SHA256.hash(data: Data(members.utf8)).prefix(16)), key)
  }

  private static func coordinates(of key: P256.Signing.PublicKey) -> (x: String, y: String) {
    let raw = key.rawRepresentation
    return (Base64URL.encode(raw.prefix(32)), Base64URL.encode(raw.suffix(32)))
  }

  /// The key as `openssl` writes it.
  var pem: String { key.pemRepresentation }

  /// The published key (RFC 7517).
  var webKey: JSONWebKeySet.Key {
    let (x, y) = Self.coordinates(of: key)
    return JSONWebKeySet.Key(kid: id, x: x, y: y)
  }

  /// - Returns: `nil` for anything but a point of P-256.
  init?(_ key: JSONWebKeySet.Key) {
    guard key.kty == "EC", key.crv == "P-256", let x = Base64URL.decode(key.x), let y = Base64URL.decode(key.y),
      x.count == 32, y.count == 32, let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
    else { return nil }
    self.init(key)
  }
}
