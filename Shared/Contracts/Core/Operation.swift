/// Everything a caller, a server and the gateway must agree on about one endpoint.
public struct Operation: Sendable {
  /// HTTP methods that endpoints use.
  public enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case put = "PUT"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// Who may call. Checked by the service itself; the gateway only turns callers without a valid token away early.
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
    /// Reads only; may be repeated freely.
    case safe
    /// Repeating it has the effect of sending it once (PUT, DELETE).
    case idempotent
    /// Repeatable under an `Idempotency-Key`; without the key the request is refused when `required`.
    case keyed(required: Bool)
    /// Never repeated automatically.
    case once

    /// Whether a client may send the request again without a key.
    public var isRepeatable: Bool { self == .safe || self == .idempotent }
  }

  /// Bounds of one call.
  public struct Limits: Sendable, Equatable {
    /// Largest accepted body in bytes; more is answered 413.
    public var bodyBytes: Int
    /// Longest time that callers wait for the answer, in seconds; the gateway then answers 504.
    public var seconds: Double

    /// Creates limits; 64 KiB and 10 seconds unless said otherwise.
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
  /// HTTP status of a successful answer.
  public var success: Int
  /// Problems beyond the general ones (``Problem/Kind/general``) that the operation may answer.
  public var problems: [Problem.Kind]
  public var limits: Limits
  /// Whether the body may also come as an HTML form (`application/x-www-form-urlencoded` or `multipart/form-data`), as OAuth 2 and one-click
  /// unsubscribing want it.
  public var takesForms: Bool
  /// Whether the body may also come as text (`text/csv`, `text/plain`), which the endpoint then gets as a JSON string.
  public var takesText: Bool

  /// Describes an operation. `idempotency` follows from the method unless given: GET is safe, PUT and DELETE are
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
    takesForms: Bool = false,
    takesText: Bool = false
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
    self.takesForms = takesForms
    self.takesText = takesText
  }
}

/// What a user is allowed to be. The least of them, `guest`, has no password or e-mail.
public enum Role: String, WireEnum {
  case guest, user, producer, artist, owner, instructor, support, administrator
}
