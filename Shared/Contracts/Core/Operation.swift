/// The contract of one endpoint, shared by clients, the server and the gateway.
public struct Operation: Sendable {
  /// HTTP methods that endpoints use.
  public enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case put = "PUT"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// Who may call. The service itself checks it; the gateway only rejects callers without a valid token early.
  public enum Access: Sendable, Equatable {
    /// No token needed.
    case anyone
    /// Any signed-in user.
    case user
    /// A user whose token carries this scope.
    case scope(String)
    /// A user or client with one of these roles and the scope `administration`.
    case roles([Role])
    /// Another service of the platform, never reachable through the gateway.
    case service
  }

  /// What happens when the same request is sent twice.
  public enum Idempotency: Sendable, Equatable {
    /// Read-only; may be repeated freely.
    case safe
    /// Repeating it has the same effect as sending it once (PUT, DELETE).
    case idempotent
    /// Repeatable with an `Idempotency-Key`; if `required`, requests without the key are rejected.
    case keyed(required: Bool)
    /// Never repeated automatically.
    case once

    /// Whether a client may send the request again without a key.
    public var isRepeatable: Bool { self == .safe || self == .idempotent }
  }

  /// Media types that a request's body may have.
  public struct BodyFormats: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let json = Self(rawValue: 1)
    /// An HTML form (`application/x-www-form-urlencoded` or `multipart/form-data`), read as an object of strings, as
    /// OAuth 2 and one-click unsubscribing need it.
    public static let form = Self(rawValue: 2)
    /// `text/csv` and `text/plain`, read as one string.
    public static let text = Self(rawValue: 4)
    /// Anything, not read at all; for ``RawBody``.
    public static let raw = Self(rawValue: 8)
  }

  /// Limits of one call.
  public struct Limits: Sendable, Equatable {
    /// Maximum body size in bytes; a larger body is rejected with 413.
    public var bodyBytes: Int
    /// Maximum time that callers wait for the response, in seconds; after that, the gateway responds with 504.
    public var seconds: Double

    /// Creates limits; 64 KiB and 10 seconds by default.
    public init(bodyBytes: Int = 65_536, seconds: Double = 10) {
      self.bodyBytes = bodyBytes
      self.seconds = seconds
    }
  }

  public var method: Method
  public var path: PathTemplate
  public var summary: String
  public var access: Access
  public var idempotency: Idempotency
  /// HTTP status of a successful response.
  public var success: Int
  /// Problems beyond the general ones (``Problem/Kind/general``) that the operation may return.
  public var problems: [Problem.Kind]
  public var limits: Limits
  public var accepts: BodyFormats

  /// Creates an operation. By default, `idempotency` follows from the method: GET is safe, PUT and DELETE are
  /// idempotent, POST and PATCH are sent once.
  public init(
    _ method: Method,
    _ path: PathTemplate,
    _ summary: String,
    access: Access,
    idempotency: Idempotency? = nil,
    success: Int = 200,
    problems: [Problem.Kind] = [],
    limits: Limits = Limits(),
    accepts: BodyFormats = .json
  ) {
    self.method = method
    self.path = path
    self.summary = summary
    self.access = access
    let usual: Idempotency =
      switch method {
      case .get: .safe
      case .put, .delete: .idempotent
      case .post, .patch: .once
      }
    self.idempotency = idempotency ?? usual
    self.success = success
    self.problems = problems
    self.limits = limits
    self.accepts = accepts
  }
}

/// The roles of users. The least privileged role, `guest`, has no password or e-mail address.
public enum Role: String, WireEnum {
  case guest, user, producer, artist, owner, instructor, support, administrator
}
