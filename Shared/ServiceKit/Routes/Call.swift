public import Contracts
public import HTTPServing
public import HTTPTypes
public import Logging
public import Persistence

/// The context of a call to an endpoint: the caller, the headers, and the raw body.
public struct Call: Sendable {
  /// The authenticated caller.
  public enum Caller: Sendable {
    case anonymous
    case user(UserCaller)
    case service(String)
  }

  public let caller: Caller
  public let context: RequestContext
  public let headers: HTTPFields
  /// The raw body, for signature verification.
  public let body: [UInt8]
  /// The body of an operation that accepts files; removed after the call.
  public let file: BodyFile?
  /// The idempotency key of keyed operations; passed to ``Persistence/Transaction/idempotent(_:_:)``.
  public let idempotencyKey: IdempotentRequest?

  /// The signed-in user.
  /// - Throws: ``Problem`` 401 when the endpoint is public and no user is signed in.
  public var user: UserCaller {
    get throws {
      guard case .user(let user) = caller else { throw Problem(.tokenMissing) }
      return user
    }
  }

  /// The signed-in user, if there is one.
  public var identifiedUser: UserCaller? {
    if case .user(let user) = caller { user } else { nil }
  }

  /// The sender of a verified token as recorded in the audit trail, for endpoints that anyone may call.
  public func auditActor(as user: UserCaller) -> AuditActor {
    if user.isClient { return AuditActor("client:\(user.id)", address: context.clientAddress) }
    return .user(user.id, session: user.sessionID, address: context.clientAddress, app: user.app)
  }

  /// The caller as recorded when data of others are read in the rights of staff; `nil` for everyone else.
  public var staffActor: AuditActor? { identifiedUser?.isStaff == true ? auditActor : nil }

  public var logger: Logger { context.logger }

  /// The caller as recorded in the audit trail.
  public var auditActor: AuditActor {
    switch caller {
    case .anonymous: AuditActor("anonymous", address: context.clientAddress)
    case .user(let user): auditActor(as: user)
    case .service(let name): AuditActor("service:\(name)", address: context.clientAddress)
    }
  }
}

extension Call {
  /// The caller's network, for limits on anonymous requests.
  public var network: String { ClientNetwork.of(context.clientAddress ?? "unknown") }
}
