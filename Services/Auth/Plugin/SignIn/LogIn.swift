import Contracts
import Persistence
import ServiceKit

/// Sign-in with a password: response and timing are the same whether or not the account exists.
struct LogIn: Sendable {
  let database: any Database
  let accounts: AccountStore
  let passwords: PasswordCheck
  let throttle: Throttle
  let sessions: Sessions
  let tokens: TokenIssue

  func callAsFunction(_ form: AuthAPI.LogIn, _ terminal: Terminal) async throws -> Authentication {
    let account = throttle.account(form.login, for: "login")
    let address = throttle.address(terminal.address)
    try await throttle.begin([account, address])
    let candidates = try await database.read { [accounts] db in try accounts.find(login: form.login, in: db) }
    var known = candidates.first
    var verdict = try await passwords.check(form.password, against: known?.passwordHash)
    if verdict == .wrong, candidates.count > 1 {
      known = candidates[1]
      verdict = try await passwords.check(form.password, against: known?.passwordHash)
    }
    guard let known, verdict != .wrong else {
      try await noteFailure(of: candidates.first, terminal)
      throw Problem(.invalidCredentials)
    }
    guard !known.isDisabled else { throw Problem(.accountDisabled) }
    let (signedIn, session) = try await database.write { [accounts, sessions, verdict] tx in
      try Throttle.forgive(account, address, in: tx)
      var stored = try accounts.required(known.id, in: tx)
      // The password may have been changed, or the account disabled, since the check.
      guard stored.passwordHash == known.passwordHash, !stored.isDisabled else { throw Problem(.invalidCredentials) }
      if case .rightButWeak(let better) = verdict {
        stored.passwordHash = better
        try accounts.learnUsername(form.login, of: &stored, in: tx)
        try accounts.update(&stored, in: tx)
      }
      return (stored.account, try sessions.begin(for: known.id, app: form.app ?? .web, on: terminal, in: tx))
    }
    return try await tokens(signedIn, session)
  }

  /// Audits every failure, including unknown logins, so that the timing is the same.
  private func noteFailure(of stored: StoredAccount?, _ terminal: Terminal) async throws {
    try await database.write { tx in
      try tx.audit(
        "sign-in.failed",
        object: stored?.object ?? "unknown",
        by: AuditActor("anonymous", address: terminal.address)
      )
    }
  }
}
