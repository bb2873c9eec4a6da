public import Contracts
import Crypto
import Foundation

/// Signs URLs that grant temporary access to their bearer: path and query with an expiry and an HMAC-SHA256 over both,
/// with keys derived from the secrets that the platform's services share.
public struct URLSigner: Sendable {
  private let keys: [SymmetricKey]

  /// - Parameter secrets: The first signs, all verify.
  init(secrets: [[UInt8]]) {
    keys = secrets.map { secret in
      // A separate derived key, so that these signatures are not valid for any other purpose.
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: secret),
        info: Data("url-signer".utf8),
        outputByteCount: 32
      )
    }
  }

  /// Returns the path and query with an expiry and a signature.
  public func sign(_ path: String, _ query: [(name: String, value: String)], until expiresAt: Timestamp) -> String {
    let all = query + [("expires", String(expiresAt.unixSeconds))]
    let text = all.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
    return "\(path)?\(text)&signature=\(Self.signature(of: "\(path)?\(text)", keys[0]))"
  }

  /// Whether a URL has a valid signature and has not expired.
  public func isValid(_ url: String, at now: Timestamp) -> Bool {
    guard let mark = url.range(of: "&signature=", options: .backwards) else { return false }
    let (signed, signature) = (String(url[..<mark.lowerBound]), Array(url[mark.upperBound...].utf8))
    guard keys.contains(where: { SecureBytes.areEqual(Array(Self.signature(of: signed, $0).utf8), signature) }),
      let query = signed.split(separator: "?", maxSplits: 1).last, let fields = PercentCoding.query(query),
      let expires = fields.last(where: { $0.name == "expires" }).flatMap({ Int64($0.value) })
    else { return false }
    return now.unixSeconds < expires
  }

  private static func signature(of text: String, _ key: SymmetricKey) -> String {
    Base64URL.encode(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
  }
}
