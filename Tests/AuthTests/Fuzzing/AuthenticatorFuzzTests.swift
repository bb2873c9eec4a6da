import Crypto
import TestKit
import Testing

@testable import AuthService

/// Input that an authenticator could send: CBOR that is accepted has the only form that there is, and the fields of its
/// data stand where they are read.
@Suite(.long)
struct AuthenticatorFuzzTests {
  /// The canonical form, keys in any fixed order.
  private static func encode(_ value: CBORValue) -> [UInt8] {
    switch value {
    case .integer(let integer):
      integer < 0 ? head(1, UInt64(-1 - integer)) : head(0, UInt64(integer))
    case .bytes(let bytes): head(2, UInt64(bytes.count)) + bytes
    case .text(let text): head(3, UInt64(text.utf8.count)) + text.utf8
    case .array(let items): items.reduce(head(4, UInt64(items.count))) { $0 + encode($1) }
    case .map(let items): items.reduce(head(5, UInt64(items.count))) { $0 + encodeKey($1.key) + encode($1.value) }
    case .bool(let flag): [flag ? 0xF5 : 0xF4]
    case .null: [0xF6]
    }
  }

  private static func encodeKey(_ key: CBORKey) -> [UInt8] {
    switch key {
    case .integer(let integer): encode(CBORValue.integer(integer))
    case .text(let text): encode(CBORValue.text(text))
    }
  }

  private static func head(_ kind: UInt8, _ argument: UInt64) -> [UInt8] {
    let size = argument < 24 ? 0 : argument < 256 ? 1 : argument < 65_536 ? 2 : argument < 1 << 32 ? 4 : 8
    let info = size == 0 ? UInt8(argument) : 24 + UInt8(size.trailingZeroBitCount)
    let bytes = (0..<size).reversed().map { UInt8(truncatingIfNeeded: argument >> UInt64(8 * $0)) }
    return [kind << 5 | info] + bytes
  }

  private static func key() -> CBORValue {
    let point = Array(P256.Signing.PrivateKey().publicKey.rawRepresentation)
    return .map([
      .integer(1): .integer(2), .integer(3): .integer(-7), .integer(-1): .integer(1),
      .integer(-2): .bytes(Array(point.prefix(32))), .integer(-3): .bytes(Array(point.suffix(32))),
    ])
  }

  private static func data(_ flags: UInt8, _ rest: [UInt8] = []) -> [UInt8] {
    [UInt8](repeating: 7, count: 32) + [flags, 0, 0, 1, 2] + rest
  }

  private static let credential = [UInt8](repeating: 0, count: 16) + [0, 4, 1, 2, 3, 4] + encode(key())

  @Test func acceptedCBORHasItsOnlyForm() async throws {
    let attestation = CBORValue.map([
      .text("fmt"): .text("none"), .text("attStmt"): .map([:]), .text("authData"): .bytes(Self.data(5)),
    ])
    let others: [CBORValue] = [
      Self.key(), .array([.integer(.max), .integer(.min), .integer(24), .integer(-25), .integer(65_536), .null]),
      .map([.integer(256): .array([.bool(true), .text("ü"), .map([.text(""): .array([])])])]),
    ]
    try await Fuzzer("cbor", FuzzCorpus(([attestation] + others).map(Self.encode), maxBytes: 1000)).run { input, _ in
      guard let value = try? CBORReader.value(of: input) else { return false }
      let written = Self.encode(value)
      // Only the order of keys may differ.
      try confirm(written.count == input.count, "\(value) has another form: \(written)")
      try confirm(try CBORReader.value(of: written) == value, "\(value) changes")
      return true
    }
  }

  @Test func authenticatorDataIsWhatStandsInIt() async throws {
    let examples = [
      Self.data(0x05), Self.data(0x85, [0xA0]), Self.data(0x45, Self.credential),
      Self.data(0xDD, Self.credential + Self.encode(.map([.text("credProtect"): .integer(2)]))),
    ]
    try await Fuzzer("authenticator-data", FuzzCorpus(examples, maxBytes: 1000), inputs: 10_000).run { input, _ in
      guard let data = try? AuthenticatorData(input) else { return false }
      try confirm(data.domainHash == Array(input[..<32]) && data.flags.rawValue == input[32], "\(data)")
      try confirm(data.signCount == input[33..<37].reduce(0) { $0 * 256 + UInt32($1) }, "\(data)")
      try confirm((data.credential != nil) == (input[32] & 0x40 != 0), "\(data)")
      guard let credential = data.credential else { return true }
      let count = Int(input[53]) * 256 + Int(input[54])
      try confirm(credential.id.count == count && credential.id == Array(input[55..<55 + count]), "\(data)")
      return true
    }
  }
}
