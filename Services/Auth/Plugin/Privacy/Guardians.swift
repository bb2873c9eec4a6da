import Contracts
import HTTPServing
import Persistence
import ServiceKit

/// Guardians consent to what minors publish, by a link that is mailed to them. As with the "e-mail plus" method of the
/// COPPA rule (16 CFR § 312.5(b)(2)(vi)), another mail confirms the consent and explains how to withdraw it.
struct Guardians: Feature {
  /// How long a guardian may take to answer, in seconds.
  private static let lifetime = 14 * 86_400.0

  static let textVersion = Setting<String>(
    "auth.guardianTextVersion",
    default: "1",
    "The version of the text to which guardians consent; recorded with each consent"
  )

  private let core: AuthCore
  private let publicURL: String
  private let version: String

  init(_ core: AuthCore) throws {
    self.core = core
    publicURL = try core.settings[AuthSettings.publicURL]
    version = try core.settings[Self.textVersion]
  }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.GetGuardianStatus.self) { _, call in
      let user = try call.user.id
      return try await core.database.read { db in
        try core.minors.status(of: core.accounts.get(user, in: db).account, in: db)
      }
    }
    routes.on(AuthAPI.PutCountry.self) { request, call in
      try await put(request.country, of: call.user.id, by: call.auditActor)
    }
    routes.on(AuthAPI.AskGuardian.self) { request, call in
      try await ask(request.email, for: call.user.id, from: call.context.clientAddress, by: call.auditActor)
    }
    routes.on(AuthAPI.ShowGuardianPage.self) { request, _ in try await page(of: request.token) }
    routes.on(AuthAPI.DecideAsGuardian.self) { request, call in
      try await decide(request.token, request.decision, ClientInfo(call.context))
    }
    routes.on(AuthAPI.SendGuardianForm.self) { request, call in
      do {
        let status = try await decide(request.token, request.decision, ClientInfo(call.context))
        return GuardianPage.decided(status.state).content
      } catch let problem as Problem where problem.is(.mailedTokenInvalid) {
        return GuardianPage.invalid.content
      }
    }
  }

  // MARK: the minor's

  private func put(_ country: CountryCode, of user: UserID, by actor: AuditActor) async throws -> GuardianStatus {
    try await core.database.write { tx in
      let account = try core.accounts.get(user, in: tx).account
      let before = try core.minors.status(of: account, in: tx)
      if before.country == country { return before }
      // Otherwise a minor would choose the country with the lowest age.
      guard before.country == nil || before.state == .notNeeded else {
        throw Problem(.guardianConsentRequired, detail: "The country of a minor can only be corrected by support.")
      }
      try GuardianStore.setCountry(country, of: user, in: tx)
      try tx.audit(
        "country.changed", object: "user:\(user)", by: actor,
        changes: [.masked("country", hadValue: before.country != nil)])
      return try core.minors.status(of: account, in: tx)
    }
  }

  private func ask(
    _ email: EmailAddress, for user: UserID, from client: String?, by actor: AuditActor
  ) async throws -> GuardianStatus {
    let token = GuardianToken(checked: Base64URL.encode(SecureBytes.random(32)))
    return try await core.database.write { tx in
      let stored = try core.accounts.get(user, in: tx)
      let account = stored.account
      // A guest costs nothing, so anyone could have any number of mails sent.
      guard !stored.isGuest else { throw Problem(.fullAccountRequired) }
      guard try core.minors.status(of: account, in: tx).isLimited else { throw Problem(.guardianNotNeeded) }
      // `+` makes another address of the same mailbox.
      let own = account.email.flatMap { try? EmailAddress(validating: $0) }.map { MailLimits.mailbox($0) }
      guard own != MailLimits.mailbox(email) else {
        throw Problem(
          .invalidRequest, errors: [.init(location: "body.email", message: "must not be the address of the account")])
      }
      try requireNoRefusal(besidesOf: email, for: user, in: tx)
      try core.throttle.mails("guardian", user.rawValue).require(.tooManyAttempts, in: tx)
      if let wait = try core.mailLimits.take(to: email, from: client, in: tx) {
        throw Problem(.tooManyAttempts, detail: "The address has got too many e-mails.", retryAfter: wait)
      }
      let request = GuardianRequest(
        id: core.ids.text(), user: user, guardian: email.rawValue, textVersion: version, state: .asked,
        expiresAt: tx.now.advanced(bySeconds: Self.lifetime))
      try core.minors.store.insert(request, token, in: tx)
      try core.mailer.send(
        GuardianMails.request(to: email, username: account.username, link: link(token)), person: user, in: tx)
      try tx.audit("guardian.asked", object: "user:\(user)", by: actor)
      return try core.minors.status(of: account, in: tx)
    }
  }

  /// Only the guardian who has said no, or support, can change the answer; otherwise a minor would ask until someone agrees.
  private func requireNoRefusal(besidesOf email: EmailAddress, for user: UserID, in tx: Transaction) throws {
    guard let refusal = try core.minors.store.refusal(of: user, in: tx) else { return }
    let guardian = try? EmailAddress(validating: refusal.guardian)
    guard guardian.map({ MailLimits.mailbox($0) }) == MailLimits.mailbox(email) else {
      throw Problem(.guardianRefused)
    }
  }

  private func link(_ token: GuardianToken) -> String {
    "\(publicURL)\(AuthAPI.ShowGuardianPage.operation.path)?token=\(token.rawValue)"
  }

  // MARK: the guardian's

  private func page(of token: GuardianToken) async throws -> Content {
    let found = try await core.database.read { db -> (GuardianRequest, String?)? in
      guard let request = try core.minors.store.find(token, at: core.minors.time.now(), in: db),
        let stored = try core.accounts.find(request.user, in: db)
      else { return nil }
      return (request, stored.account.username)
    }
    guard let (request, username) = found else { return GuardianPage.invalid.content }
    return GuardianPage.question(token, request.state, username: username).content
  }

  private func decide(_ token: GuardianToken, _ decision: GuardianDecision, _ clientInfo: ClientInfo) async throws
    -> GuardianStatus
  {
    // A token cannot be guessed, so the failures of a network do not count.
    try await core.database.write { tx in
      guard let request = try core.minors.store.find(token, at: tx.now, in: tx),
        var stored = try core.accounts.find(request.user, in: tx)
      else { throw Problem(.mailedTokenInvalid) }
      let state = Self.state(after: decision, request.state)
      guard let state, state != request.state else { return try core.minors.status(of: stored.account, in: tx) }
      guard try GuardianStore.decide(request, state, in: tx) else { throw Problem(.mailedTokenInvalid) }
      // One decision counts, whatever the other links that a guardian may have were used for.
      var isWithdrawn = state == .withdrawn
      if state == .given {
        try GuardianStore.deleteUnanswered(of: stored.id, in: tx)
      } else if try GuardianStore.withdrawAll(of: stored.id, in: tx) > 0 {
        isWithdrawn = true
      }
      let actor = AuditActor("guardian", address: clientInfo.address)
      try tx.audit(
        "guardian.decided", object: stored.object, by: actor,
        changes: [
          AuditChange("state", from: request.state.rawValue, to: state.rawValue),
          AuditChange("textVersion", from: nil, to: request.textVersion),
        ])
      if isWithdrawn {
        let before = stored.account
        try core.accounts.update(&stored, in: tx)
        try ProfilePhoto.report(from: before, to: stored.account, isLimited: true, in: tx)
        // So that the tokens by which services still let the user publish are refused at once.
        try SessionStore.end(.all, of: stored.id, .ended, by: actor, in: tx)
      }
      if state == .given, let address = try? EmailAddress(validating: request.guardian) {
        try core.mailer.send(
          GuardianMails.confirmation(to: address, username: stored.account.username, link: link(token)),
          person: stored.id, in: tx)
      }
      try tx.record(UserChanged(userID: stored.id, version: stored.account.version))
      try tx.record(RealtimeEvent(to: stored.id, "guardian.changed", ["state": .string(state.rawValue)]))
      return try core.minors.status(of: stored.account, in: tx)
    }
  }

  /// - Returns: `nil` for a decision that has no effect.
  private static func state(after decision: GuardianDecision, _ state: GuardianRequest.State) -> GuardianRequest.State?
  {
    switch (decision, state) {
    case (.consent, _): .given
    case (.refuse, .asked): .refused
    case (.refuse, .given), (.withdraw, .given): .withdrawn
    case (.withdraw, .asked): .refused
    case (.refuse, .refused), (.refuse, .withdrawn), (.withdraw, .refused), (.withdraw, .withdrawn): nil
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let country = try GuardianStore.country(of: user, in: db)
    let members: [(String, JSONValue?)] = [
      ("country", country.map { .string($0.rawValue) }),
      ("requests", .array(try core.minors.store.list(of: user, in: db))),
    ]
    return [("guardian", .object(members))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try GuardianStore.delete(of: user, in: tx) }
}
