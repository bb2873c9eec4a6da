import Contracts
import Persistence
import ServiceKit

/// A user's passkeys: adding, naming and deleting them.
struct Passkeys: Feature {
  let core: AuthCore
  let options: PasskeyOptions
  let proof: RecentProof

  /// The transports that WebAuthn knows; others are not stored.
  private static let transports: Set = ["usb", "nfc", "ble", "smart-card", "hybrid", "internal"]

  init(_ core: AuthCore) { (self.core, options, proof) = (core, PasskeyOptions(core), RecentProof(core)) }

  /// The user handle that authenticators store; it says nothing about the person.
  static func handle(of user: UserID) -> [UInt8] { Array(user.rawValue.utf8) }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.PasskeyRegistrationOptions.self) { _, call in
      let user = try call.user
      return try await core.database.write { tx in
        let stored = try proof.requireOfMember(user, in: tx)
        return try options.creation(for: stored, in: user.sessionID, in: tx)
      }
    }
    routes.on(AuthAPI.AddPasskey.self) { request, call in try await add(request, call.user, by: call.auditActor) }
    routes.on(AuthAPI.ListPasskeys.self) { _, call in
      let user = try call.user.id
      return Page(
        items: try await core.database.read { db in try core.factorCheck.passkeys.list(of: user, in: db).map(\.passkey)
        })
    }
    routes.on(AuthAPI.RenamePasskey.self) { request, call in
      let (user, actor) = (try call.user.id, call.auditActor)
      return try await core.database.write { tx in
        var passkey = try core.factorCheck.passkeys.find(request.id, of: user, in: tx).passkey
        passkey.name = request.name
        try core.factorCheck.passkeys.rename(passkey.id, to: request.name, in: tx)
        try tx.audit("passkey.renamed", object: "passkey:\(passkey.id)", by: actor)
        return passkey
      }
    }
    routes.on(AuthAPI.DeletePasskey.self) { request, call -> Void in
      try await delete(request.id, call.user, by: call.auditActor)
    }
  }

  private enum Outcome: Sendable {
    case added(StoredPasskey, Account, Session, recoveryCodes: [String]?)
    case refused
  }

  private func add(_ request: AuthAPI.AddPasskey, _ user: UserCaller, by actor: AuditActor) async throws
    -> EnrolledFactor
  {
    let id = core.ids.make(PasskeyID.self)
    let outcome = try await core.database.write { tx in try add(request, as: id, user, by: actor, in: tx) }
    guard case .added(let stored, let account, let session, let codes) = outcome else {
      throw Problem(.passkeyRefused)
    }
    return EnrolledFactor(
      session: try await core.tokens.proved(account, session), recoveryCodes: codes, passkey: stored.passkey)
  }

  /// A refusal is audited, and its challenge used, so the transaction commits.
  private func add(
    _ request: AuthAPI.AddPasskey, as id: PasskeyID, _ user: UserCaller, by actor: AuditActor, in tx: Transaction
  ) throws -> Outcome {
    let account = try proof.requireOfMember(user, in: tx)
    let made: WebAuthn.Registration
    do {
      made = try core.factorCheck.webAuthn.register(request.credential)
      guard try PasskeyChallengeStore.consume(made.challenge, .registration(user.sessionID), in: tx) else {
        throw PasskeyRefusal.challenge
      }
    } catch let refusal as PasskeyRefusal {
      try tx.audit(
        "passkey.refused", object: account.object, by: actor,
        changes: [AuditChange("reason", from: nil, to: refusal.rawValue)])
      return .refused
    }
    guard try PasskeyStore.count(of: user.id, in: tx).all < PasskeyStore.maxCount else {
      throw Problem(.tooManyPasskeys)
    }
    let isFirst = try !FactorState(of: user.id, in: tx).isProtected
    let stored = StoredPasskey(
      passkey: Passkey(
        id: id, name: request.name, createdAt: tx.now, lastUsedAt: nil, isBackedUp: made.flags.contains(.backedUp),
        isDistrusted: false
      ),
      userID: user.id, credential: request.credential.id.rawValue, key: made.credential.key,
      signCount: Int64(made.signCount), isBackupEligible: made.flags.contains(.backupEligible),
      transports: Self.transports.intersection(request.credential.response.transports ?? []).sorted()
    )
    try core.factorCheck.passkeys.insert(stored, in: tx)
    let codes = isFirst ? try RecoveryCodeStore.replace(of: user.id, in: tx) : nil
    try tx.audit("passkey.added", object: account.object, by: actor)
    try core.factorCheck.mails.send(.passkeyAdded, to: user.id, in: tx)
    let session = try core.sessions.prove(user.sessionID, by: FactorCheck.passkeyMethods, in: tx)
    return .added(stored, account.account, session, recoveryCodes: codes)
  }

  private func delete(_ id: PasskeyID, _ user: UserCaller, by actor: AuditActor) async throws {
    try await core.database.write { tx in
      _ = try proof.requireOfMember(user, in: tx)
      let stored = try core.factorCheck.passkeys.find(id, of: user.id, in: tx)
      try PasskeyStore.delete(stored.id, in: tx)
      try SecondFactorSetup.noteRemoval(of: user.id, in: user.sessionID, by: actor, in: tx)
      try tx.audit("passkey.deleted", object: stored.object, by: actor)
      try core.factorCheck.mails.send(.passkeyRemoved, to: user.id, in: tx)
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("passkeys", try JSONValue(core.factorCheck.passkeys.list(of: user, in: db).map(\.passkey)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try PasskeyStore.delete(of: user, in: tx) }
}
