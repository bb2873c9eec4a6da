import Foundation

/// The location of a bucket of an S3-compatible store, and how it is used.
public struct S3Configuration: Sendable {
  /// Scheme, host and port, such as `https://s3.eu-central-1.amazonaws.com`.
  public let endpoint: String
  /// The endpoint in URLs for others, when they reach the store by another name.
  public let publicEndpoint: String
  public let region: String
  public let bucket: String
  /// The prefix of the keys of the blobs, such as `media/`.
  public let prefix: String
  /// Whether the bucket is in the path, `/bucket/key`, instead of the host, `bucket.host`.
  public let usesPathStyle: Bool
  public let credentials: S3Credentials
  /// Whether uploads state their SHA-256 for the store to keep (`x-amz-checksum-sha256`); older stores refuse that.
  public var usesChecksums = true
  /// Files above this size are sent in parts, of this size at least.
  public var partBytes: Int64 = 8 << 20
  /// How often a request is sent, before the store counts as unavailable.
  public var attempts = 5
  /// Base of the jittered exponential backoff between attempts, in seconds.
  public var backoffSeconds = 0.2
  /// Maximum time without progress, and until a response starts.
  public var stallSeconds = 20.0
  /// Maximum time for a request with its repetitions; the transfer of a body has a second more for each 128 KiB.
  public var totalSeconds = 60.0

  /// - Throws: ``S3ConfigurationError``.
  public init(
    endpoint: String,
    publicEndpoint: String? = nil,
    region: String,
    bucket: String,
    prefix: String = "",
    usesPathStyle: Bool = true,
    credentials: S3Credentials
  ) throws(S3ConfigurationError) {
    self.endpoint = try Self.origin(endpoint, .endpoint)
    self.publicEndpoint = try Self.origin(publicEndpoint ?? endpoint, .publicEndpoint)
    (self.region, self.bucket, self.prefix) = (region, bucket, prefix)
    (self.usesPathStyle, self.credentials) = (usesPathStyle, credentials)
    guard region.wholeMatch(of: /[a-z0-9-]{1,64}/) != nil else { throw S3ConfigurationError(.region) }
    guard bucket.wholeMatch(of: /[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/) != nil, !bucket.contains("..") else {
      throw S3ConfigurationError(.bucket)
    }
    // Keys up to 1024 bytes are allowed; a slash at the start or twice in a row confuses stores.
    guard prefix.wholeMatch(of: /[A-Za-z0-9!_.*'()+=@ \/-]{0,512}/) != nil, !"/\(prefix)".contains("//"),
      !prefix.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
    else { throw S3ConfigurationError(.prefix) }
    guard credentials.accessKey.wholeMatch(of: /[!-.0-~]{1,256}/) != nil else { throw S3ConfigurationError(.accessKey) }
    guard credentials.secretKey.wholeMatch(of: /[!-~]{1,1024}/) != nil else { throw S3ConfigurationError(.secretKey) }
    guard credentials.sessionToken?.wholeMatch(of: /[!-~]{1,8192}/) != nil || credentials.sessionToken == nil else {
      throw S3ConfigurationError(.sessionToken)
    }
  }

  /// Lower-case and without a default port: so libcurl derives the field `Host` from it, which is signed.
  private static func origin(_ text: String, _ field: S3ConfigurationError.Field) throws(S3ConfigurationError) -> String
  {
    guard
      let match = text.lowercased().wholeMatch(of: /(https?):\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?\/?/)
    else { throw S3ConfigurationError(field) }
    let (scheme, host) = (match.1, match.2)
    guard let port = match.3.map({ String($0) }) else { return "\(scheme)://\(host)" }
    guard let number = UInt16(port), number > 0 else { throw S3ConfigurationError(field) }
    return number == (scheme == "https" ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(number)"
  }

  /// The origin of requests, with the bucket if it belongs to the host.
  func origin(of endpoint: String) -> String {
    usesPathStyle ? endpoint : endpoint.replacing("://", with: "://\(bucket).", maxReplacements: 1)
  }

  /// The path of an object, or of the bucket, encoded as it is sent and signed.
  func path(of key: String?) -> String {
    (usesPathStyle ? "/\(bucket)" : "") + (key.map { "/" + S3Encoding.path($0) } ?? (usesPathStyle ? "" : "/"))
  }

  func key(of hash: BlobHash) -> String { prefix + hash.description }
}

/// The credentials of a store; they are never part of a text.
public struct S3Credentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  let accessKey: String
  let secretKey: String
  let sessionToken: String?

  /// - Parameter sessionToken: Of temporary credentials.
  public init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
    (self.accessKey, self.secretKey, self.sessionToken) = (accessKey, secretKey, sessionToken)
  }

  public var description: String { "(hidden)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A part of the configuration that is not valid.
public struct S3ConfigurationError: Error, Equatable {
  public enum Field: Sendable {
    case endpoint, publicEndpoint, region, bucket, prefix, accessKey, secretKey, sessionToken
  }

  public let field: Field

  init(_ field: Field) { self.field = field }
}
