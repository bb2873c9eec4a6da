import Contracts
import Persistence
import ServiceKit

/// How often a user may try a card, with an order, a plan or a kept method: whoever tests stolen cards needs many
/// attempts, whoever buys needs few that fail. Attempts that succeed do not count.
struct PaymentAttempts: Sendable {
  let keys: DataKeys

  /// The limit of attempts: so many at once, then ten per hour.
  static let limit = RateLimit(20, per: 7200, pause: .untilOneIsForgotten)

  /// Counts an attempt.
  /// - Throws: ``Problem`` `too-many-payment-attempts`, with the seconds to wait.
  func begin(by user: UserID, in tx: Transaction) throws {
    try attempts(of: user).require(.tooManyPaymentAttempts, in: tx)
  }

  /// Uncounts an attempt that has succeeded, or that was not made.
  func forget(by user: UserID, in tx: Transaction) throws { try attempts(of: user).undo(in: tx) }

  private func attempts(of user: UserID) -> StoredLimit {
    StoredLimit(Self.limit, of: user.rawValue, for: "payment", keys)
  }
}
