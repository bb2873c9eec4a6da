/// The contract of one endpoint, shared by clients, the server and the gateway.
public struct Operation: Sendable {
  /// HTTP methods that endpoints use.
  public enum Method: String, WireEnum {
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
  public enum Idempotency: String, WireEnum {
    /// Read-only; may be repeated freely.
    case safe
    /// Repeating it has the same effect as sending it once (PUT, DELETE).
    case idempotent
    /// Repeatable under an `Idempotency-Key`.
    case acceptsKey
    /// Rejected without an `Idempotency-Key`, which makes it repeatable.
    case requiresKey
    /// Never repeated automatically.
    case once

    /// Whether a client may send the request again without a key.
    public var isRepeatable: Bool { self == .safe || self == .idempotent }

    /// Whether the request may carry an `Idempotency-Key`.
    public var takesKey: Bool { self == .acceptsKey || self == .requiresKey }
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

  /// Where the responses of a read may be kept. A kept response is used again only after the service has confirmed it.
  public enum Caching: Sendable, Equatable {
    /// Anywhere, also in caches that several users share.
    case shared
    /// In the app that asked.
    case own
    /// Nowhere.
    case nowhere
  }

  /// Limits of one call.
  public struct Limits: Sendable, Equatable {
    /// Maximum body size in bytes; a larger body is rejected with 413.
    public var bodyBytes: Int
    /// Maximum time that callers wait for the response, in seconds; after that, the gateway responds with 504.
    public var seconds: Double

    /// Creates limits; 64 KiB and 10 seconds by default.
    public init(bodyBytes: Int = 65_536, seconds: Double = 10) { (self.bodyBytes, self.seconds) = (bodyBytes, seconds) }
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

  /// Where responses may be kept.
  public var caching: Caching {
    switch access {
    case .anyone: .shared
    case .user: .own
    case .scope, .roles, .service: .nowhere
    }
  }

  // One function for each method, because the method decides what is repeatable. Callers have to be signed in by default.

  public static func get(
    _ path: PathTemplate, _ summary: String, access: Access = .user, idempotency: Idempotency = .safe,
    success: Int = 200,
    problems: [Problem.Kind] = [], limits: Limits = Limits()
  ) -> Operation {
    Operation(
      method: .get, path: path, summary: summary, access: access, idempotency: idempotency, success: success,
      problems: problems, limits: limits, accepts: .json
    )
  }

  public static func put(
    _ path: PathTemplate, _ summary: String, access: Access = .user, idempotency: Idempotency = .idempotent,
    success: Int = 200,
    problems: [Problem.Kind] = [], limits: Limits = Limits()
  ) -> Operation {
    Operation(
      method: .put, path: path, summary: summary, access: access, idempotency: idempotency, success: success,
      problems: problems, limits: limits, accepts: .json
    )
  }

  public static func post(
    _ path: PathTemplate, _ summary: String, access: Access = .user, idempotency: Idempotency = .once,
    success: Int = 200,
    problems: [Problem.Kind] = [], limits: Limits = Limits(), accepts: BodyFormats = .json
  ) -> Operation {
    Operation(
      method: .post, path: path, summary: summary, access: access, idempotency: idempotency, success: success,
      problems: problems, limits: limits, accepts: accepts
    )
  }

  public static func patch(
    _ path: PathTemplate, _ summary: String, access: Access = .user, idempotency: Idempotency = .once,
    success: Int = 200,
    problems: [Problem.Kind] = [], limits: Limits = Limits()
  ) -> Operation {
    Operation(
      method: .patch, path: path, summary: summary, access: access, idempotency: idempotency, success: success,
      problems: problems, limits: limits, accepts: .json
    )
  }

  public static func delete(
    _ path: PathTemplate, _ summary: String, access: Access = .user, idempotency: Idempotency = .idempotent,
    success: Int = 200,
    problems: [Problem.Kind] = [], limits: Limits = Limits()
  ) -> Operation {
    Operation(
      method: .delete, path: path, summary: summary, access: access, idempotency: idempotency, success: success,
      problems: problems, limits: limits, accepts: .json
    )
  }
}

/// The roles of users. The least privileged role, `guest`, has no password or e-mail address.
public enum Role: String, WireEnum {
  case guest, user, producer, artist, owner, instructor, support, administrator
}
