import Contracts
import Crypto
import Foundation
import JWTKit
import ServiceKit

/// The file of the signing keys in the data folder, which operators change while auth runs.
struct SigningKeyFile: Sendable {
  struct Key: Sendable {
    let key: ES256PrivateKey
    let published: JSONWebKeySet.Key

    init?(pem: String) {
      guard let key = try? ES256PrivateKey(pem: pem), let point = key.publicKey.parameters else { return nil }
      self.key = key
      let (x, y) = (Self.base64URL(point.x), Self.base64URL(point.y))
      published = JSONWebKeySet.Key(kid: Self.thumbprint(x: x, y: y), x: x, y: y)
    }

    /// jwt-kit returns coordinates in plain base64; RFC 7518 requires base64url.
    private static func base64URL(_ coordinate: String) -> String {
      coordinate.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// RFC 7638: SHA-256 over the required members in lexicographic order.
    private static func thumbprint(x: String, y: String) -> String {
      let members = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
      return Base64URL.encode(SHA256.hash(data: Data(members.utf8)).prefix(16))
    }
  }

  /// Tokens of older keys have expired long before the next key is added.
  private static let maxCount = 3

  let path: String

  /// - Throws: ``SettingError`` when the keys come from a setting.
  init(_ settings: Settings, dataFolder: String) throws {
    guard try settings[AuthSettings.signingKeys] == nil else {
      throw SettingError(AuthSettings.signingKeys, "holds the keys; change it and restart auth instead")
    }
    path = Self.path(in: dataFolder)
  }

  static func path(in dataFolder: String) -> String { "\(dataFolder)/auth-signing-key.pem" }
  static func newKey() -> String { ES256PrivateKey().pemRepresentation + "\n" }

  static func parts(of pem: String) -> [String] {
    let end = "-----END PRIVATE KEY-----"
    return pem.split(separator: end).map(String.init).filter { $0.contains("-----BEGIN") }.map { $0 + end }
  }

  private func read() throws -> [(kid: String, pem: String)] {
    try Self.parts(of: String(contentsOfFile: path, encoding: .utf8)).compactMap { pem in
      Key(pem: pem).map { ($0.published.kid, pem.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }
  }

  private func write(_ keys: [(kid: String, pem: String)]) throws {
    try SecretFile.replace(path, with: keys.map { $0.pem + "\n" }.joined())
  }

  /// The IDs of the keys; the first one signs.
  func list() throws -> [String] { try read().map(\.kid) }

  /// Adds a key in front.
  /// - Returns: Its ID.
  func rotate() throws -> String {
    let keys = Self.parts(of: Self.newKey()).compactMap { pem in Key(pem: pem).map { ($0.published.kid, pem) } }
    try write(Array((keys.map { (kid: $0.0, pem: $0.1) } + read()).prefix(Self.maxCount)))
    return keys.first?.0 ?? ""
  }

  /// Removes a key; when none is left, a new one takes its place.
  /// - Returns: `false` when there is no such key.
  func retire(_ kid: String) throws -> Bool {
    let keys = try read()
    let left = keys.filter { $0.kid != kid }
    guard left.count < keys.count else { return false }
    if left.isEmpty {
      try SecretFile.replace(path, with: Self.newKey())
    } else {
      try write(left)
    }
    return true
  }
}
