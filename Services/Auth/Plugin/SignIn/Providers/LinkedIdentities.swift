import Contracts
import Crypto
import Persistence
import ServiceKit

/// The identity of a person at a provider.
struct ProviderIdentity: Sendable, Equatable {
  var issuer: String
  var subject: String

  /// Names it to its user, without the provider's number of the person.
  var id: String {
    Base64URL.encode(SHA256.hash(data: Array("identity\n\(issuer)\n\(subject)".utf8)).prefix(16))
  }
}

/// The identities at providers that sign in to an account: linking, listing and deleting them.
struct LinkedIdentities: Feature {
  let core: AuthCore
  let proof: RecentProof

  init(_ core: AuthCore) { (self.core, proof) = (core, RecentProof(core)) }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.ListIdentities.self) { _, call in
      let user = try call.user.id
      return Page(
        items: try await core.database.read { db in
          try IdentityStore.identities(of: user, in: db).map { identity, since in
            LinkedIdentity(id: identity.id, issuer: identity.issuer, createdAt: since)
          }
        })
    }
    routes.on(AuthAPI.DeleteIdentity.self) { request, call -> Void in
      try await delete(request.id, call.user, by: call.auditActor)
    }
  }

  private func delete(_ id: String, _ user: UserCaller, by actor: AuditActor) async throws {
    try await core.database.write { tx in
      let stored = try proof.requireOfMember(user, in: tx)
      let all = try IdentityStore.identities(of: user.id, in: tx).map(\.identity)
      guard let identity = all.first(where: { $0.id == id }) else { throw Problem(.identityNotFound) }
      // A verified address is a way to set a password.
      let hasOther =
        try
        (stored.passwordHash != nil || stored.account.isEmailVerified || all.count > 1
        || PasskeyStore.count(of: user.id, in: tx).trusted > 0)
      guard hasOther else { throw Problem(.lastSignInMethod) }
      try IdentityStore.delete(identity, of: user.id, in: tx)
      try tx.audit(
        "identity.removed", object: stored.object, by: actor,
        changes: [AuditChange("issuer", from: identity.issuer, to: nil)])
      try core.factorCheck.mails.send(.identityRemoved, to: user.id, in: tx)
    }
  }

  /// Links an identity to an account that exists, and notifies its user. Nothing happens when it is linked already.
  func link(_ identity: ProviderIdentity, to stored: StoredAccount, by actor: AuditActor, in tx: Transaction) throws {
    guard try IdentityStore.find(identity, in: tx) == nil else { return }
    try IdentityStore.insert(identity, of: stored.id, in: tx)
    try tx.audit(
      "identity.linked", object: stored.object, by: actor,
      changes: [AuditChange("issuer", from: nil, to: identity.issuer)])
    try core.factorCheck.mails.send(.identityLinked, to: stored.id, in: tx)
  }
}
