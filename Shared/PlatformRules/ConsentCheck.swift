public import Contracts
import Logging
public import ServiceKit

/// Asks auth whether a user's consent is in force. Data that needs a consent is not accepted while auth does not respond.
public struct ConsentCheck: Sendable {
  private let auth: APIClient
  private let logger: Logger

  public init(_ environment: ServiceEnvironment) {
    (auth, logger) = (environment.client(of: AuthAPI.self), environment.logger)
  }

  /// - Throws: ``Problem`` 503 when auth does not respond.
  public func isGiven(_ purpose: ConsentPurpose, by user: UserID) async throws -> Bool {
    do { return try await auth.send(AuthAPI.CheckConsent(user: user, purpose: purpose)).isGiven } catch {
      logger.warning("a consent could not be checked", metadata: ["error": "\(error)"])
      throw Problem(.unavailable, retryAfter: 5)
    }
  }

  /// - Throws: ``Problem`` `consent-required`, or 503 when auth does not respond.
  public func require(_ purpose: ConsentPurpose, of user: UserID) async throws {
    guard try await isGiven(purpose, by: user) else { throw Problem.consentRequired(purpose) }
  }
}
