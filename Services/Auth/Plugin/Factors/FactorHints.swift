import Contracts
import Persistence

extension Session {
  /// Whether its tokens may carry the scope: administration needs a second factor.
  func allows(_ scope: Scope) -> Bool { scope != .administration || methods.contains(.multipleFactors) }

  /// Whether the user has proved who they are recently.
  func isRecent(at now: Timestamp) -> Bool { now.seconds(since: provedAt) <= SessionStore.recentSeconds }
}

/// Hints about second factors that an app should show its user when it gets tokens.
struct FactorHints: Sendable, Equatable {
  var missingFactor: MissingFactor?
  var offersPasskey: Bool?

  private static let staff: Set<Role> = [.owner, .support, .administrator]

  init(_ account: Account, _ session: Session, at now: Timestamp, in db: any Connection) throws {
    let roles = Set(account.roles)
    let needsFactor =
      session.app.scopes.contains(.administration) && !session.allows(.administration)
      && !roles.isDisjoint(with: Self.staff)
    if needsFactor { missingFactor = try FactorState(of: account.id, in: db).isProtected ? .prove : .enrol }
    // Asked only while the answer can be yes, so that refreshing does not cost another query.
    if session.isRecent(at: now), !roles.contains(.guest), try PasskeyStore.count(of: account.id, in: db).all == 0 {
      offersPasskey = true
    }
  }
}
