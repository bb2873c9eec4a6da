import Crypto
import Foundation
import Persistence
import ServiceKit

/// A salted SHA-512 hash from LetuStudy's table: `$sha512$<salt in base64>$<hash in hex>`, computed over the salt
/// followed by the password. Verified once, at the first login, and replaced by Argon2id.
struct LegacyPassword {
  private let salt: [UInt8]
  private let digest: [UInt8]

  private static let prefix = "$sha512$"

  init?(_ text: String) {
    let parts = text.dropFirst(Self.prefix.count).split(separator: "$", omittingEmptySubsequences: false)
    guard text.hasPrefix(Self.prefix), parts.count == 2, let salt = Data(base64Encoded: String(parts[0])),
      let digest = Self.bytes(ofHex: parts[1])
    else { return nil }
    self.salt = Array(salt)
    self.digest = digest
  }

  /// The stored form of a row's salt and hash; `nil` when the hash is not 128 hexadecimal digits.
  static func text(salt: String, hash: String) -> String? {
    guard bytes(ofHex: hash)?.count == SHA512.byteCount else { return nil }
    return "\(prefix)\(Data(salt.utf8).base64EncodedString())$\(hash.lowercased())"
  }

  func isMatched(by password: String) -> Bool {
    SecureBytes.areEqual(Array(SHA512.hash(data: salt + Array(password.utf8))), digest)
  }

  /// The table stores usernames as SHA-512 too.
  static func loginHash(of username: String) -> String {
    SHA512.hash(data: Data(username.utf8)).hexadecimal
  }

  static func isHash(_ text: String) -> Bool { bytes(ofHex: text)?.count == SHA512.byteCount }

  private static func bytes(ofHex text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2), digits.allSatisfy({ UnicodeScalar($0).properties.isASCIIHexDigit }) else {
      return nil
    }
    return stride(from: 0, to: digits.count, by: 2).map { index in
      UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16) ?? 0
    }
  }
}
