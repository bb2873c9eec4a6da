import Contracts
import Persistence
import ServiceKit

/// Creates accounts: with a password, as a guest, and by upgrading a guest to a full account.
struct SignUp: Feature {
  let core: AuthCore
  let photo: ProfilePhoto
  private let profileChange: ProfileChange

  init(_ core: AuthCore) {
    self.core = core
    photo = ProfilePhoto(core)
    profileChange = ProfileChange(core.minors)
  }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.SignUp.self) { request, call in try await signUp(request, ClientInfo(call.context)) }
    routes.on(AuthAPI.SignInAsGuest.self) { request, call in
      try await guest(request.app ?? .web, ClientInfo(call.context))
    }
    routes.on(AuthAPI.Upgrade.self) { request, call in
      try await upgrade(call.user, request, ClientInfo(call.context), by: call.auditActor)
    }
  }

  private func signUp(_ request: AuthAPI.SignUp, _ clientInfo: ClientInfo) async throws -> Authentication {
    try core.switches.require(.signUp)
    let names = try SignUpNames(request.email, request.username, request.displayName)
    try core.commonPasswords.check(request.password, names: [names.email, names.username])
    let hash = try await core.hasher.hash(request.password.rawValue)
    let id = core.ids.make(UserID.self)
    let app = request.app ?? .web
    let (account, session, secret) = try await core.database.write { tx in
      let stored = StoredAccount(
        account: Account(
          id: id,
          email: names.email,
          isEmailVerified: false,
          username: names.username,
          displayName: names.displayName,
          hasPassword: true,
          roles: [.user],
          createdAt: tx.now,
          version: 1
        ),
        passwordHash: hash
      )
      try core.accounts.insert(stored, in: tx)
      try NewAccountStore.add(id, in: tx)
      try tx.record(UserRegistered(userID: id, app: app))
      try tx.audit("account.created", object: stored.object, by: .user(id, address: clientInfo.address))
      if let email = request.email { try core.verification.send(to: email, of: id, for: clientInfo, in: tx) }
      let session = try core.sessions.begin(for: id, app: app, by: [.password], on: clientInfo, in: tx)
      return (stored.account, session, try KnownDeviceStore.remember(nil, of: id, in: tx))
    }
    var answer = try await core.tokens(account, session)
    answer.deviceSecret = secret
    return answer
  }

  func guest(_ app: ClientApp, _ clientInfo: ClientInfo) async throws -> Authentication {
    let id = core.ids.make(UserID.self)
    let (account, session) = try await core.database.write { tx in
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
      try core.accounts.insert(stored, in: tx)
      try tx.record(UserRegistered(userID: id, app: app))
      try tx.audit("account.created", object: stored.object, by: .user(id, address: clientInfo.address))
      return (stored.account, try core.sessions.begin(for: id, app: app, on: clientInfo, in: tx))
    }
    return try await core.tokens(account, session)
  }

  /// The guest's session continues; its new tokens carry the new role.
  func upgrade(_ user: UserCaller, _ request: AuthAPI.Upgrade, _ clientInfo: ClientInfo, by actor: AuditActor)
    async throws -> Authentication
  {
    try core.switches.require(.signUp)
    let names = try SignUpNames(request.email, request.username, request.displayName)
    try core.commonPasswords.check(request.password, names: [names.email, names.username])
    // Without a valid request, no password is hashed.
    let now = core.time.now()
    try await core.database.read { db in
      guard try core.accounts.get(user.id, in: db).isGuest else { throw Problem(.notAGuest) }
      try core.sessions.requireRefreshToken(request.refreshToken, of: user.id, at: now, in: db)
    }
    let change = request.photo.map { Patch.set($0) } ?? .keep
    try await photo.require(change, of: user.id, at: "body.photo")
    let hash = try await core.hasher.hash(request.password.rawValue)
    let (account, session, secret) = try await core.database.write {
      tx in
      var stored = try core.accounts.get(user.id, in: tx)
      let before = stored.account
      guard stored.isGuest else { throw Problem(.notAGuest) }
      try core.sessions.requireRefreshToken(request.refreshToken, of: user.id, in: tx)
      let session = try core.sessions.prove(user.sessionID, by: [.password], in: tx)
      stored.account.email = names.email
      stored.account.username = names.username
      stored.account.displayName = names.displayName
      stored.account.roles = [.user]
      stored.account.details.photo = change.applied(to: before.details.photo)
      stored.passwordHash = hash
      try core.accounts.update(&stored, in: tx)
      try NewAccountStore.add(user.id, in: tx)
      try profileChange.note(from: before, to: stored.account, in: tx)
      try tx.record(GuestSignedIn(guestID: user.id, userID: user.id))
      try tx.audit("account.upgraded", object: stored.object, by: actor)
      if let email = request.email { try core.verification.send(to: email, of: user.id, for: clientInfo, in: tx) }
      return (stored.account, session, try KnownDeviceStore.remember(nil, of: user.id, in: tx))
    }
    var answer = try await core.tokens(account, session)
    answer.deviceSecret = secret
    return answer
  }
}

/// The names by which a new account is signed in to and shown.
struct SignUpNames: Sendable {
  let email: String?
  let username: String?
  let displayName: String

  /// The display name of users who have not chosen one, and have no username: it is public, so it reveals neither
  /// their name nor their address.
  static let newcomer = "New user"

  /// - Throws: ``Problem`` when there is neither an address nor a username.
  init(_ email: EmailAddress?, _ username: Username?, _ displayName: DisplayName?) throws {
    guard email != nil || username != nil else {
      throw Problem(
        .invalidRequest, errors: [.init(location: "body", message: "must have an e-mail address or a username")])
    }
    (self.email, self.username) = (email?.rawValue, username?.rawValue)
    self.displayName = displayName?.rawValue ?? username?.rawValue ?? Self.newcomer
  }
}
