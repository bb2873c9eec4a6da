/// An error on the wire: RFC 9457 `application/problem+json`.
public struct Problem: Error, Codable, Sendable, Equatable {
  /// The kind of a problem; an operation lists the kinds it may return.
  public struct Kind: Sendable, Hashable {
    /// The public name, also the last part of `type`, such as `user-not-found`.
    public let code: String
    public let status: Int
    public let title: String
    /// The reason for which it is returned, in a sentence or two for developers, which may quote `code`.
    public let meaning: String
    /// The recommended reaction of a client.
    public let remedy: String

    public init(_ code: String, status: Int, _ title: String, meaning: String, remedy: String) {
      (self.code, self.status, self.title, self.meaning, self.remedy) = (code, status, title, meaning, remedy)
    }

    /// The path of its explanation, which is its `type`.
    public var type: String { "/problems/\(code)" }
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
  /// The ticket of `second-factor-required` at sign-in: how it continues.
  public var secondFactor: FactorTicket?
  /// Additional header fields of the response, such as `Allow` and `WWW-Authenticate`; sent as headers only.
  public var headers: [String: String] = [:]

  private enum CodingKeys: String, CodingKey { case type, title, status, detail, code, errors, trace, secondFactor }

  public init(_ kind: Kind, detail: String? = nil, errors: [Detail]? = nil, retryAfter: Int? = nil) {
    (self.type, self.title, self.status, self.code) = (kind.type, kind.title, kind.status, kind.code)
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
  public static let malformedRequest = Self(
    "malformed-request", status: 400, "The request is malformed",
    meaning: "The request cannot be read: the body is not valid JSON, or the target or a header field is not "
      + "well-formed.",
    remedy: "Correct the client. The same request will fail again.")
  public static let idempotencyKeyMissing = Self(
    "idempotency-key-missing", status: 400, "An Idempotency-Key is required",
    meaning: "The operation changes something that must not happen twice, so it takes no request without a key.",
    remedy: "Send a new random value in `Idempotency-Key`, and the same one whenever the request is repeated.")
  public static let tokenMissing = Self(
    "token-missing", status: 401, "A bearer token is required",
    meaning: "The operation needs to know the caller.",
    remedy: "Sign in, and send `Authorization: Bearer` with the access token.")
  public static let tokenInvalid = Self(
    "token-invalid", status: 401, "The bearer token is not valid",
    meaning: "The token is not one of this platform, is damaged, or is of a kind that is not accepted here.",
    remedy: "Refresh the token; if that fails, ask the user to sign in.")
  public static let tokenExpired = Self(
    "token-expired", status: 401, "The bearer token has expired",
    meaning: "Access tokens are valid for minutes.",
    remedy: "Refresh the token and send the request again.")
  public static let sessionRevoked = Self(
    "session-revoked", status: 401, "The session has ended",
    meaning: "The user has signed out, on this or another device, or the session was ended for security.",
    remedy: "Delete the stored tokens and ask the user to sign in.")
  public static let forbidden = Self(
    "forbidden", status: 403, "The caller is not permitted to do this",
    meaning: "The caller is known, and does not have the right or the role that the operation needs.",
    remedy: "Do not offer the operation to this user. Another token of the same user does not help.")
  public static let scopeMissing = Self(
    "scope-missing", status: 403, "The token lacks a scope",
    meaning: "The token is of an app that may not use this operation. `detail` and `WWW-Authenticate` name the scope "
      + "(RFC 6750 §3.1).",
    remedy: "Use the app that has the scope; the table of scopes lists them.")
  public static let serviceNotAllowed = Self(
    "service-not-allowed", status: 403, "The calling service is not permitted to do this",
    meaning: "The operation is internal, and the calling service is none that may use it.",
    remedy: "Name the service in the operation's contract, if it should.")
  public static let notFound = Self(
    "not-found", status: 404, "The resource was not found",
    meaning: "No operation has this path, or what it names does not exist for this caller.",
    remedy: "Check the path.")
  public static let methodNotAllowed = Self(
    "method-not-allowed", status: 405, "The method is not allowed",
    meaning: "The path exists, with other methods. `Allow` lists them.",
    remedy: "Use one of the methods in `Allow`.")
  public static let requestInProgress = Self(
    "request-in-progress", status: 409, "The same request is in progress",
    meaning: "A request with the same `Idempotency-Key` is still being processed.",
    remedy: "Wait for a moment, and send the same request again to get its answer.")
  public static let versionMismatch = Self(
    "version-mismatch", status: 412, "The resource has changed",
    meaning: "The version in `If-Match` is not the current one: someone has changed the resource since it was loaded.",
    remedy: "Load the resource again, apply the change to it, and send it with the new `ETag`.")
  public static let bodyTooLarge = Self(
    "body-too-large", status: 413, "The body is too large",
    meaning: "The body exceeds the limit of the operation.",
    remedy: "Send less. Large files are uploaded in pieces, by the upload protocol.")
  public static let rangeNotSatisfiable = Self(
    "range-not-satisfiable", status: 416, "The range is not satisfiable",
    meaning: "`Range` asks for bytes after the end. `Content-Range` says how long the content is.",
    remedy: "Ask for a range within the length.")
  public static let unsupportedMediaType = Self(
    "unsupported-media-type", status: 415, "The body must be JSON",
    meaning: "`Content-Type` is none that the operation takes, which is JSON unless documented otherwise.",
    remedy: "Send `Content-Type: application/json`, or one of the operation's types.")
  public static let invalidRequest = Self(
    "invalid-request", status: 422, "The request contains invalid values",
    meaning: "The request is well-formed, and one or several of its values break a rule. `errors` lists each with its "
      + "place.",
    remedy: "Show each message beside its field, and send the request again after the correction.")
  public static let idempotencyKeyReused = Self(
    "idempotency-key-reused", status: 422, "The key was used for another request",
    meaning: "The key was used for a request with other content.",
    remedy: "Use a new key for each new request, and repeat a request unchanged.")
  public static let tooManyRequests = Self(
    "too-many-requests", status: 429, "Too many requests",
    meaning: "The caller has sent more requests in a short time than are allowed.",
    remedy: "Wait for the seconds in `Retry-After`, and send fewer requests.")
  public static let headTooLarge = Self(
    "head-too-large", status: 431, "The head of the request is too large",
    meaning: "The target, the header fields or the trailers exceed the limits of the server (RFC 6585 §5).",
    remedy: "Send fewer or shorter header fields.")
  public static let internalError = Self(
    "internal-error", status: 500, "An internal error occurred",
    meaning: "The platform has a defect, or a part of it has failed unexpectedly.",
    remedy: "Repeat the request once if it is repeatable. Report the problem with its `trace`.")
  public static let upstreamFailed = Self(
    "upstream-failed", status: 502, "An upstream service failed",
    meaning: "The service behind the gateway, or a provider behind the service, has broken off or answered wrongly.",
    remedy: "Repeat the request after some seconds if it is repeatable.")
  public static let overloaded = Self(
    "overloaded", status: 503, "The service is overloaded",
    meaning: "More requests are waiting than the service can process in time.",
    remedy: "Wait for the seconds in `Retry-After`, and then longer each time.")
  public static let unavailable = Self(
    "unavailable", status: 503, "The service is temporarily unavailable",
    meaning: "The service is starting, stopping or unreachable, or something that it needs is.",
    remedy: "Wait for the seconds in `Retry-After`, and then longer each time.")
  public static let storageFull = Self(
    "storage-full", status: 507, "Insufficient storage",
    meaning: "The storage of the platform is full; reading still works.",
    remedy: "Try again later. Operators have to add storage.")
  public static let upstreamTimeout = Self(
    "upstream-timeout", status: 504, "An upstream service timed out",
    meaning: "The service did not answer in the time that the operation has. Its effect is unknown.",
    remedy: "Repeat the request if it is repeatable, otherwise with the same `Idempotency-Key`, or load the state "
      + "first.")

  // The edge's.
  public static let httpsRequired = Self(
    "https-required", status: 403, "The request must be sent by HTTPS",
    meaning: "The request came without encryption from outside.",
    remedy: "Send it to the same address with `https`.")
  public static let sessionsUnconfirmed = Self(
    "sessions-unconfirmed", status: 503, "It cannot be confirmed that the session has not ended",
    meaning: "The service of accounts does not answer, so it is unknown which sessions have ended. Only administration "
      + "is refused.",
    remedy: "Try again after some seconds.")

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
