import Contracts
import Persistence
import ServiceKit

/// The end of every sign-in: a session begins at once, or after a second factor when one protects the account.
struct LogInSteps: Sendable {
  let sessions: SessionStore
  let tokens: TokenIssuer
  let guests: GuestSignIn

  enum Step: Sendable {
    case session(Account, Session)
    case secondFactor(FactorTicket)
  }

  init(_ core: AuthCore) { (sessions, tokens, guests) = (core.sessions, core.tokens, GuestSignIn(core)) }

  /// - Parameters:
  ///   - methods: What has been proved.
  ///   - guest: The guest who signs in, once the sign-in is complete.
  func begin(
    _ stored: StoredAccount, _ app: ClientApp, by methods: [AuthenticationMethod], guest: UserID? = nil,
    on clientInfo: ClientInfo, in tx: Transaction
  ) throws -> Step {
    let factors = try FactorState(of: stored.id, in: tx)
    guard factors.isProtected, !methods.contains(.multipleFactors) else {
      if let guest { try guests.move(guest, to: stored.id, in: tx) }
      return .session(stored.account, try sessions.begin(for: stored.id, app: app, by: methods, on: clientInfo, in: tx))
    }
    let ticket = try FactorTicketStore.issue((stored.id, app, methods, guest), in: tx)
    return .secondFactor(
      FactorTicket(ticket: ticket, factors: factors.kinds, expiresIn: Int(FactorTicketStore.lifetime)))
  }

  /// - Throws: ``Problem`` `second-factor-required` with the ticket.
  func answer(_ step: Step) async throws -> Authentication {
    switch step {
    case .session(let account, let session): return try await tokens(account, session)
    case .secondFactor(let ticket):
      var problem = Problem(.secondFactorRequired)
      problem.secondFactor = ticket
      throw problem
    }
  }
}
