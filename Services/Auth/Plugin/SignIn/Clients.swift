import Contracts
import Persistence
import ServiceKit

/// Registered clients: other backends, which obtain tokens with the client credentials grant (RFC 6749 §4.4).
struct Clients: Feature {
  let core: AuthCore

  init(_ core: AuthCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.IssueToken.self) { request, call in try await issue(request, ClientInfo(call.context)) }
  }

  func issue(_ request: AuthAPI.IssueToken, _ clientInfo: ClientInfo) async throws -> ClientToken {
    let guess = core.throttle.guess(ofClient: request.clientID, from: clientInfo.address)
    try await core.throttle.recordAttempt(guess)
    guard let id = UserID(request.clientID),
      let client = try await core.database.read({ db in try ClientStore.find(id, in: db) }),
      SecureBytes.areEqual(client.secretHash.utf8, ClientChanges.hash(request.clientSecret).utf8),
      client.disabledAt == nil
    else { throw Problem(.invalidClient) }
    let wanted = request.scope?.split(separator: " ").map { Scope(rawValue: String($0)) }
    let scopes = wanted.map { $0.compactMap { $0 } } ?? client.scopes
    guard scopes.count == wanted?.count ?? scopes.count, Set(scopes).isSubset(of: client.scopes) else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.scope", message: "exceeds the client's scopes")])
    }
    try await core.database.write { tx in
      try guess.succeed(in: tx)
      try tx.audit("token.issued", object: client.object, by: AuditActor(client.object, address: clientInfo.address))
    }
    return try await core.tokens(client, scopes: scopes)
  }
}
