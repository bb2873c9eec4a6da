package import Contracts
import Persistence
import ServiceKit

extension AuthPlugin {
  /// Begins a session of an account as if a password and a second factor had been proved, for the tests and benchmarks of
  /// this package; no endpoint and no command leads here.
  package func provedSession(of login: String, app: ClientApp = .web, device: String = "tests") async throws
    -> Authentication
  {
    let (account, session) = try await core.database.write { [core] tx in
      guard let stored = try core.accounts.find(login: login, in: tx).first else { throw Problem(.userNotFound) }
      let session = try core.sessions.begin(
        for: stored.id, app: app, by: [.password, .oneTimePassword, .multipleFactors],
        on: ClientInfo(device: device), in: tx)
      return (stored.account, session)
    }
    return try await core.tokens(account, session)
  }
}
