import Contracts
import Logging
import Persistence
import ServiceKit

/// The dependencies that the features of auth share: accounts, sessions, passwords, and the mail that proves an
/// address.
final class AuthCore: Sendable {
  let environment: ServiceEnvironment
  let settings: Settings
  let database: any Database
  let ids: IDGenerator
  let time: TimeSource
  let logger: Logger
  let dataKeys: DataKeys
  let switches: FeatureSwitches
  let accounts: AccountStore
  let keys: SigningKeys
  let tokens: TokenIssuer
  let sessions: SessionStore
  let hasher: PasswordHasher
  let passwordCheck: PasswordCheck
  let commonPasswords = CommonPasswords()
  let throttle: Throttle
  let mailLimits: MailLimits
  let mailer: Mailer
  let emailTokens: EmailTokenStore
  let verification: EmailVerification
  let devices: DeviceStore
  let factorCheck: FactorCheck
  let minors: Minors

  init(_ environment: ServiceEnvironment) async throws {
    (self.environment, settings, logger) = (environment, environment.settings, environment.logger)
    (database, ids, time) = (try environment.database, environment.ids, environment.time)
    (dataKeys, switches) = (environment.dataKeys, environment.switches)
    accounts = AccountStore(keys: dataKeys)
    minors = Minors(environment)
    keys = try await SigningKeys.load(settings, dataFolder: environment.dataFolder)
    tokens = TokenIssuer(
      database: database, keys: keys, time: time, ids: ids, lifetime: try settings[AuthSettings.accessTokenSeconds],
      minors: minors
    )
    sessions = SessionStore(environment, limits: try AuthSettings.sessionLimits(settings))
    hasher = PasswordHasher(environment.metrics, cost: environment.conditions.passwordsAreCheap ? .least : .standard)
    passwordCheck = try await PasswordCheck(hasher)
    throttle = Throttle(database: database, keys: dataKeys)
    mailLimits = try MailLimits(environment)
    mailer = try Mailer(environment)
    emailTokens = EmailTokenStore(keys: dataKeys)
    devices = DeviceStore(keys: dataKeys)
    factorCheck = FactorCheck(
      totp: TOTPStore(keys: dataKeys), passkeys: PasskeyStore(keys: dataKeys),
      webAuthn: WebAuthn(relyingParty: try RelyingParty(settings)), throttle: throttle,
      mails: FactorMails(accounts: accounts, mailer: mailer, keys: dataKeys)
    )
    verification = EmailVerification(
      database: database, accounts: accounts, emailTokens: emailTokens, mailer: mailer, passwords: passwordCheck,
      throttle: throttle, mailLimits: mailLimits, sessions: sessions
    )
  }

  /// Clients of the services that store personal data: those that subscribed to deleted accounts.
  var consumers: @Sendable () async throws -> [(name: String, client: APIClient)] {
    { [environment] in try await environment.consumers(of: UserDeleted.self) }
  }
}
