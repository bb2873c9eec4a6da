import Contracts
import Persistence
import ServiceKit

/// Which accounts have a temporary password, which only serves to choose another one. The password itself is stored as
/// the account's, as a hash.
enum TemporaryPasswordStore {
  /// How long a temporary password is valid, in seconds.
  static let lifetime = 14 * 86_400.0

  /// 80 random bits in groups of letters and digits that are not taken for each other.
  static func make() -> String {
    let letters = Array("0123456789abcdefghjkmnpqrstvwxyz")
    let characters = SecureBytes.random(16).map { letters[Int($0) % letters.count] }
    return stride(from: 0, to: 16, by: 4).map { String(characters[$0..<$0 + 4]) }.joined(separator: "-")
  }

  static func expiry(of user: UserID, in db: any Connection) throws -> Timestamp? {
    try db.value("SELECT expires_at FROM temporary_passwords WHERE user_id = \(user)")
  }

  /// - Throws: ``Problem`` `password-change-required` when the account's password is temporary.
  static func requireNone(of user: UserID, in db: any Connection) throws {
    guard try expiry(of: user, in: db) == nil else { throw Problem(.passwordChangeRequired) }
  }

  static func among(_ users: [UserID], in db: any Connection) throws -> Set<UserID> {
    guard !users.isEmpty else { return [] }
    return Set(
      try db.values("SELECT user_id FROM temporary_passwords WHERE user_id IN \(list: users)", as: UserID.self))
  }

  static func put(for user: UserID, until expiry: Timestamp, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO temporary_passwords (user_id, expires_at) VALUES (\(user), \(expiry))
      ON CONFLICT (user_id) DO UPDATE SET expires_at = excluded.expires_at
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM temporary_passwords WHERE user_id = \(user)")
  }
}

/// Replaces a temporary password and signs in: response and timing are the same whether or not the account exists.
struct FirstPassword: Feature {
  private let core: AuthCore

  init(_ core: AuthCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.ChooseFirstPassword.self) { request, call in
      try await choose(request, ClientInfo(call.context))
    }
  }

  private func choose(_ request: AuthAPI.ChooseFirstPassword, _ clientInfo: ClientInfo) async throws -> Authentication {
    try core.commonPasswords.check(request.password, names: [request.login, request.temporary])
    let account = core.throttle.account(request.login, for: "login")
    let address = core.throttle.address(clientInfo.address)
    try await core.throttle.recordAttempt([account, address])
    let known = try await core.database.read { [core] db in
      try core.accounts.find(login: request.login, in: db).first
    }
    let verdict = try await core.passwordCheck.check(request.temporary, against: known?.passwordHash)
    let hash = try await core.hasher.hash(request.password.rawValue)
    guard let known, verdict != .wrong else { throw Problem(.invalidCredentials) }
    guard !known.isDisabled else { throw Problem(.accountDisabled) }
    let (signedIn, session) = try await core.database.write { [core] tx in
      var stored = try core.accounts.get(known.id, in: tx)
      guard stored.passwordHash == known.passwordHash, !stored.isDisabled,
        let expiry = try TemporaryPasswordStore.expiry(of: known.id, in: tx), expiry > tx.now
      else { throw Problem(.invalidCredentials) }
      try Throttle.reset(account, address, in: tx)
      stored.passwordHash = hash
      try core.accounts.update(&stored, in: tx)
      try TemporaryPasswordStore.delete(of: known.id, in: tx)
      let actor = AuditActor.user(known.id, address: clientInfo.address)
      try tx.audit(
        "password.changed", object: stored.object, by: actor, changes: [.masked("password", hadValue: true)])
      let app = request.app ?? .web
      return (stored.account, try core.sessions.begin(for: known.id, app: app, on: clientInfo, in: tx))
    }
    return try await core.tokens(signedIn, session)
  }
}
