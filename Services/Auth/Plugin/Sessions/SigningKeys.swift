import Contracts
import Crypto
import Foundation
import JWTKit
import ServiceKit
import Synchronization

/// The signing keys of access tokens: the first key signs and all are published, so that a new key can be added in
/// front while tokens signed with the old one are still valid.
final class SigningKeys: Sendable {
  private struct Loaded {
    var text: String
    var publicKeys: JSONWebKeySet
    var keys: JWTKeyCollection
    var signer: String
    /// A new key, which signs once every service has had the time to learn of it.
    var successor: (kid: String, from: Int64)?
  }

  /// How long a new key is published before it signs, in seconds; services read the keys every half minute.
  private static let notice: Int64 = 60

  private let state: Mutex<Loaded>
  /// The file that the keys are read from again; `nil` when they come from a setting.
  private let path: String?

  private init(_ loaded: sending Loaded, path: String?) {
    state = Mutex(loaded)
    self.path = path
  }

  convenience init(pem: String) async throws(SettingError) { self.init(try await Self.parse(pem), path: nil) }

  private static func parse(_ pem: String) async throws(SettingError) -> sending Loaded {
    let keys = JWTKeyCollection()
    var published: [JSONWebKeySet.Key] = []
    for part in SigningKeyFile.parts(of: pem) {
      guard let key = SigningKeyFile.Key(pem: part) else { throw Self.wrong }
      published.append(key.published)
      await keys.add(ecdsa: key.key, kid: JWKIdentifier(string: key.published.kid))
    }
    guard let first = published.first else { throw Self.wrong }
    return Loaded(
      text: pem, publicKeys: JSONWebKeySet(keys: published), keys: keys, signer: first.kid, successor: nil)
  }

  private static var wrong: SettingError { SettingError(AuthSettings.signingKeys, "is invalid") }

  /// The keys from the setting, otherwise from the file in the data folder, which is created when it is missing.
  static func load(_ settings: Settings, dataFolder: String) async throws -> SigningKeys {
    if let pem = try settings[AuthSettings.signingKeys] { return try await SigningKeys(pem: pem) }
    let path = SigningKeyFile.path(in: dataFolder)
    let text = try SecretFile.load(path) { SigningKeyFile.newKey() }
    return SigningKeys(try await parse(text), path: path)
  }

  var publicKeys: JSONWebKeySet { state.withLock { $0.publicKeys } }

  /// Reads the file again when it has changed, which operators' commands do.
  ///
  /// - Parameter now: A key that was added signs a minute later, unless the one that signs was retired.
  func reload(at now: Timestamp) async throws {
    guard let path else { return }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard state.withLock({ $0.text }) != text else { return }
    let new = try await Self.parse(text)
    let kids = Set(new.publicKeys.keys.map(\.kid))
    state.withLock { state in
      let current = Self.signer(of: state, at: now.unixSeconds)
      let wasKnown = state.publicKeys.keys.contains { $0.kid == new.signer }
      let first = new.signer
      state.text = new.text
      (state.publicKeys, state.keys) = (new.publicKeys, new.keys)
      if kids.contains(current), !wasKnown {
        (state.signer, state.successor) = (current, (first, now.unixSeconds + Self.notice))
      } else {
        (state.signer, state.successor) = (first, nil)
      }
    }
  }

  private static func signer(of state: Loaded, at seconds: Int64) -> String {
    if let successor = state.successor, seconds >= successor.from { return successor.kid }
    return state.signer
  }

  func sign(_ claims: AccessClaims) async throws -> String {
    let (keys, kid) = state.withLock { ($0.keys, Self.signer(of: $0, at: claims.iat)) }
    return try await keys.sign(
      claims, kid: JWKIdentifier(string: kid), header: ["typ": .string(Issuer.accessTokenType)])
  }
}
