import Contracts
import Persistence
import ServiceKit

/// Creates accounts: with a password, as a guest, and by upgrading a guest to a full account.
struct SignUp: Feature {
  let database: any Database
  let accounts: AccountStore
  let hasher: PasswordHasher
  let commonPasswords: CommonPasswords
  let verification: EmailVerification
  let sessions: SessionStore
  let tokens: TokenIssuer
  let ids: IDGenerator
  let photo: ProfilePhoto

  init(_ core: AuthCore) {
    photo = ProfilePhoto(core)
    (database, accounts, hasher) = (core.database, core.accounts, core.hasher)
    (commonPasswords, verification) = (core.commonPasswords, core.verification)
    (sessions, tokens, ids) = (core.sessions, core.tokens, core.ids)
  }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.SignUp.self) { request, call in try await signUp(request, ClientInfo(call.context)) }
    routes.on(AuthAPI.SignInAsGuest.self) { request, call in
      try await guest(request.app ?? .web, ClientInfo(call.context))
    }
    routes.on(AuthAPI.Upgrade.self) { request, call in
      try await upgrade(call.user, request, by: call.auditActor)
    }
  }

  private func signUp(_ request: AuthAPI.SignUp, _ clientInfo: ClientInfo) async throws -> Authentication {
    try commonPasswords.check(request.password, names: [request.email.rawValue, request.username.rawValue])
    let hash = try await hasher.hash(request.password.rawValue)
    let id = ids.make(UserID.self)
    let app = request.app ?? .web
    let (account, session) = try await database.write { [accounts, sessions, verification] tx in
      let stored = StoredAccount(
        account: Account(
          id: id,
          email: request.email.rawValue,
          isEmailVerified: false,
          username: request.username.rawValue,
          displayName: request.displayName.rawValue,
          hasPassword: true,
          roles: [.user],
          createdAt: tx.now,
          version: 1
        ),
        passwordHash: hash
      )
      try accounts.insert(stored, in: tx)
      try tx.record(UserRegistered(userID: id, app: app))
      try tx.audit("account.created", object: stored.object, by: .user(id, address: clientInfo.address))
      try verification.send(to: request.email, of: id, in: tx)
      return (stored.account, try sessions.begin(for: id, app: app, by: [.password], on: clientInfo, in: tx))
    }
    return try await tokens(account, session)
  }

  func guest(_ app: ClientApp, _ clientInfo: ClientInfo) async throws -> Authentication {
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
      try tx.audit("account.created", object: stored.object, by: .user(id, address: clientInfo.address))
      return (stored.account, try sessions.begin(for: id, app: app, on: clientInfo, in: tx))
    }
    return try await tokens(account, session)
  }

  /// The guest's session continues; its new tokens carry the new role.
  func upgrade(_ user: UserCaller, _ request: AuthAPI.Upgrade, by actor: AuditActor) async throws -> Authentication {
    try commonPasswords.check(request.password, names: [request.email.rawValue, request.username.rawValue])
    let change = request.photo.map { Patch.set($0) } ?? .keep
    try await photo.require(change, of: user.id, at: "body.photo")
    let hash = try await hasher.hash(request.password.rawValue)
    let (account, session) = try await database.write { [accounts, sessions, verification] tx in
      var stored = try accounts.get(user.id, in: tx)
      let before = stored.account
      guard stored.isGuest else { throw Problem(.notAGuest) }
      let session = try sessions.prove(user.sessionID, by: [.password], in: tx)
      stored.account.email = request.email.rawValue
      stored.account.username = request.username.rawValue
      stored.account.displayName = request.displayName.rawValue
      stored.account.roles = [.user]
      stored.account.details.photo = change.applied(to: before.details.photo)
      stored.passwordHash = hash
      try accounts.update(&stored, in: tx)
      try ProfilePhoto.report(from: before, to: stored.account, in: tx)
      try tx.record(UserChanged(userID: user.id, version: stored.account.version))
      try tx.record(GuestSignedIn(guestID: user.id, userID: user.id))
      try tx.audit("account.upgraded", object: stored.object, by: actor)
      try verification.send(to: request.email, of: user.id, in: tx)
      return (stored.account, session)
    }
    return try await tokens(account, session)
  }
}
