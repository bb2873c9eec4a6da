import Contracts
import Crypto
import Foundation
import ServiceKit

/// A refresh token identifies its session and generation and authenticates them with an HMAC under the session's key,
/// so that nothing is stored per token and a generation always has the same text.
///
/// 41 bytes in base64url: version 1, session (16), generation (8, big-endian), HMAC-SHA256 truncated to 16.
struct RefreshToken: Sendable, Equatable {
  var session: SessionID
  var generation: Int64

  private static let version: UInt8 = 1
  private static let macBytes = 16

  func text(key: [UInt8]) -> String { Base64URL.encode(content + Self.mac(of: content, key)) }

  private var content: [UInt8] {
    let hex = session.rawValue.filter { $0 != "-" }
    var bytes: [UInt8] = [Self.version]
    var rest = hex[...]
    while !rest.isEmpty {
      bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
      rest = rest.dropFirst(2)
    }
    for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: generation >> shift)) }
    return bytes
  }

  private static func mac(of content: [UInt8], _ key: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: content, using: SymmetricKey(data: key)).prefix(macBytes))
  }

  /// A parsed token whose HMAC has not been verified yet.
  struct Unverified {
    let token: RefreshToken
    fileprivate let mac: [UInt8]

    init?(_ text: String) {
      guard let bytes = Base64URL.decode(text), bytes.count == 25 + macBytes, bytes[0] == version else { return nil }
      let hex = bytes[1..<17].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      let groups = [hex[0..<4], hex[4..<6], hex[6..<8], hex[8..<10], hex[10..<16]].map { $0.joined() }
      let generation = bytes[17..<25].reduce(Int64(0)) { $0 << 8 | Int64($1) }
      guard let session = SessionID(groups.joined(separator: "-")), generation > 0 else { return nil }
      token = RefreshToken(session: session, generation: generation)
      mac = Array(bytes[25...])
    }

    /// Whether the token was created with that key; compares in constant time.
    func isVerified(by key: [UInt8]) -> Bool {
      SecureBytes.areEqual(RefreshToken.mac(of: token.content, key), mac)
    }
  }
}
