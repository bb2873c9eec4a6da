public import Crypto
import Foundation

/// The SHA-256 of a blob, as 64 lower-case hexadecimal digits.
public struct BlobHash: Sendable, Hashable, Comparable, CustomStringConvertible {
  public let description: String

  /// - Returns: `nil` unless the text is 64 lower-case hexadecimal digits.
  public init?(_ text: some StringProtocol) {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9"), letters = UInt8(ascii: "a")...UInt8(ascii: "f")
    guard text.utf8.count == 64, text.utf8.allSatisfy({ digits.contains($0) || letters.contains($0) }) else {
      return nil
    }
    description = String(text)
  }

  public init(_ digest: SHA256Digest) { description = Self.hex(digest) }

  public init(of bytes: [UInt8]) { self.init(SHA256.hash(data: bytes)) }

  /// The hash of a file, which blocks the thread while it is read.
  /// - Throws: ``BlobStorageError``.
  public init(fileAt path: String) throws {
    var hasher = SHA256()
    try BlobFile.read(path) { hasher.update(bufferPointer: $0) }
    self.init(hasher.finalize())
  }

  public static func < (one: Self, other: Self) -> Bool { one.description < other.description }

  /// The hash as S3 writes it.
  var base64: String {
    let digits = description.utf8.map { $0 < UInt8(ascii: "a") ? $0 - UInt8(ascii: "0") : $0 - UInt8(ascii: "a") + 10 }
    return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }).base64EncodedString()
  }

  static func hex(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
