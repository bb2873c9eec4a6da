import Contracts
import Persistence
import ServiceKit

/// Creates accounts: with a password, as a guest, and by upgrading a guest to a full account.
struct SignUp: Sendable {
  let database: any Database
  let accounts: AccountStore
  let hasher: PasswordHasher
  let commonPasswords: CommonPasswords
  let verification: EmailVerification
  let sessions: Sessions
  let tokens: TokenIssue
  let ids: IDGenerator

  func callAsFunction(_ form: AuthAPI.SignUp, _ terminal: Terminal) async throws -> Authentication {
    try commonPasswords.check(form.password, names: [form.email.rawValue, form.username.rawValue])
    let hash = try await hasher.hash(form.password.rawValue)
    let id = ids.make(UserID.self)
    let app = form.app ?? .web
    let (account, session) = try await database.write { [accounts, sessions, verification] tx in
      let stored = StoredAccount(
        account: Account(
          id: id,
          email: form.email.rawValue,
          isEmailVerified: false,
          username: form.username.rawValue,
          displayName: form.displayName.rawValue,
          hasPassword: true,
          roles: [.user],
          createdAt: tx.now,
          version: 1
        ),
        passwordHash: hash
      )
      try accounts.insert(stored, in: tx)
      try tx.record(UserRegistered(userID: id, app: app))
      try tx.audit("account.created", object: stored.object, by: .user(id, address: terminal.address))
      try verification.send(to: form.email, of: id, in: tx)
      return (stored.account, try sessions.begin(for: id, app: app, on: terminal, in: tx))
    }
    return try await tokens(account, session)
  }

  func guest(_ app: ClientApp, _ terminal: Terminal) async throws -> Authentication {
    let id = ids.make(UserID.self)
    let (account, session) = try await database.write { [accounts, sessions] tx in
      let stored = StoredAccount(
        account: Account(
          id: id,
          email: nil,
          isEmailVerified: false,
          username: nil,
          displayName: "Guest",
          hasPassword: false,
          roles: [.guest],
          createdAt: tx.now,
          version: 1
        )
      )
      try accounts.insert(stored, in: tx)
      try tx.record(UserRegistered(userID: id, app: app))
      try tx.audit("account.created", object: stored.object, by: .user(id, address: terminal.address))
      return (stored.account, try sessions.begin(for: id, app: app, on: terminal, in: tx))
    }
    return try await tokens(account, session)
  }

  /// The guest's session continues; its new tokens carry the new role.
  func upgrade(_ user: UserCaller, _ form: AuthAPI.Upgrade, by actor: AuditActor) async throws -> Authentication {
    try commonPasswords.check(form.password, names: [form.email.rawValue, form.username.rawValue])
    let hash = try await hasher.hash(form.password.rawValue)
    let (account, session) = try await database.write { [accounts, sessions, verification] tx in
      var stored = try accounts.required(user.id, in: tx)
      guard stored.isGuest else { throw Problem(.notAGuest) }
      guard let session = try sessions.find(user.sessionID, in: tx), session.revokedAt == nil else {
        throw Problem(.sessionRevoked)
      }
      stored.account.email = form.email.rawValue
      stored.account.username = form.username.rawValue
      stored.account.displayName = form.displayName.rawValue
      stored.account.roles = [.user]
      stored.passwordHash = hash
      try accounts.update(&stored, in: tx)
      try tx.record(UserChanged(userID: user.id, version: stored.account.version))
      try tx.audit("account.upgraded", object: stored.object, by: actor)
      try verification.send(to: form.email, of: user.id, in: tx)
      return (stored.account, session)
    }
    return try await tokens(account, session)
  }
}
