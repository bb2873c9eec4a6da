public import Contracts
import Foundation

/// URLs that one service signs with its own key and another one verifies: path and query with an expiry and an ECDSA
/// signature over both. No secret is shared.
public struct ServiceURLs: Sendable {
  let identity: ServiceIdentity
  /// The service that signs.
  let service: String

  // Separates these signatures from those of tokens, which never contain a line break.
  private static let purpose = "service-url\n"

  /// Returns the path and query with an expiry and a signature.
  ///
  /// - Parameter expiresAt: Within five minutes, because the key that signs may be replaced after that.
  public func sign(_ path: String, _ query: [(name: String, value: String)], until expiresAt: Timestamp) throws
    -> String
  {
    let limit = identity.time.now().advanced(bySeconds: ServiceKeyRing.maxSignedSeconds)
    let url = SignedURL.text(path, query, until: min(expiresAt, limit))
    return SignedURL.append(try identity.sign(Self.purpose + url, as: service), to: url)
  }

  /// Whether a service has signed a URL, which has not expired.
  /// - Throws: ``Problem`` 503 while the service's keys cannot be read.
  public func isValid(_ url: String, by signer: any ServiceAPI.Type, at now: Timestamp) async throws -> Bool {
    guard let parts = SignedURL(url), now.unixSeconds < parts.expires,
      Double(parts.expires) <= Double(now.unixSeconds) + ServiceKeyRing.maxSignedSeconds + TokenVerifier.leeway
    else { return false }
    return try await identity.isSigned(Self.purpose + parts.signed, parts.signature, by: signer.name)
  }
}

/// The text of a signed URL, and its parts.
struct SignedURL {
  let signed: String
  let signature: Substring
  let expires: Int64

  private static let mark = "&signature="

  static func text(_ path: String, _ query: [(name: String, value: String)], until expiresAt: Timestamp) -> String {
    let all = query + [("expires", String(expiresAt.unixSeconds))]
    return "\(path)?"
      + all.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
  }

  static func append(_ signature: String, to text: String) -> String { "\(text)\(mark)\(signature)" }

  /// - Returns: `nil` for a URL without an expiry or a signature.
  init?(_ url: String) {
    guard let mark = url.range(of: Self.mark, options: .backwards) else { return nil }
    (signed, signature) = (String(url[..<mark.lowerBound]), url[mark.upperBound...])
    guard let query = signed.split(separator: "?", maxSplits: 1).last, let fields = PercentCoding.query(query),
      let expires = fields.last(where: { $0.name == "expires" }).flatMap({ Int64($0.value) })
    else { return nil }
    self.expires = expires
  }
}
