import Contracts
import Persistence
import ServiceKit

/// Sign-ins with a second factor, and with a passkey alone.
struct CompleteLogIn: Feature {
  let core: AuthCore
  let steps: LogInSteps
  let options: PasskeyOptions
  let identities: LinkedIdentities

  private enum Outcome: Sendable {
    case step(LogInSteps.Step)
    case refused(Problem.Kind)
  }

  init(_ core: AuthCore) {
    self.core = core
    steps = LogInSteps(core)
    options = PasskeyOptions(core)
    identities = LinkedIdentities(core)
  }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.CompleteLogIn.self) { request, call in
      try await complete(request, ClientInfo(call.context), by: call.auditActor)
    }
    routes.on(AuthAPI.LogInPasskeyOptions.self) { request, call in
      try await passkeyOptions(request.ticket, ClientInfo(call.context))
    }
    routes.on(AuthAPI.LogInWithPasskey.self) { request, call in
      try await logIn(request, ClientInfo(call.context), by: call.auditActor)
    }
  }

  private func complete(_ request: AuthAPI.CompleteLogIn, _ clientInfo: ClientInfo, by actor: AuditActor) async throws
    -> Authentication
  {
    let given = try FactorAnswer.only(
      totp: request.totp, recoveryCode: request.recoveryCode, passkey: request.passkey)
    let (known, device) = try await core.database.write { tx -> (PendingLogIn?, KnownDeviceStore.Device?) in
      let known = try FactorTicketStore.find(request.ticket, in: tx)
      return (known, try KnownDeviceStore.find(request.deviceSecret, of: known?.userID, in: tx))
    }
    guard let given, let known else { throw Problem(.factorTicketInvalid) }
    let attempt = try await core.factorCheck.attempt(
      given, on: known.userID, from: clientInfo, device: known.device ?? device?.hash)
    let outcome = try await core.database.write { tx -> Outcome in
      guard let pending = try FactorTicketStore.find(request.ticket, in: tx) else {
        return .refused(.factorTicketInvalid)
      }
      let verdict = try core.factorCheck.check(
        given, of: pending.userID, for: .secondStep(pending.hash), by: actor, in: tx)
      guard case .proved(let methods) = verdict else {
        try FactorTicketStore.noteFailure(of: pending, in: tx)
        guard case .refused(let kind) = verdict else { return .refused(.factorWrong) }
        return .refused(kind)
      }
      guard try FactorTicketStore.consume(pending, in: tx) else { return .refused(.factorTicketInvalid) }
      try attempt.succeed(in: tx)
      let stored = try core.accounts.get(pending.userID, in: tx)
      guard !stored.isDisabled else { return .refused(.accountDisabled) }
      if let identity = pending.identity { try identities.link(identity, to: stored, by: actor, in: tx) }
      return .step(
        try steps.begin(
          stored, pending.app, by: pending.methods + methods, guest: pending.guest, device: request.deviceSecret,
          on: clientInfo, in: tx))
    }
    return try await answer(outcome)
  }

  // MARK: passkeys

  private func passkeyOptions(_ ticket: String?, _ clientInfo: ClientInfo) async throws -> PasskeyRequestOptions {
    try await core.database.write { tx in
      guard let ticket else {
        try options.countAttempt(from: clientInfo, in: tx)
        return try options.request(.logIn, of: nil, in: tx)
      }
      guard let pending = try FactorTicketStore.find(ticket, in: tx) else { throw Problem(.factorTicketInvalid) }
      try options.countAttempt(with: pending, in: tx)
      return try options.request(.secondStep(pending.hash), of: pending.userID, in: tx)
    }
  }

  private func logIn(_ request: AuthAPI.LogInWithPasskey, _ clientInfo: ClientInfo, by actor: AuditActor) async throws
    -> Authentication
  {
    let claim = try await steps.guests.verify(request.guest, request.guestRefreshToken)
    // A signature cannot be guessed, so failures are not counted.
    let outcome = try await core.database.write { tx -> Outcome in
      let guest = try steps.guests.prove(claim, in: tx)
      guard let user = try core.factorCheck.passkey(request.credential, for: .logIn, of: nil, by: actor, in: tx) else {
        return .refused(.passkeyRefused)
      }
      let stored = try core.accounts.get(user, in: tx)
      guard !stored.isDisabled else { return .refused(.accountDisabled) }
      return .step(
        try steps.begin(
          stored, request.app ?? .web, by: FactorCheck.passkeyMethods, guest: guest, on: clientInfo, in: tx))
    }
    return try await answer(outcome)
  }

  private func answer(_ outcome: Outcome) async throws -> Authentication {
    switch outcome {
    case .step(let step): return try await steps.answer(step)
    case .refused(let kind): throw Problem(kind)
    }
  }

  // MARK: privacy

  func erase(_ user: UserID, in tx: Transaction) throws { try FactorTicketStore.delete(of: user, in: tx) }
}
