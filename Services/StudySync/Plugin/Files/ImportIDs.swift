import Contracts
import Crypto
import Persistence
import ServiceKit

/// The ids of what an import makes, which follow from its idempotency key: repeated after an interruption, it finds what
/// it has made already.
struct ImportIDs: Sendable {
  private let seed: String

  init(_ key: IdempotentRequest?, _ keys: DataKeys) {
    seed =
      key.map { keys.lookup("\($0.caller)\n\($0.key)\n\($0.fingerprint)", for: "study-import") }
      ?? Base64URL.encode(SecureBytes.random(32))
  }

  var set: StudySetID { StudySetID(trusted: id("set")) }

  /// - Parameter ordinal: Among the cards of the file, from 1.
  func card(_ ordinal: Int) -> RecordID { RecordID(trusted: id("card \(ordinal)")) }

  func review(_ number: Int, ofCard ordinal: Int) -> RecordID { RecordID(trusted: id("review \(ordinal) \(number)")) }

  /// A UUID of version 8 (RFC 9562 §5.8).
  private func id(_ name: String) -> String {
    var bytes = Array(SHA256.hash(data: Array("\(seed)\n\(name)".utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
