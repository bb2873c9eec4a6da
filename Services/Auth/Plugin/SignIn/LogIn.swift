import Contracts
import Persistence
import ServiceKit

/// Sign-in with a password: response and timing are the same whether or not the account exists.
struct LogIn: Feature {
  let core: AuthCore
  let guests: GuestSignIn
  let steps: LogInSteps

  init(_ core: AuthCore) { (self.core, guests, steps) = (core, GuestSignIn(core), LogInSteps(core)) }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.LogIn.self) { request, call in try await logIn(request, ClientInfo(call.context)) }
  }

  private func logIn(_ request: AuthAPI.LogIn, _ clientInfo: ClientInfo) async throws -> Authentication {
    let claim = try await guests.verify(request.guest, request.guestRefreshToken)
    let now = core.time.now()
    let (candidates, device) = try await core.database.read { db in
      // A caller who cannot prove to be the guest has not guessed a password either.
      _ = try guests.prove(claim, at: now, in: db)
      let candidates = try core.accounts.find(login: request.login, in: db)
      let device = try KnownDeviceStore.find(request.deviceSecret, in: db)
      return (candidates, device.flatMap { device in candidates.contains { $0.id == device.userID } ? device : nil })
    }
    let guess = try await core.throttle.recordAttempt(
      core.throttle.guess(of: request.login, from: clientInfo.address, on: device))
    var known = candidates.first
    var verdict = try await core.passwordCheck.check(request.password, against: known?.passwordHash)
    if verdict == .wrong, candidates.count > 1 {
      known = candidates[1]
      verdict = try await core.passwordCheck.check(request.password, against: known?.passwordHash)
    }
    guard let known, verdict != .wrong else {
      try await SignInFailures.note(of: candidates.first, from: clientInfo, in: core.database)
      throw Problem(.invalidCredentials)
    }
    guard !known.isDisabled else { throw Problem(.accountDisabled) }
    try await core.database.read { db in try TemporaryPasswordStore.requireNone(of: known.id, in: db) }
    let step = try await core.database.write { [verdict] tx in
      let guest = try guests.prove(claim, in: tx)
      try guess.succeed(in: tx)
      var stored = try core.accounts.get(known.id, in: tx)
      // The password may have been changed, or the account disabled, since the check.
      guard stored.passwordHash == known.passwordHash, !stored.isDisabled else { throw Problem(.invalidCredentials) }
      if case .needsRehash(let better) = verdict {
        stored.passwordHash = better
        try core.accounts.learnUsername(request.login, of: &stored, in: tx)
        try core.accounts.update(&stored, in: tx)
      }
      return try steps.begin(
        stored, request.app ?? .web, by: [.password], guest: guest, device: request.deviceSecret, on: clientInfo, in: tx
      )
    }
    return try await steps.answer(step)
  }
}

enum SignInFailures {
  /// Audits every failure, including unknown logins, so that the timing is the same.
  static func note(of stored: StoredAccount?, from clientInfo: ClientInfo, in database: any Database) async throws {
    try await database.write { tx in
      try tx.audit(
        "sign-in.failed",
        object: stored?.object ?? "unknown",
        by: AuditActor("anonymous", address: clientInfo.address)
      )
    }
  }
}
