import Contracts
import Crypto
import Foundation
import ServiceKit

/// Time-based one-time passwords (RFC 6238) as authenticator apps make them: HMAC-SHA-1, 6 digits, 30 seconds.
struct TOTP: Sendable {
  /// 160 bits, as RFC 4226 §4 recommends.
  static let secretBytes = 20
  static let digits = 6
  static let stepSeconds: Int64 = 30
  /// Steps before and after the current one whose codes are accepted: clocks differ, and typing takes time.
  static let tolerance: Int64 = 1

  let secret: [UInt8]

  static func step(at now: Timestamp) -> Int64 { now.unixSeconds / stepSeconds }

  /// The code of a step; with another number of digits in RFC 6238's test vectors.
  func code(at step: Int64, digits: Int = digits) -> String {
    let counter = withUnsafeBytes(of: step.bigEndian) { Data($0) }
    let mac = Array(
      HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: Data(secret))))
    let offset = Int(mac[19] & 15)
    let value = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
    let modulus = (0..<digits).reduce(UInt32(1)) { product, _ in product * 10 }
    let text = String(value % modulus)
    return String(repeating: "0", count: digits - text.count) + text
  }

  /// The step whose code this is, if it is accepted now. Every accepted step is compared, so that the time does not
  /// reveal which one it was.
  func step(of code: OneTimeCode, at now: Timestamp) -> Int64? {
    let current = Self.step(at: now)
    var found: Int64?
    for step in (current - Self.tolerance)...(current + Self.tolerance)
    where SecureBytes.areEqual(self.code(at: step).utf8, code.rawValue.utf8) {
      found = step
    }
    return found
  }

  /// The key URI that authenticator apps read from a QR code.
  func uri(account: String, issuer: String) -> String {
    let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
    func escape(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: allowed) ?? "" }
    return "otpauth://totp/\(escape(issuer)):\(escape(account))?secret=\(Base32.encode(secret))"
      + "&issuer=\(escape(issuer))&algorithm=SHA1&digits=\(Self.digits)&period=\(Self.stepSeconds)"
  }
}
