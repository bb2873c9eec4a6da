import Contracts
import Persistence
import ServiceKit

extension AuthPlugin {
  /// Forgets that a guardian of a minor has refused or withdrawn the consent, so that another one can be asked. Whoever
  /// calls this must know who asks for it.
  /// - Throws: ``Problem`` when there is no such account.
  public func resetGuardian(of login: String) async throws {
    try await core.database.write { [core] tx in
      guard let stored = try core.accounts.find(login: login, in: tx).first else { throw Problem(.userNotFound) }
      guard try GuardianStore.deleteRefused(of: stored.id, in: tx) > 0 else { return }
      try tx.audit("guardian.reset", object: stored.object, by: .operator)
    }
  }
}
