import Contracts
import Foundation
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// One-time passwords by the vectors of RFC 6238, CBOR by those of RFC 8949, and what authenticators sign.
struct FactorUnitTests {
  private func bytes(_ hexadecimal: String) -> [UInt8] {
    stride(from: 0, to: hexadecimal.count, by: 2).compactMap { start in
      UInt8(hexadecimal.dropFirst(start).prefix(2), radix: 16)
    }
  }

  // MARK: one-time passwords

  /// RFC 6238, appendix B.
  @Test(
    arguments: [
      (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
      (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
    ] as [(Int64, String)])
  func codesAreThoseOfTheStandard(second: Int64, code: String) throws {
    let totp = TOTP(secret: Array("12345678901234567890".utf8))
    let moment = try #require(Timestamp(seconds: second))
    #expect(totp.code(at: TOTP.step(at: moment), digits: 8) == code)
    #expect(totp.code(at: TOTP.step(at: moment)) == String(code.suffix(6)))
  }

  @Test func oneStepBeforeAndAfterIsAccepted() throws {
    let totp = TOTP(secret: SecureBytes.random(20))
    let now = try #require(Timestamp(seconds: 1_000_000_000))
    let step = TOTP.step(at: now)
    for (offset, expected) in [(-2, nil), (-1, step - 1), (0, step), (1, step + 1), (2, nil)] as [(Int64, Int64?)] {
      #expect(totp.step(of: OneTimeCode(checked: totp.code(at: step + offset)), at: now) == expected, "\(offset)")
    }
  }

  /// RFC 4648 §10.
  @Test(arguments: [
    ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
    ("foobar", "MZXW6YTBOI"),
  ])
  func secretsAreWrittenInBase32(text: String, base32: String) { #expect(Base32.encode(Array(text.utf8)) == base32) }

  @Test func accountsAreEscapedInKeyURIs() {
    let totp = TOTP(secret: Array("12345678901234567890".utf8))
    #expect(
      totp.uri(account: "ada+1@example.com", issuer: "Acme & Co")
        == "otpauth://totp/Acme%20%26%20Co:ada%2B1%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        + "&issuer=Acme%20%26%20Co&algorithm=SHA1&digits=6&period=30")
  }

  @Test(arguments: ["", "12345", "1234567", "12345a", "١٢٣٤٥٦"])
  func otherCodesAreInvalid(text: String) {
    #expect(throws: ValueError.self) { try OneTimeCode(validating: text) }
  }

  @Test func codesAreReadAsPeopleWriteThem() throws {
    #expect(try OneTimeCode(validating: "123 456").rawValue == "123456")
    #expect(
      try RecoveryCode(validating: "ABCD-efgh-ijkl mnop-qrst-uvw2").rawValue == "abcdefghijklmnopqrstuvw2")
    #expect("\(try OneTimeCode(validating: "123456"))" == "(hidden)")
  }

  // MARK: CBOR

  @Test(
    arguments: [
      ("00", .integer(0)), ("17", .integer(23)), ("1818", .integer(24)), ("190100", .integer(256)),
      ("1b7fffffffffffffff", .integer(.max)), ("20", .integer(-1)), ("3903e7", .integer(-1000)), ("40", .bytes([])),
      ("4401020304", .bytes([1, 2, 3, 4])), ("6449455446", .text("IETF")), ("62c3bc", .text("ü")), ("80", .array([])),
      ("83010203", .array([.integer(1), .integer(2), .integer(3)])), ("f4", .bool(false)), ("f5", .bool(true)),
      ("f6", .null), ("a10102", .map([.integer(1): .integer(2)])),
      ("a26161016162820203", .map([.text("a"): .integer(1), .text("b"): .array([.integer(2), .integer(3)])])),
    ] as [(String, CBORValue)])
  func readsCBOR(hexadecimal: String, value: CBORValue) throws {
    #expect(try CBORReader.value(of: bytes(hexadecimal)) == value)
  }

  @Test(arguments: [
    "", "18", "1817", "1900ff", "1a0000ffff", "1b00000000ffffffff", "1bffffffffffffffff", "1c", "1f", "5801",
    "5affffffff", "5bffffffffffffffff", "7f", "62c328", "81", "9b7fffffffffffffff", "9f01ff", "bf6101ff", "a101",
    "a201020102", "a1f401", "a1800", "c001", "f7", "f93c00", "fb3ff0000000000000", "ff", "0000", "8181818181",
    "a16161a16161a16161a16161a1616101",
  ])
  func refusesOtherCBOR(hexadecimal: String) {
    #expect(throws: CBORReader.Malformed.self) { try CBORReader.value(of: bytes(hexadecimal)) }
  }

  @Test func longListsAreRefusedBeforeTheyAreRead() {
    #expect(throws: CBORReader.Malformed.self) {
      try CBORReader.value(of: [0x99, 0x01, 0x01] + [UInt8](repeating: 0, count: 257))
    }
    #expect(throws: CBORReader.Malformed.self) { try CBORReader.value(of: [UInt8](repeating: 0, count: 65_537)) }
  }

  /// Nothing that an authenticator could send ends the process.
  @Test func randomBytesDoNoHarm() {
    var generator = SeededGenerator()
    for _ in 0..<50_000 {
      let count = Int.random(in: 0...120, using: &generator)
      var data = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      _ = try? CBORReader.value(of: data)
      _ = try? AuthenticatorData(data)
      if data.count > 56 {
        data[32] |= 0xC0
        data[53] = 0
        data[54] = 1
        _ = try? AuthenticatorData(data)
      }
    }
  }

  // MARK: authenticator data

  private func authenticatorData(_ flags: UInt8, _ rest: [UInt8] = []) -> [UInt8] {
    [UInt8](repeating: 7, count: 32) + [flags, 0, 0, 1, 2] + rest
  }

  @Test func authenticatorDataIsExactlyWhatItsFlagsSay() throws {
    let data = try AuthenticatorData(authenticatorData(0x05))
    #expect(data.signCount == 258)
    #expect(data.flags == [.userPresent, .userVerified])
    #expect(try AuthenticatorData(authenticatorData(0x85, [0xA0])).flags.contains(.hasExtensions))
    for wrong in [
      [], Array(authenticatorData(0x05).dropLast()), authenticatorData(0x05, [0]), authenticatorData(0x85),
      authenticatorData(0x85, [0x00]), authenticatorData(0x45), authenticatorData(0x15),
      authenticatorData(0x45, [UInt8](repeating: 0, count: 16) + [0, 0, 0xA0]),
      authenticatorData(0x45, [UInt8](repeating: 0, count: 16) + [0xFF, 0xFF, 0xA0]),
    ] {
      #expect(throws: PasskeyRefusal.malformed, "\(wrong)") { try AuthenticatorData(wrong) }
    }
  }

  @Test(
    arguments: [
      // RS256, an unknown curve, a point beside the curve, a short coordinate, and no key at all
      ("a2010303390100", .algorithm), ("a4010203262002215820" + String(repeating: "01", count: 32), .malformed),
      (
        "a5010203262001215820" + String(repeating: "01", count: 32) + "225820" + String(repeating: "02", count: 32),
        .malformed
      ), ("a40101032720062141ff", .malformed), ("00", .malformed),
    ] as [(String, PasskeyRefusal)])
  func otherKeysAreRefused(hexadecimal: String, refusal: PasskeyRefusal) throws {
    let value = try CBORReader.value(of: bytes(hexadecimal))
    #expect(throws: refusal) { try PasskeyKey(value) }
  }
}
