import Contracts
import Foundation

/// The header of a compact JWS (RFC 7515 §4), with the members that this platform verifies.
public struct JOSEHeader: Sendable {
  public let algorithm: String
  public let type: String?
  public let keyID: String?
  /// DER certificates, the signer's first (`x5c`).
  public let certificates: [[UInt8]]
  /// Enough for three certificates of 4 KB in Base64.
  private static let maxLength = 16_384

  /// Whether it lists extensions that a verifier must understand (`crit`).
  public let hasCriticalExtensions: Bool

  /// Parses the first part of a token; `nil` when it is not a valid header.
  ///
  /// Members are strings or lists of strings, as all registered ones of signed tokens are except `jwk`, which is not
  /// trusted here. Nested values are rejected, because libraries take very long to parse them.
  public init?(base64URL text: Substring) {
    // Registered members are ASCII; other text is expensive to compare, before any signature has been checked.
    guard text.utf8.count <= Self.maxLength, let bytes = Base64URL.decode(text), bytes.allSatisfy({ $0 < 0x80 }),
      case .object(let members)? = try? WireJSON.decode(JSONValue.self, from: bytes)
    else { return nil }
    var strings: [String: String] = [:]
    var lists: [String: [String]] = [:]
    for member in members {
      switch member.value {
      case .string(let string): strings[member.name] = string
      case .array(let values):
        let list = values.compactMap(\.string)
        guard list.count == values.count else { return nil }
        lists[member.name] = list
      default: return nil
      }
    }
    guard let algorithm = strings["alg"] else { return nil }
    let certificates = (lists["x5c"] ?? []).map { Data(base64Encoded: $0) }
    guard certificates.allSatisfy({ $0 != nil }) else { return nil }
    self.algorithm = algorithm
    type = strings["typ"]
    keyID = strings["kid"]
    self.certificates = certificates.compactMap { $0.map { Array($0) } }
    hasCriticalExtensions = lists["crit"] != nil || strings["crit"] != nil
  }
}
