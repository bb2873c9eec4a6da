import Contracts
import Persistence
import ServiceKit

/// The consequences of a changed profile, whoever has changed it: the user, staff, a school, or an upgrade.
struct ProfileChange: Sendable {
  private let minors: Minors

  init(_ minors: Minors) { self.minors = minors }

  /// After the account was updated.
  func note(from before: Account, to after: Account, in tx: Transaction) throws {
    let isLimited = try !minors.limited(among: [after], in: tx).isEmpty
    try ProfilePhoto.report(from: before, to: after, isLimited: isLimited, in: tx)
    try tx.record(UserChanged(userID: after.id, version: after.version))
    try tx.record(RealtimeEvent(to: after.id, "account.changed", ["version": .integer(Int64(after.version))]))
  }
}
