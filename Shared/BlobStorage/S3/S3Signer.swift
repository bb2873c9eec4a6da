import Crypto
import Foundation

/// Signs requests by AWS Signature Version 4, as the service `s3` wants it: the path is encoded once, and every
/// parameter of the query has an `=`.
///
/// Source: "Authenticating Requests (AWS Signature Version 4)", Amazon S3 API reference.
struct S3Signer: Sendable {
  static let unsignedPayload = "UNSIGNED-PAYLOAD"

  let credentials: S3Credentials
  let region: String

  /// The parts of a request that are signed.
  struct Parts {
    var method: String
    var host: String
    /// Encoded.
    var path: String
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
  }

  /// The fields to be added to a request, all of whose own fields are signed.
  ///
  /// - Parameters:
  ///   - payloadHash: The SHA-256 of the body in hexadecimal digits, or ``unsignedPayload``.
  ///   - seconds: The time since 1970.
  func fields(for parts: Parts, payloadHash: String, at seconds: Int64) -> [(name: String, value: String)] {
    let timestamp = S3Encoding.timestamp(seconds)
    var added = [("x-amz-content-sha256", payloadHash), ("x-amz-date", timestamp)]
    if let token = credentials.sessionToken { added.append(("x-amz-security-token", token)) }
    let fields = Self.canonicalFields(parts.headers + added + [("host", parts.host)])
    let signature = signature(of: parts, parts.query, fields, payloadHash, timestamp)
    let authorization =
      "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope(timestamp)), "
      + "SignedHeaders=\(Self.names(fields)), Signature=\(signature)"
    return added + [("authorization", authorization)]
  }

  /// The query of a URL that is valid for some time, from 1 to 604,800 seconds, without further fields.
  func presignedQuery(for parts: Parts, validFor duration: Int, at seconds: Int64) -> String {
    let timestamp = S3Encoding.timestamp(seconds)
    let fields = Self.canonicalFields(parts.headers + [("host", parts.host)])
    var query = parts.query
    query += [
      ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
      ("X-Amz-Credential", "\(credentials.accessKey)/\(scope(timestamp))"),
      ("X-Amz-Date", timestamp),
      ("X-Amz-Expires", String(min(max(duration, 1), 604_800))),
      ("X-Amz-SignedHeaders", Self.names(fields)),
    ]
    if let token = credentials.sessionToken { query.append(("X-Amz-Security-Token", token)) }
    let signature = signature(of: parts, query, fields, Self.unsignedPayload, timestamp)
    return Self.encoded(query).map { "\($0.name)=\($0.value)" }.joined(separator: "&") + "&X-Amz-Signature=\(signature)"
  }

  // MARK: the steps of the signature

  private func signature(
    of parts: Parts,
    _ query: [(name: String, value: String)],
    _ fields: [(name: String, value: String)],
    _ payloadHash: String,
    _ timestamp: String
  ) -> String {
    let sorted = Self.encoded(query).sorted { ($0.name, $0.value) < ($1.name, $1.value) }
    let request = [
      parts.method, parts.path, sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "&"),
      fields.map { "\($0.name):\($0.value)\n" }.joined(), Self.names(fields), payloadHash,
    ].joined(separator: "\n")
    let digest = BlobHash.hex(SHA256.hash(data: Array(request.utf8)))
    let text = ["AWS4-HMAC-SHA256", timestamp, scope(timestamp), digest].joined(separator: "\n")
    return BlobHash.hex(Self.authenticate(text, SymmetricKey(data: key(for: timestamp))))
  }

  private func scope(_ timestamp: String) -> String { "\(timestamp.prefix(8))/\(region)/s3/aws4_request" }

  private func key(for timestamp: String) -> HMAC<SHA256>.MAC {
    var key = SymmetricKey(data: Array("AWS4\(credentials.secretKey)".utf8))
    for text in [String(timestamp.prefix(8)), region, "s3"] { key = SymmetricKey(data: Self.authenticate(text, key)) }
    return Self.authenticate("aws4_request", key)
  }

  private static func authenticate(_ text: String, _ key: SymmetricKey) -> HMAC<SHA256>.MAC {
    HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
  }

  private static func encoded(_ query: [(name: String, value: String)]) -> [(name: String, value: String)] {
    query.map { (S3Encoding.query($0.name), S3Encoding.query($0.value)) }
  }

  private static func names(_ fields: [(name: String, value: String)]) -> String {
    fields.map(\.name).joined(separator: ";")
  }

  /// Sorted by lower-case names, with the values of equal names joined and every run of spaces made one.
  private static func canonicalFields(_ fields: [(name: String, value: String)]) -> [(name: String, value: String)] {
    let values = Dictionary(grouping: fields.map { ($0.name.lowercased(), collapsed($0.value)) }, by: \.0)
    return values.keys.sorted().map { name in (name, (values[name] ?? []).map(\.1).joined(separator: ",")) }
  }

  private static func collapsed(_ value: String) -> String {
    value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
  }
}
