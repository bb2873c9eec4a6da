import Contracts
import Crypto
import Foundation
import Persistence
import ServiceKit

/// Registered clients: other backends, which obtain tokens with the client credentials grant (RFC 6749 §4.4).
struct Clients: Feature {
  let database: any Database
  let throttle: Throttle
  let tokens: TokenIssuer
  let ids: IDGenerator

  init(_ core: AuthCore) {
    (database, throttle, tokens, ids) = (core.database, core.throttle, core.tokens, core.ids)
  }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.IssueToken.self) { request, call in try await issue(request, ClientInfo(call.context)) }
  }

  /// - Returns: The id and the secret, which is not stored and cannot be shown again.
  func create(_ name: String, scopes: [Scope], roles: [Role]) async throws -> (id: UserID, secret: String) {
    let id = ids.make(UserID.self)
    let secret = Base64URL.encode(SecureBytes.random(32))
    let client = StoredClient(id: id, secretHash: Self.hash(secret), scopes: scopes, roles: roles)
    try await database.write { tx in
      try ClientStore.insert(client, name: name, in: tx)
      try tx.audit("client.created", object: "client:\(id)", by: .operator)
    }
    return (id, secret)
  }

  func issue(_ request: AuthAPI.IssueToken, _ clientInfo: ClientInfo) async throws -> ClientToken {
    let account = throttle.account(request.clientID, for: "client")
    let address = throttle.address(clientInfo.address)
    try await throttle.recordAttempt([account, address])
    guard let id = UserID(request.clientID),
      let client = try await database.read({ db in try ClientStore.find(id, in: db) }),
      SecureBytes.areEqual(client.secretHash.utf8, Self.hash(request.clientSecret).utf8)
    else { throw Problem(.invalidClient) }
    let wanted = request.scope?.split(separator: " ").map { Scope(rawValue: String($0)) }
    let scopes = wanted.map { $0.compactMap { $0 } } ?? client.scopes
    guard scopes.count == wanted?.count ?? scopes.count, Set(scopes).isSubset(of: client.scopes) else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.scope", message: "exceeds the client's scopes")])
    }
    try await database.write { tx in
      try Throttle.reset(account, address, in: tx)
      try tx.audit("token.issued", object: "client:\(id)", by: AuditActor("client:\(id)", address: clientInfo.address))
    }
    return try await tokens(client, scopes: scopes)
  }

  /// The secret has 256 random bits, so a fast hash is sufficient.
  private static func hash(_ secret: String) -> String { Base64URL.encode(SHA256.hash(data: Data(secret.utf8))) }
}
