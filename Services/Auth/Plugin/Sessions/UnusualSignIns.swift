import Contracts
import HTTPServing
import Persistence
import ServiceKit
import ServiceLifecycle

/// A sign-in by a device or from a network that the account has not been used from before.
struct UnusualSignIn: Codable, Sendable {
  var session: SessionID
  var device: String?
  var network: String?
  var at: Timestamp
}

/// Reports unusual sign-ins to their users by mail and push, with a token that says "this was not me".
struct UnusualSignIns: Feature {
  static let kind = "unusual-sign-in"
  /// How long a user can say that it was someone else, in seconds.
  static let lifetime = 14 * 86_400.0
  /// How long the mailed code for a new password is valid, in seconds.
  private static let resetLifetime = 600.0

  /// A sign-in more than these is in the list of sessions, but not mailed: whoever knows a password must not be able
  /// to flood a mailbox.
  private static let reported = RateLimit(10, per: 86_400, pause: .untilOneIsForgotten)

  private let core: AuthCore
  private let undo: SignInUndo
  private let jobs: DurableJobs<UnusualSignIn>

  init(_ core: AuthCore, notifier: Notifier) throws {
    self.core = core
    let undo = SignInUndo(core)
    self.undo = undo
    jobs = try DurableJobs(Self.kind, core.environment, concurrency: 8) { signIn, job in
      guard let user = job.person else { return .drop(reason: "the job has no user") }
      try await core.database.write { tx in
        guard try job.complete(in: tx), let stored = try core.accounts.find(user, in: tx), !stored.isDisabled,
          !stored.isGuest,
          try StoredLimit(Self.reported, of: user.rawValue, for: Self.kind, core.dataKeys).take(in: tx) == nil
        else { return }
        // Anyone can sign up with someone else's address and then make sign-ins that would be mailed to it.
        let proved = stored.account.isEmailVerified ? stored.account.email : nil
        // Whoever has signed in may have given the account another address already.
        let former = try undo.formerAddresses.find(at: signIn.at, of: user, in: tx)
        let address = (former ?? proved).flatMap { try? EmailAddress(validating: $0) }
        let token = try undo.reports.issue(
          for: user, mailedTo: address?.rawValue, signedInAt: signIn.at, seconds: Self.lifetime, in: tx)
        if let address {
          try core.mailer.send(SessionMails.unusualSignIn(to: address, signIn, token: token), person: user, in: tx)
        }
        try notifier.notify(
          user, SessionMails.unusualSignIn(signIn, token: token), kind: .security, sparing: signIn.session, in: tx)
        try tx.record(RealtimeEvent(to: user, "sign-in.unusual", ["session": .string(signIn.session.rawValue)]))
        try tx.audit("sign-in.reported", object: "session:\(signIn.session)", by: AuditActor("service:auth"))
      }
      return .done
    }
  }

  var workers: [any Service] { [jobs] }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.DenySignIn.self) { request, call in
      try await deny(request.token, by: AuditActor("anonymous", address: call.context.clientAddress))
    }
  }

  /// Locks the account, takes back what was added to it since the sign-in, and mails its user a code for a new password.
  /// Whoever has the token gets nothing else.
  private func deny(_ token: String, by actor: AuditActor) async throws {
    try await core.database.write { tx in
      guard let report = try undo.reports.consume(token, in: tx),
        var stored = try core.accounts.find(report.user, in: tx)
      else { throw Problem(.mailedTokenInvalid) }
      try SessionStore.end(.all, of: stored.id, .denied, by: actor, in: tx)
      // Also what the other person has asked for, such as another e-mail address.
      try EmailTokenStore.delete(of: stored.id, in: tx)
      try tx.audit("sign-in.denied", object: stored.object, by: actor)
      let isChanged = try undo.removeCredentials(of: stored.id, since: report.earliest, by: actor, in: tx)
      let before = stored
      // Without a way to set another one, an account without its password would be lost to its user.
      guard let email = try undo.restoreAddress(of: &stored, report, by: actor, in: tx),
        let address = try? EmailAddress(validating: email),
        stored.passwordHash != nil || stored != before || isChanged
      else { return }
      let hadPassword = stored.passwordHash != nil
      stored.passwordHash = nil
      try core.accounts.update(&stored, in: tx)
      if hadPassword {
        try tx.audit(
          "password.removed", object: stored.object, by: actor,
          changes: [.masked("password", hadValue: true, hasValue: false)])
      }
      if stored.account.email != before.account.email {
        try tx.record(UserChanged(userID: stored.id, version: stored.account.version))
        try tx.record(UserAddressVerified(userID: stored.id))
      }
      let code = try core.emailTokens.issue(
        .resetPassword, for: stored.id, to: email, seconds: Self.resetLifetime, in: tx)
      try core.mailer.send(AuthMails.reset(of: address, token: code), person: stored.id, in: tx)
      if isChanged { try core.factorCheck.mails.send(.credentialsRemoved, to: stored.id, in: tx) }
    }
  }

  // MARK: privacy

  func erase(_ user: UserID, in tx: Transaction) throws {
    try KnownPlaceStore.delete(of: user, in: tx)
    try SignInReportStore.delete(of: user, in: tx)
    try FormerAddressStore.delete(of: user, in: tx)
  }
}
