/// An error as it stands on the wire: RFC 9457 `application/problem+json`.
public struct Problem: Error, Codable, Sendable, Equatable {
  /// Which problem it is; an operation lists the kinds it may answer.
  public struct Kind: Sendable, Hashable {
    /// The public name, also the last part of `type`, such as `user-not-found`.
    public let code: String
    public let status: Int
    public let title: String

    public init(_ code: String, status: Int, _ title: String) {
      self.code = code
      self.status = status
      self.title = title
    }
  }

  /// Where in the request a value is wrong, such as `body.email`.
  public struct Detail: Codable, Sendable, Equatable {
    public var location: String
    public var message: String

    public init(location: String, message: String) {
      self.location = location
      self.message = message
    }
  }

  public var type: String
  public var title: String
  public var status: Int
  public var detail: String?
  public var code: String
  public var errors: [Detail]?
  /// The W3C trace id under which the logs speak of this request.
  public var trace: String?
  /// Seconds after which a retry makes sense; travels as `Retry-After`, not in the body.
  public var retryAfter: Int?
  /// Further header fields of the answer, such as `Allow` and `WWW-Authenticate`; they travel as headers only.
  public var headers: [String: String] = [:]

  private enum CodingKeys: String, CodingKey { case type, title, status, detail, code, errors, trace }

  public init(_ kind: Kind, detail: String? = nil, errors: [Detail]? = nil, retryAfter: Int? = nil) {
    type = "/problems/\(kind.code)"
    title = kind.title
    status = kind.status
    code = kind.code
    self.detail = detail
    self.errors = errors
    self.retryAfter = retryAfter
  }

  /// The same problem with one more header field in its answer.
  public func with(header name: String, _ value: String) -> Problem {
    var copy = self
    copy.headers[name] = value
    return copy
  }

  /// Whether this is a problem of that kind.
  public func `is`(_ kind: Kind) -> Bool { code == kind.code }
}

extension Problem.Kind {
  public static let malformedRequest = Self("malformed-request", status: 400, "The request cannot be read")
  public static let idempotencyKeyMissing = Self(
    "idempotency-key-missing",
    status: 400,
    "An Idempotency-Key is required"
  )
  public static let tokenMissing = Self("token-missing", status: 401, "A bearer token is required")
  public static let tokenInvalid = Self("token-invalid", status: 401, "The bearer token is not valid")
  public static let tokenExpired = Self("token-expired", status: 401, "The bearer token has expired")
  public static let sessionRevoked = Self("session-revoked", status: 401, "The session has ended")
  public static let forbidden = Self("forbidden", status: 403, "The caller may not do this")
  public static let notFound = Self("not-found", status: 404, "There is nothing here")
  public static let methodNotAllowed = Self("method-not-allowed", status: 405, "The method is not allowed here")
  public static let requestInProgress = Self("request-in-progress", status: 409, "The same request is still running")
  public static let versionMismatch = Self("version-mismatch", status: 412, "The resource has changed meanwhile")
  public static let bodyTooLarge = Self("body-too-large", status: 413, "The body is too large")
  public static let unsupportedMediaType = Self("unsupported-media-type", status: 415, "The body must be JSON")
  public static let invalidRequest = Self("invalid-request", status: 422, "Values in the request are not valid")
  public static let idempotencyKeyReused = Self(
    "idempotency-key-reused",
    status: 422,
    "The key was used for another request"
  )
  public static let tooManyRequests = Self("too-many-requests", status: 429, "Too many requests")
  public static let internalError = Self("internal-error", status: 500, "Something went wrong on our side")
  public static let upstreamFailed = Self("upstream-failed", status: 502, "A service behind this one failed")
  public static let overloaded = Self("overloaded", status: 503, "Too much work at the moment")
  public static let unavailable = Self("unavailable", status: 503, "The service is not available at the moment")
  public static let storageFull = Self("storage-full", status: 507, "There is no room to store this")
  public static let upstreamTimeout = Self("upstream-timeout", status: 504, "A service behind this one took too long")

  /// Problems that every operation may answer without declaring them.
  public static let general: Set<Self> = [
    .malformedRequest, .idempotencyKeyMissing, .tokenMissing, .tokenInvalid, .tokenExpired, .sessionRevoked, .forbidden,
    .notFound, .methodNotAllowed, .requestInProgress, .versionMismatch, .bodyTooLarge, .unsupportedMediaType,
    .invalidRequest, .idempotencyKeyReused, .tooManyRequests, .internalError, .upstreamFailed, .overloaded,
    .unavailable, .storageFull,
    .upstreamTimeout,
  ]
}
