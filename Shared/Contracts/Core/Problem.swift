/// An error on the wire: RFC 9457 `application/problem+json`.
public struct Problem: Error, Codable, Sendable, Equatable {
  /// The kind of a problem; an operation lists the kinds it may return.
  public struct Kind: Sendable, Hashable {
    /// The public name, also the last part of `type`, such as `user-not-found`.
    public let code: String
    public let status: Int
    public let title: String

    public init(_ code: String, status: Int, _ title: String) {
      (self.code, self.status, self.title) = (code, status, title)
    }
  }

  /// An invalid value in the request, with its location, such as `body.email`.
  public struct Detail: Codable, Sendable, Equatable {
    public var location: String
    public var message: String

    public init(location: String, message: String) { (self.location, self.message) = (location, message) }
  }

  public var type: String
  public var title: String
  public var status: Int
  public var detail: String?
  public var code: String
  public var errors: [Detail]?
  /// The W3C trace id that identifies this request in the logs.
  public var trace: String?
  /// Seconds after which the request may be retried; sent as `Retry-After`, not in the body.
  public var retryAfter: Int?
  /// Of `second-factor-required` at sign-in: how it continues.
  public var secondFactor: FactorTicket?
  /// Additional header fields of the response, such as `Allow` and `WWW-Authenticate`; sent as headers only.
  public var headers: [String: String] = [:]

  private enum CodingKeys: String, CodingKey { case type, title, status, detail, code, errors, trace, secondFactor }

  public init(_ kind: Kind, detail: String? = nil, errors: [Detail]? = nil, retryAfter: Int? = nil) {
    (self.type, self.title, self.status, self.code) = ("/problems/\(kind.code)", kind.title, kind.status, kind.code)
    (self.detail, self.errors, self.retryAfter) = (detail, errors, retryAfter)
  }

  /// The same problem with an additional header field in its response.
  public func with(header name: String, _ value: String) -> Problem {
    var copy = self
    copy.headers[name] = value
    return copy
  }

  /// Whether this is a problem of that kind.
  public func `is`(_ kind: Kind) -> Bool { code == kind.code }
}

extension Problem.Kind {
  public static let malformedRequest = Self("malformed-request", status: 400, "The request is malformed")
  public static let idempotencyKeyMissing = Self(
    "idempotency-key-missing",
    status: 400,
    "An Idempotency-Key is required"
  )
  public static let tokenMissing = Self("token-missing", status: 401, "A bearer token is required")
  public static let tokenInvalid = Self("token-invalid", status: 401, "The bearer token is not valid")
  public static let tokenExpired = Self("token-expired", status: 401, "The bearer token has expired")
  public static let sessionRevoked = Self("session-revoked", status: 401, "The session has ended")
  public static let forbidden = Self("forbidden", status: 403, "The caller is not permitted to do this")
  /// With the scope in `detail` and in `WWW-Authenticate` (RFC 6750 §3.1).
  public static let scopeMissing = Self("scope-missing", status: 403, "The token lacks a scope")
  public static let serviceNotAllowed = Self(
    "service-not-allowed", status: 403, "The calling service is not permitted to do this")
  public static let notFound = Self("not-found", status: 404, "The resource was not found")
  public static let methodNotAllowed = Self("method-not-allowed", status: 405, "The method is not allowed")
  public static let requestInProgress = Self("request-in-progress", status: 409, "The same request is in progress")
  public static let versionMismatch = Self("version-mismatch", status: 412, "The resource has changed")
  public static let bodyTooLarge = Self("body-too-large", status: 413, "The body is too large")
  /// With `Content-Range`, which has the length; of operations whose response is a ``StoredBytes``.
  public static let rangeNotSatisfiable = Self("range-not-satisfiable", status: 416, "The range is not satisfiable")
  public static let unsupportedMediaType = Self("unsupported-media-type", status: 415, "The body must be JSON")
  public static let invalidRequest = Self("invalid-request", status: 422, "The request contains invalid values")
  public static let idempotencyKeyReused = Self(
    "idempotency-key-reused",
    status: 422,
    "The key was used for another request"
  )
  public static let tooManyRequests = Self("too-many-requests", status: 429, "Too many requests")
  /// Header fields or trailers (RFC 6585 §5), or a target at which the parser gives up.
  public static let headTooLarge = Self("head-too-large", status: 431, "The head of the request is too large")
  public static let internalError = Self("internal-error", status: 500, "An internal error occurred")
  public static let upstreamFailed = Self("upstream-failed", status: 502, "An upstream service failed")
  public static let overloaded = Self("overloaded", status: 503, "The service is overloaded")
  public static let unavailable = Self("unavailable", status: 503, "The service is temporarily unavailable")
  public static let storageFull = Self("storage-full", status: 507, "Insufficient storage")
  public static let upstreamTimeout = Self("upstream-timeout", status: 504, "An upstream service timed out")

  // The edge's.
  public static let httpsRequired = Self("https-required", status: 403, "The request must be sent by HTTPS")
  /// Auth does not answer, so it is unknown which sessions have ended; only administration is refused.
  public static let sessionsUnconfirmed = Self(
    "sessions-unconfirmed", status: 503, "It cannot be confirmed that the session has not ended")

  /// Problems that every operation may return without declaring them.
  public static let general: Set<Self> = [
    .malformedRequest, .idempotencyKeyMissing, .tokenMissing, .tokenInvalid, .tokenExpired, .sessionRevoked, .forbidden,
    .scopeMissing,
    .notFound, .methodNotAllowed, .requestInProgress, .versionMismatch, .bodyTooLarge, .headTooLarge,
    .unsupportedMediaType, .invalidRequest, .idempotencyKeyReused, .tooManyRequests, .internalError, .upstreamFailed,
    .overloaded,
    .unavailable, .storageFull, .sessionsUnconfirmed,
    .upstreamTimeout, .httpsRequired, .serviceNotAllowed,
  ]
}
