import Contracts
import Crypto
import ServiceKit

/// `t=…,v1=…`: signatures of `t.body` (docs.stripe.com/webhooks/signature).
struct StripeSignature {
  private var timestamp: Int64
  private var signatures: [String]

  init?(_ field: String) {
    var timestamp: Int64?
    signatures = []
    for part in field.split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else { continue }
      if pair[0] == "t" { timestamp = Int64(pair[1]) }
      if pair[0] == "v1" { signatures.append(String(pair[1])) }
    }
    guard let timestamp else { return nil }
    self.timestamp = timestamp
  }

  func isValid(for body: [UInt8], secret: SymmetricKey, at now: Timestamp, within seconds: Double) -> Bool {
    // The difference is a `Double`: the timestamp can be any number, and the subtraction must not overflow.
    guard abs(Double(now.unixSeconds) - Double(timestamp)) <= seconds else { return false }
    let wanted = HMAC<SHA256>.authenticationCode(for: Array("\(timestamp).".utf8) + body, using: secret)
      .reduce(into: "") { text, byte in text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    return signatures.contains { SecureBytes.areEqual(Array($0.utf8), Array(wanted.utf8)) }
  }
}
