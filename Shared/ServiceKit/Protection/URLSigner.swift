public import Contracts
import Crypto
import Foundation

/// Signs URLs that grant temporary access to their bearer, for the service itself: path and query with an expiry and an
/// HMAC-SHA256 over both. The key is derived from the service's data keys, which all of its instances have and which
/// stay, because such URLs may be valid for long.
public struct URLSigner: Sendable {
  private let key: SymmetricKey

  init(_ dataKeys: DataKeys) { key = dataKeys.derived("url-signer") }

  /// Returns the path and query with an expiry and a signature.
  public func sign(_ path: String, _ query: [(name: String, value: String)], until expiresAt: Timestamp) -> String {
    let text = SignedURL.text(path, query, until: expiresAt)
    return SignedURL.append(signature(of: text), to: text)
  }

  /// Whether a URL has a valid signature and has not expired.
  public func isValid(_ url: String, at now: Timestamp) -> Bool {
    guard let parts = SignedURL(url),
      SecureBytes.areEqual(Array(signature(of: parts.signed).utf8), Array(parts.signature.utf8))
    else { return false }
    return now.unixSeconds < parts.expires
  }

  private func signature(of text: String) -> String {
    Base64URL.encode(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
  }
}
