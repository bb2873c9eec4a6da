import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Deletes expired data every hour: tokens, nonces, sessions that ended long ago.
struct Housekeeping: Feature {
  let core: AuthCore

  /// How long ended sessions are retained for their users' export, in seconds.
  private static let keptSessions = 30 * 86_400.0
  /// How long an unused device or network of an account is remembered, in seconds.
  private static let keptPlaces = 400 * 86_400.0
  /// Longer than the lifetime of any access token, in seconds.
  private static let keptRevocations = 86_400.0

  /// How long a device is known without signing in, in seconds.
  private static let keptKnownDevices = 365 * 86_400.0

  init(_ core: AuthCore) { self.core = core }

  var workers: [any Service] {
    [PeriodicTask("auth.purge", per: .platform, every: .seconds(3600), logger: core.logger) { try await clear() }]
  }

  private func clear() async throws {
    try await core.database.write { tx in
      let now = tx.now
      try IdentityStore.deleteExpiredNonces(in: tx)
      try EmailTokenStore.deleteExpired(in: tx)
      try TOTPStore.deleteExpired(in: tx)
      try ReservedUsernameStore.deleteExpired(in: tx)
      try FactorTicketStore.deleteExpired(in: tx)
      try PasskeyChallengeStore.deleteExpired(in: tx)
      try GuardianStore.deleteExpired(in: tx)
      try SessionStore.delete(revokedBefore: now.advanced(bySeconds: -Self.keptRevocations), in: tx)
      try SignInReportStore.deleteExpired(in: tx)
      try FormerAddressStore.deleteExpired(in: tx)
      try KnownPlaceStore.delete(unusedSince: now.advanced(bySeconds: -Self.keptPlaces), in: tx)
      let unused = now.advanced(bySeconds: -core.sessions.limits.idleSeconds - Self.keptSessions)
      try DeviceStore.delete(unusedSince: unused, in: tx)
      try KnownDeviceStore.delete(unusedSince: now.advanced(bySeconds: -Self.keptKnownDevices), in: tx)
      try SessionStore.delete(unusedSince: unused, in: tx)
    }
  }
}
