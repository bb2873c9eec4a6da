import Contracts
import Persistence
import ServiceKit

extension AuthPlugin {
  /// Removes the second factors of a user who has lost them, and ends the user's sessions. The password stays; whoever calls
  /// this must know who asks for it.
  /// - Throws: ``Problem`` when there is no such account.
  public func resetFactors(of login: String) async throws {
    try await core.database.write { [core] tx in
      guard let stored = try core.accounts.find(login: login, in: tx).first else { throw Problem(.userNotFound) }
      try SecondFactorSetup.removeAll(of: stored.id, in: tx)
      try core.throttle.forgetFactors(of: stored.id, in: tx)
      try tx.audit("second-factors.reset", object: stored.object, by: .operator)
      try SessionStore.end(.all, of: stored.id, .ended, by: .operator, in: tx)
      try core.factorCheck.mails.send(.factorsReset, to: stored.id, in: tx)
    }
  }
}
