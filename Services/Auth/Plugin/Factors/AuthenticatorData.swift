/// The data that an authenticator signs (WebAuthn §6.1).
struct AuthenticatorData: Equatable, Sendable {
  struct Flags: OptionSet, Sendable, Equatable {
    let rawValue: UInt8

    static let userPresent = Flags(rawValue: 0x01)
    static let userVerified = Flags(rawValue: 0x04)
    static let backupEligible = Flags(rawValue: 0x08)
    static let backedUp = Flags(rawValue: 0x10)
    static let hasCredential = Flags(rawValue: 0x40)
    static let hasExtensions = Flags(rawValue: 0x80)
  }

  /// A credential that was made.
  struct Credential: Equatable, Sendable {
    var id: [UInt8]
    var key: PasskeyKey
  }

  var domainHash: [UInt8]
  var flags: Flags
  var signCount: UInt32
  /// Present at registration.
  var credential: Credential?

  private static let headBytes = 37
  private static let maxCredentialBytes = 1023

  /// - Throws: ``PasskeyRefusal`` when the bytes are not exactly what their flags say.
  init(_ bytes: [UInt8]) throws(PasskeyRefusal) {
    guard bytes.count >= Self.headBytes else { throw .malformed }
    domainHash = Array(bytes[..<32])
    flags = Flags(rawValue: bytes[32])
    signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var position = Self.headBytes
    if flags.contains(.hasCredential) {
      // 16 bytes name the authenticator's model; without attestation they prove nothing.
      let start = position + 18
      guard bytes.count >= start else { throw .malformed }
      let length = Int(bytes[start - 2]) << 8 | Int(bytes[start - 1])
      guard (1...Self.maxCredentialBytes).contains(length), bytes.count >= start + length else { throw .malformed }
      let (key, end) = try Self.value(bytes, from: start + length)
      credential = Credential(id: Array(bytes[start..<start + length]), key: try PasskeyKey(key))
      position = end
    }
    if flags.contains(.hasExtensions) {
      let (extensions, end) = try Self.value(bytes, from: position)
      guard extensions.map != nil else { throw .malformed }
      position = end
    }
    guard position == bytes.count else { throw .malformed }
    // A passkey is only backed up when it may be (WebAuthn level 3 §6.1.3).
    guard !flags.contains(.backedUp) || flags.contains(.backupEligible) else { throw .malformed }
  }

  private static func value(_ bytes: [UInt8], from start: Int) throws(PasskeyRefusal) -> (CBORValue, end: Int) {
    do {
      var reader = try CBORReader(bytes, from: start)
      let value = try reader.next()
      return (value, reader.position)
    } catch {
      throw .malformed
    }
  }
}
