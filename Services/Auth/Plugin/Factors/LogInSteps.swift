import Contracts
import Persistence
import ServiceKit

/// The end of every sign-in: a session begins at once, or after a second factor when one protects the account.
struct LogInSteps: Sendable {
  let core: AuthCore
  let guests: GuestSignIn

  enum Step: Sendable {
    /// - Parameter deviceSecret: Identifies the device at its next sign-in.
    case session(Account, Session, deviceSecret: String?)
    case secondFactor(FactorTicket)
  }

  init(_ core: AuthCore) { (self.core, guests) = (core, GuestSignIn(core)) }

  /// - Parameters:
  ///   - methods: What has been proved.
  ///   - guest: The guest who signs in, once the sign-in is complete.
  ///   - identity: What is linked to the account, once a second factor is proved.
  ///   - device: The secret of the device, if it has signed in with a password before.
  func begin(
    _ stored: StoredAccount, _ app: ClientApp, by methods: [AuthenticationMethod], guest: UserID? = nil,
    device: String? = nil, linking identity: ProviderIdentity? = nil, on clientInfo: ClientInfo, in tx: Transaction
  ) throws -> Step {
    let factors = try FactorState(of: stored.id, in: tx)
    guard factors.isProtected, !methods.contains(.multipleFactors) else {
      if let guest { try guests.move(guest, to: stored.id, in: tx) }
      let session = try core.sessions.begin(for: stored.id, app: app, by: methods, on: clientInfo, in: tx)
      let hasPassword = methods.contains(.password)
      let secret = hasPassword ? try KnownDeviceStore.remember(device, of: stored.id, in: tx) : nil
      return .session(stored.account, session, deviceSecret: secret)
    }
    // A caller who stops here may know the password without being the user.
    try tx.audit(
      "sign-in.awaits-factor", object: stored.object, by: AuditActor("anonymous", address: clientInfo.address),
      changes: methods.map { AuditChange("proved", from: nil, to: $0.rawValue) })
    let known = try KnownDeviceStore.find(device, of: stored.id, in: tx)
    let ticket = try FactorTicketStore.issue(
      (stored.id, app, methods, guest), device: known?.hash, linking: identity, in: tx)
    return .secondFactor(
      FactorTicket(ticket: ticket, factors: factors.kinds, expiresIn: Int(FactorTicketStore.lifetime)))
  }

  /// - Throws: ``Problem`` `second-factor-required` with the ticket.
  func answer(_ step: Step) async throws -> Authentication {
    switch step {
    case .session(let account, let session, let deviceSecret):
      var answer = try await core.tokens(account, session)
      answer.deviceSecret = deviceSecret
      return answer
    case .secondFactor(let ticket):
      var problem = Problem(.secondFactorRequired)
      problem.secondFactor = ticket
      throw problem
    }
  }
}
