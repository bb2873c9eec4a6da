import Contracts
import Crypto
import Foundation
import ServiceKit

/// The reason why a passkey was not accepted; only audited, because its user cannot act on it.
enum PasskeyRefusal: String, Error, Sendable {
  case malformed, type, challenge, origin, domain, userPresence, userVerification, algorithm, unknown, user, signature
  case backup, counter, distrusted
  /// The counter of an answer that was overtaken by a later one.
  case overtaken
}

/// The checks of WebAuthn's ceremonies (§7.1, §7.2) that need no database.
struct WebAuthn: Sendable {
  let relyingParty: RelyingParty

  /// The client data that the browser adds to the authenticator's signed data.
  private struct ClientData: Decodable {
    var type: String
    var challenge: String
    var origin: String
    var crossOrigin: Bool?
  }

  private static let maxClientDataBytes = 4096

  /// A registration whose challenge has still to be compared.
  struct Registration: Sendable {
    var challenge: [UInt8]
    var credential: AuthenticatorData.Credential
    var flags: AuthenticatorData.Flags
    var signCount: UInt32
  }

  func register(_ answer: PasskeyAttestation) throws(PasskeyRefusal) -> Registration {
    let (_, challenge) = try clientData(answer.response.clientDataJSON, type: "webauthn.create")
    guard answer.type == "public-key", let object = Base64URL.decode(answer.response.attestationObject.rawValue) else {
      throw .malformed
    }
    let value: CBORValue
    do { value = try CBORReader.value(of: object) } catch { throw .malformed }
    // The attestation statement is ignored: no model of authenticator is required, so none is trusted more than another.
    guard let map = value.map, map[.text("fmt")]?.text != nil, map[.text("attStmt")]?.map != nil,
      let bytes = map[.text("authData")]?.bytes
    else { throw .malformed }
    let data = try authenticatorData(bytes)
    guard let credential = data.credential, Base64URL.encode(credential.id) == answer.id.rawValue else {
      throw .malformed
    }
    return Registration(challenge: challenge, credential: credential, flags: data.flags, signCount: data.signCount)
  }

  /// An assertion whose challenge and signature have still to be compared with what is stored.
  struct Assertion: Sendable {
    var challenge: [UInt8]
    var data: AuthenticatorData
    var signed: [UInt8]
    var signature: [UInt8]
  }

  func assert(_ answer: PasskeyAssertion) throws(PasskeyRefusal) -> Assertion {
    let (json, challenge) = try clientData(answer.response.clientDataJSON, type: "webauthn.get")
    guard answer.type == "public-key", let bytes = Base64URL.decode(answer.response.authenticatorData.rawValue),
      let signature = Base64URL.decode(answer.response.signature.rawValue)
    else { throw .malformed }
    let data = try authenticatorData(bytes)
    return Assertion(
      challenge: challenge, data: data, signed: bytes + Array(SHA256.hash(data: Data(json))), signature: signature)
  }

  private func clientData(_ text: WebAuthnBytes, type: String) throws(PasskeyRefusal) -> (
    json: [UInt8], challenge: [UInt8]
  ) {
    guard let json = Base64URL.decode(text.rawValue), json.count <= Self.maxClientDataBytes,
      let data = try? WireJSON.decode(ClientData.self, from: json)
    else { throw .malformed }
    guard data.type == type else { throw .type }
    guard let challenge = Base64URL.decode(data.challenge) else { throw .challenge }
    guard relyingParty.origins.contains(data.origin), data.crossOrigin != true else { throw .origin }
    return (json, challenge)
  }

  private func authenticatorData(_ bytes: [UInt8]) throws(PasskeyRefusal) -> AuthenticatorData {
    let data = try AuthenticatorData(bytes)
    let expected = Array(SHA256.hash(data: Data(relyingParty.domain.utf8)))
    guard SecureBytes.areEqual(data.domainHash, expected) else { throw .domain }
    guard data.flags.contains(.userPresent) else { throw .userPresence }
    guard data.flags.contains(.userVerified) else { throw .userVerification }
    return data
  }
}
