import Contracts
import Persistence

struct LogIn: Sendable {
  private let database: any Database
  private let hasher: PasswordHasher
  private let sessions: Sessions
  private let tokens: TokenIssue
  /// Verified for logins that do not exist, so that they take as long as those that do.
  private let decoyHash: String

  init(database: any Database, hasher: PasswordHasher, sessions: Sessions, tokens: TokenIssue) async throws {
    self.database = database
    self.hasher = hasher
    self.sessions = sessions
    self.tokens = tokens
    decoyHash = try await hasher.hash("decoy")
  }

  func callAsFunction(_ form: AuthAPI.LogIn.Body) async throws -> Authentication {
    let known = try await database.read { db in try AccountStore.find(login: form.login, in: db) }
    let isRight = try await hasher.verify(form.password, against: known?.hash ?? decoyHash)
    guard let known, isRight else { throw Problem(.invalidCredentials) }
    let session = try await database.write { tx in
      try sessions.begin(for: known.account.id, app: form.app ?? .web, in: tx)
    }
    return try await tokens(known.account, session)
  }
}
