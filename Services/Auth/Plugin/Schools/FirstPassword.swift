import Contracts
import Persistence
import ServiceKit

/// Replaces a temporary password and signs in, with the second factor if one protects the account: a school that resets a
/// password does not get around it. Response and timing are the same whether or not the account exists.
struct FirstPassword: Feature {
  private let core: AuthCore
  private let steps: LogInSteps

  init(_ core: AuthCore) { (self.core, steps) = (core, LogInSteps(core)) }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.ChooseFirstPassword.self) { request, call in
      try await choose(request, ClientInfo(call.context))
    }
  }

  private func choose(_ request: AuthAPI.ChooseFirstPassword, _ clientInfo: ClientInfo) async throws -> Authentication {
    try core.commonPasswords.check(request.password, names: [request.login, request.temporary])
    // The limits are those of every other sign-in: whoever guesses in one network does not keep the member out in
    // another.
    let guess = core.throttle.guess(of: request.login, from: clientInfo.address, on: nil)
    try await core.throttle.recordAttempt(guess)
    let known = try await core.database.read { [core] db in
      try core.accounts.find(login: request.login, in: db).first
    }
    let verdict = try await core.passwordCheck.check(request.temporary, against: known?.passwordHash)
    let hash = try await core.hasher.hash(request.password.rawValue)
    guard let known, verdict != .wrong else {
      try await SignInFailures.note(of: known, from: clientInfo, in: core.database)
      throw Problem(.invalidCredentials)
    }
    guard !known.isDisabled else { throw Problem(.accountDisabled) }
    let step = try await core.database.write { [core, steps] tx -> LogInSteps.Step? in
      var stored = try core.accounts.get(known.id, in: tx)
      guard stored.passwordHash == known.passwordHash, !stored.isDisabled,
        let expiry = try TemporaryPasswordStore.expiry(of: known.id, in: tx), expiry > tx.now
      else { return nil }
      try guess.succeed(in: tx)
      stored.passwordHash = hash
      try core.accounts.update(&stored, in: tx)
      try TemporaryPasswordStore.delete(of: known.id, in: tx)
      let actor = AuditActor.user(known.id, address: clientInfo.address)
      try tx.audit(
        "password.changed", object: stored.object, by: actor, changes: [.masked("password", hadValue: true)])
      return try steps.begin(stored, request.app ?? .web, by: [.password], on: clientInfo, in: tx)
    }
    guard let step else {
      try await SignInFailures.note(of: known, from: clientInfo, in: core.database)
      throw Problem(.invalidCredentials)
    }
    return try await steps.answer(step)
  }
}
