/// The contract of one endpoint, shared by clients, the server and the gateway.
public struct Operation: Sendable {
  /// HTTP methods that endpoints use.
  public enum Method: String, WireEnum {
    case get = "GET"
    case put = "PUT"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"
    /// Declared by routes whose HEAD is not that of a GET.
    case head = "HEAD"
    case options = "OPTIONS"
  }

  /// The callers that an operation admits. The service itself checks it; the gateway only rejects callers without a
  /// valid token early.
  public enum Access: Sendable, Equatable {
    /// No token needed.
    case anyone
    /// No token needed; a user who sends one is identified. An invalid token, or one without the operation's scope, is
    /// refused.
    case anyoneIdentified
    /// A signed-in user whose token has the operation's scope.
    case user
    /// A user or client with one of these roles and the scope `administration`.
    case roles([Role])
    /// One of these other services of the platform, never reachable through the gateway.
    case service(ServiceCallers)

    /// The roles that run the shop.
    public static let owners = Self.roles([.owner, .administrator])

    /// Whether callers need an access token.
    public var needsToken: Bool { self != .anyone && self != .anyoneIdentified }

    /// Whether a token is looked at.
    public var readsToken: Bool { needsToken && !isForServices || self == .anyoneIdentified }

    fileprivate func scope(named scope: Scope?, of path: PathTemplate) -> Scope? {
      switch self {
      case .anyone, .service: nil
      case .user, .anyoneIdentified: scope ?? Scope.of(path)
      case .roles: .administration
      }
    }
  }

  /// The effect of sending the same request twice.
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
    /// Anything, received into a file that the handler reads, for bodies too large for memory; of
    /// `multipart/form-data`, the first file. The endpoint has a ``RawBody``.
    public static let file = Self(rawValue: 16)
  }

  /// The caches in which the responses of a read may be kept. A kept response is used again only after the service has
  /// confirmed it.
  public enum Caching: Sendable, Equatable {
    /// Anywhere, also in caches that several users share.
    case shared
    /// In the app that asked.
    case own
    /// Nowhere.
    case nowhere
  }

  /// The cost of a request, by which the edge limits how often a caller may send it.
  public enum Cost: String, WireEnum {
    /// The usual cost of the method: a read, which is a search when it has a `query`, a write, or signing in.
    case usual
    /// Some times a usual request, because it reads or computes much: statistics, exports, imports, reports.
    case costly
    /// Makes an account for which its caller has to prove nothing.
    case account
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
  /// The scope that the caller's token needs, by default that of the path's resource (``Scope/resources``);
  /// `nil` where no token is read. A service with an operation that needs a token but names no scope does not start.
  public var scope: Scope?
  public var idempotency: Idempotency
  /// HTTP status of a successful response.
  public var success: Int
  /// Problems beyond the general ones (``Problem/Kind/general``) that the operation may return.
  public var problems: [Problem.Kind]
  public var limits: Limits
  public var accepts: BodyFormats
  /// The caches in which responses to a read may be kept; none by default, because most are personal. A response to an
  /// identified user is kept in the app at most.
  public var caching: Caching
  /// Header fields of the request on which the response of a read depends, such as `Accept-Language`.
  public var variesBy: [String]
  public var cost: Cost
  /// Whether it publishes something or shares it with others, which minors may only do with a guardian's consent
  /// (`guardian-consent-required`).
  public var publishes: Bool

  public static let get = Declaration(method: .get, idempotency: .safe)
  public static let put = Declaration(method: .put, idempotency: .idempotent)
  public static let post = Declaration(method: .post, idempotency: .once)
  public static let patch = Declaration(method: .patch, idempotency: .once)
  public static let delete = Declaration(method: .delete, idempotency: .idempotent)
  public static let head = Declaration(method: .head, idempotency: .safe)
  public static let options = Declaration(method: .options, idempotency: .safe)

  /// Declares an operation of one method: `Operation.get("/v1/cart", "Get the caller's cart")`.
  public struct Declaration: Sendable {
    fileprivate let method: Method
    /// The default of the method.
    fileprivate let idempotency: Idempotency

    public func callAsFunction(
      _ path: PathTemplate, _ summary: String, publishes: Bool = false,
      access: Access = .user, scope: Scope? = nil, idempotency: Idempotency? = nil, success: Int = 200,
      problems: [Problem.Kind] = [], limits: Limits = Limits(), accepts: BodyFormats = .json,
      caching: Caching = .nowhere, variesBy: [String] = [], cost: Cost = .usual
    ) -> Operation {
      var all = problems
      if publishes { all.append(.guardianConsentRequired) }
      return Operation(
        method: method, path: path, summary: summary, access: access,
        scope: access.scope(named: scope, of: path), idempotency: idempotency ?? self.idempotency, success: success,
        problems: all, limits: limits, accepts: accepts, caching: caching, variesBy: variesBy,
        cost: cost, publishes: publishes
      )
    }
  }
}

/// The roles of users. The least privileged role, `guest`, has no password or e-mail address.
public enum Role: String, WireEnum {
  case guest, user, producer, artist, owner, instructor, support, administrator
}
