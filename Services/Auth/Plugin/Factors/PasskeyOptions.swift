import Contracts
import HTTPServing
import Persistence
import ServiceKit

/// Begins ceremonies: stores a challenge and describes what is asked of the browser.
struct PasskeyOptions: Sendable {
  let core: AuthCore

  private static let milliseconds = Int(PasskeyChallengeStore.lifetime) * 1000

  init(_ core: AuthCore) { self.core = core }

  /// Challenges of strangers are stored, so their number is limited.
  func countAttempt(from clientInfo: ClientInfo, in tx: Transaction) throws {
    try core.throttle.challenges(from: clientInfo.address).require(.tooManyAttempts, in: tx)
  }

  /// The second step of a sign-in does not wait because of others in the network.
  func countAttempt(with pending: PendingLogIn, in tx: Transaction) throws {
    try core.throttle.challenges(with: pending).require(.tooManyAttempts, in: tx)
  }

  /// - Parameter user: Whose passkeys are accepted; `nil` for any, which are not listed.
  func request(_ purpose: PasskeyChallengeStore.Purpose, of user: UserID?, in tx: Transaction) throws
    -> PasskeyRequestOptions
  {
    let known = try user.map { try core.factorCheck.passkeys.list(of: $0, in: tx) } ?? []
    return PasskeyRequestOptions(
      challenge: try PasskeyChallengeStore.issue(purpose, in: tx), timeout: Self.milliseconds,
      rpId: core.factorCheck.webAuthn.relyingParty.domain,
      allowCredentials: known.filter { !$0.passkey.isDistrusted }.map(\.descriptor)
    )
  }

  func creation(for stored: StoredAccount, in session: SessionID, in tx: Transaction) throws -> PasskeyCreationOptions {
    let known = try core.factorCheck.passkeys.list(of: stored.id, in: tx)
    guard known.count < PasskeyStore.maxCount else { throw Problem(.tooManyPasskeys) }
    let account = stored.account
    return PasskeyCreationOptions(
      rp: .init(id: core.factorCheck.webAuthn.relyingParty.domain, name: core.factorCheck.webAuthn.relyingParty.name),
      user: .init(
        id: WebAuthnBytes(checked: Base64URL.encode(Passkeys.handle(of: stored.id))),
        name: account.username ?? account.email ?? account.displayName, displayName: account.displayName
      ),
      challenge: try PasskeyChallengeStore.issue(.registration(session), in: tx),
      algorithms: PasskeyKey.Algorithm.allCases.map(\.rawValue), timeout: Self.milliseconds,
      excludeCredentials: known.map(\.descriptor)
    )
  }
}

extension Throttle {
  /// The same limit as that of the gateway, so that a caller elsewhere in the network hardly uses it up.
  private static let challenges = RateLimit(600, per: 300, pause: .untilOneIsForgotten)
  private static let challengesPerTicket = RateLimit(20, per: 300, pause: .untilOneIsForgotten)

  func challenges(with pending: PendingLogIn) -> StoredLimit {
    StoredLimit(Self.challengesPerTicket, of: pending.hash, for: "ticket-challenge", keys)
  }

  /// Challenges for passkeys per address.
  func challenges(from address: String?) -> StoredLimit {
    StoredLimit(Self.challenges, of: ClientNetwork.of(address ?? "unknown"), for: "passkey-challenge", keys)
  }
}
