public import Contracts
import Crypto
import Foundation
import Persistence
import ServiceKit

/// The changes that operators make to registered clients.
struct ClientChanges: Sendable {
  let core: AuthCore

  init(_ core: AuthCore) { self.core = core }

  /// - Returns: The id and the secret, which is not stored and cannot be shown again.
  func create(_ name: String, scopes: [Scope], roles: [Role]) async throws -> (id: UserID, secret: String) {
    let id = core.ids.make(UserID.self)
    let session = core.ids.make(SessionID.self)
    let secret = Base64URL.encode(SecureBytes.random(32))
    try await core.database.write { tx in
      guard try ClientStore.find(name: name, in: tx) == nil else { throw ClientError.nameTaken(name) }
      let client = StoredClient(
        id: id, name: name, secretHash: Self.hash(secret), session: session, scopes: scopes, roles: roles,
        createdAt: tx.now)
      try ClientStore.insert(client, in: tx)
      try tx.audit("client.created", object: client.object, by: .operator)
    }
    return (id, secret)
  }

  /// Refuses the client and the tokens that it has.
  func disable(_ nameOrID: String) async throws {
    try await change(nameOrID, "client.disabled") { client, tx in
      guard client.disabledAt == nil else { return false }
      client.disabledAt = tx.now
      try endTokens(of: &client, in: tx)
      return true
    }
  }

  /// Admits the client again; tokens from before stay refused.
  func enable(_ nameOrID: String) async throws {
    try await change(nameOrID, "client.enabled") { client, _ in
      defer { client.disabledAt = nil }
      return client.disabledAt != nil
    }
  }

  /// Replaces the secret and refuses the tokens that were issued for the old one.
  /// - Returns: The new secret.
  func rotate(_ nameOrID: String) async throws -> String {
    let secret = Base64URL.encode(SecureBytes.random(32))
    try await change(nameOrID, "client.secret-rotated") { client, tx in
      client.secretHash = Self.hash(secret)
      try endTokens(of: &client, in: tx)
      return true
    }
    return secret
  }

  /// - Parameter body: Returns whether something changes.
  private func change(
    _ nameOrID: String, _ action: String,
    _ body: @escaping @Sendable (inout StoredClient, Transaction) throws -> Bool
  ) async throws {
    try await core.database.write { tx in
      let found = try UserID(nameOrID).flatMap { try ClientStore.find($0, in: tx) }
      guard var client = try found ?? ClientStore.find(name: nameOrID, in: tx) else {
        throw ClientError.unknown(nameOrID)
      }
      guard try body(&client, tx) else { return }
      try ClientStore.update(client, in: tx)
      try tx.audit(action, object: client.object, by: .operator)
    }
  }

  private func endTokens(of client: inout StoredClient, in tx: Transaction) throws {
    try SessionStore.revoke(client.session, in: tx)
    client.session = core.ids.make()
  }

  /// The secret has 256 random bits, so a fast hash is sufficient.
  static func hash(_ secret: String) -> String { Base64URL.encode(SHA256.hash(data: Data(secret.utf8))) }
}

/// The reason why a client cannot be created or changed.
public enum ClientError: Error, CustomStringConvertible {
  case unknown(String)
  case nameTaken(String)

  public var description: String {
    switch self {
    case .unknown(let name): "There is no client with the name or id \(name)."
    case .nameTaken(let name): "There is a client with the name \(name)."
    }
  }
}

/// A registered client as operators see it.
public struct ClientDescription: Sendable {
  public let id: UserID
  public let name: String
  public let scopes: [Scope]
  public let roles: [Role]
  public let createdAt: Timestamp
  public let disabledAt: Timestamp?
}

extension AuthPlugin {
  /// Registers a client that obtains its own tokens.
  /// - Returns: The client's id and its secret, which is not stored.
  public func createClient(_ name: String, scopes: [Scope], roles: [Role]) async throws -> (id: UserID, secret: String)
  {
    try await ClientChanges(core).create(name, scopes: scopes, roles: roles)
  }

  /// Refuses a client and its tokens; every service learns it within seconds.
  public func disableClient(_ nameOrID: String) async throws { try await ClientChanges(core).disable(nameOrID) }

  /// Admits a disabled client again.
  public func enableClient(_ nameOrID: String) async throws { try await ClientChanges(core).enable(nameOrID) }

  /// Replaces a client's secret and refuses its tokens.
  /// - Returns: The new secret, which is not stored.
  public func rotateClient(_ nameOrID: String) async throws -> String { try await ClientChanges(core).rotate(nameOrID) }

  /// The registered clients in the order of their names.
  public func clients() async throws -> [ClientDescription] {
    try await core.database.read { db in
      try ClientStore.list(in: db).map { client in
        ClientDescription(
          id: client.id, name: client.name, scopes: client.scopes, roles: client.roles, createdAt: client.createdAt,
          disabledAt: client.disabledAt)
      }
    }
  }
}
