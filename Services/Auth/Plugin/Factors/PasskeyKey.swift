import Crypto
import Foundation

/// The public key of a passkey (COSE, RFC 9053): ES256 or EdDSA.
struct PasskeyKey: Equatable, Sendable {
  enum Algorithm: Int, CaseIterable, Sendable {
    case es256 = -7
    case edDSA = -8
  }

  let algorithm: Algorithm
  /// `x` and `y` of P-256, or the 32 bytes of Ed25519.
  let bytes: [UInt8]

  /// A key as stored.
  init(_ algorithm: Algorithm, _ bytes: [UInt8]) { (self.algorithm, self.bytes) = (algorithm, bytes) }

  /// - Throws: ``PasskeyRefusal`` when the algorithm is not offered or the point is not on the curve.
  init(_ cose: CBORValue) throws(PasskeyRefusal) {
    guard let map = cose.map else { throw .malformed }
    func integer(_ label: Int64) -> Int64? { map[.integer(label)]?.integer }
    func coordinate(_ label: Int64) throws(PasskeyRefusal) -> [UInt8] {
      guard let bytes = map[.integer(label)]?.bytes, bytes.count == 32 else { throw .malformed }
      return bytes
    }
    guard let code = integer(3), let algorithm = Algorithm(rawValue: Int(code)) else { throw .algorithm }
    self.algorithm = algorithm
    switch algorithm {
    case .es256:
      guard integer(1) == 2, integer(-1) == 1 else { throw .malformed }
      bytes = try coordinate(-2) + coordinate(-3)
      guard (try? P256.Signing.PublicKey(rawRepresentation: Data(bytes))) != nil else { throw .malformed }
    case .edDSA:
      guard integer(1) == 1, integer(-1) == 6 else { throw .malformed }
      bytes = try coordinate(-2)
      guard (try? Curve25519.Signing.PublicKey(rawRepresentation: Data(bytes))) != nil else { throw .malformed }
    }
  }

  /// Whether the signature over the data is this key's.
  func isValid(_ signature: [UInt8], of data: [UInt8]) -> Bool {
    switch algorithm {
    case .es256:
      guard let key = try? P256.Signing.PublicKey(rawRepresentation: Data(bytes)),
        let signature = try? P256.Signing.ECDSASignature(derRepresentation: Data(signature))
      else { return false }
      return key.isValidSignature(signature, for: Data(data))
    case .edDSA:
      guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: Data(bytes)) else { return false }
      return signature.count == 64 && key.isValidSignature(Data(signature), for: Data(data))
    }
  }
}
