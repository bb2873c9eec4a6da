import Contracts
import HTTPServing
import HTTPTypes
import HummingbirdCore

/// Authenticates and authorizes callers; denies by default.
struct AccessGuard: Sendable {
  /// The name of the called service.
  let service: String
  let tokens: TokenVerifier
  let identity: ServiceIdentity
  let switches: FeatureSwitches

  /// - Parameter connection: `nil` for in-process calls.
  func admit(_ request: Request, to operation: Contracts.Operation, on connection: ClientConnection?) async throws
    -> Call.Caller
  {
    if operation.problems.contains(.switchedOff) { try await switches.requireKnown() }
    switch operation.access {
    case .anyone: return .anonymous
    case .anyoneIdentified:
      guard request.headers.contains(.authorization) else { return .anonymous }
      let user = try await user(request)
      if user.isClient { return .anonymous }
      try user.require(operation.scope)
      return .user(user)
    case .user:
      let user = try await user(request)
      guard !user.isClient else { throw Problem(.forbidden, detail: "Clients cannot call this endpoint.") }
      try user.require(operation.scope)
      if operation.publishes { try user.requirePublishing() }
      return .user(user)
    case .roles(let roles):
      let user = try await user(request)
      guard !user.roles.isDisjoint(with: roles) else { throw Problem(.forbidden) }
      try user.require(operation.scope)
      try await tokens.revocations.requireFresh()
      return .user(user)
    case .service(let callers):
      guard let token = BearerToken.read(request.headers[values: .serviceAuthorization]) else {
        throw Problem(.tokenMissing, detail: "A service token is required.")
      }
      let caller = try await identity.verify(token, audience: service)
      // A stolen service key is of no use with the certificate of another service.
      if let connection, try await !connection.isCertified(as: caller) {
        throw Problem(.serviceNotAllowed, detail: "The certificate of the connection does not name \(caller).")
      }
      guard callers.contains(caller) else {
        throw Problem(.serviceNotAllowed, detail: "The service \(caller) is not among those that may call this.")
      }
      return .service(caller)
    }
  }

  private func user(_ request: Request) async throws -> UserCaller {
    guard let token = BearerToken.read(request.headers[values: .authorization]) else { throw Problem(.tokenMissing) }
    return try await tokens.verify(token)
  }
}

/// Reads `Bearer <token>` (RFC 6750 §2.1).
public enum BearerToken {
  /// Returns the token, when the header occurs exactly once and holds a bearer token of at most 8 KiB.
  public static func read(_ values: [String]) -> Substring? {
    guard values.count == 1, let value = values.first, value.utf8.count <= 8192 else { return nil }
    let space = UInt8(ascii: " ")
    guard let end = value.utf8.firstIndex(of: space), value[..<end].lowercased() == "bearer" else { return nil }
    let token = value[end...].utf8.drop { $0 == space }
    return token.isEmpty || token.contains(space) ? nil : Substring(token)
  }
}
