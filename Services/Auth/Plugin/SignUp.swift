import Contracts
import Persistence

struct SignUp: Sendable {
  let database: any Database
  let hasher: PasswordHasher
  let sessions: Sessions
  let tokens: TokenIssue
  let ids: IDGenerator

  func callAsFunction(_ form: AuthAPI.SignUp.Body) async throws -> Authentication {
    let hash = try await hasher.hash(form.password.rawValue)
    let id = ids.make(UserID.self)
    let app = form.app ?? .web
    do {
      let (account, session) = try await database.write { tx in
        let account = Account(
          id: id,
          email: form.email.rawValue,
          username: form.username.rawValue,
          displayName: form.displayName.rawValue,
          bio: nil,
          roles: [.user],
          createdAt: tx.now,
          version: 1
        )
        try tx.execute(
          """
          INSERT INTO users (id, email, username, display_name, password_hash, roles, created_at, version)
          VALUES (\(id), \(account.email), \(account.username), \(account.displayName), \(hash),
                  \(Role.user.rawValue), \(tx.now), 1)
          """
        )
        try tx.record(UserRegistered(userID: id, app: app))
        return (account, try sessions.begin(for: id, app: app, in: tx))
      }
      return try await tokens(account, session)
    } catch let error as DatabaseError where error.isUniqueViolation(of: "users.email") {
      throw Problem(.emailTaken, errors: [.init(location: "body.email", message: "has an account")])
    } catch let error as DatabaseError where error.isUniqueViolation(of: "users.username") {
      throw Problem(.usernameTaken, errors: [.init(location: "body.username", message: "is taken")])
    }
  }
}
