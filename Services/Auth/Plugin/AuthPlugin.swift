public import Contracts
import Persistence
public import ServiceKit
public import ServiceLifecycle

/// Accounts, sign-in, sessions, profiles, privacy and notifications.
public struct AuthPlugin: ServicePlugin {
  public static let manifest = Manifest(
    name: AuthAPI.name,
    api: AuthAPI.self,
    emits: [UserRegistered.self, UserChanged.self, UserDeleted.self, SessionEnded.self, RealtimeEvent.self],
    migrations: AuthMigrations.all,
    sealedColumns: AuthMigrations.sealedColumns,
    settings: AuthSettings.all + APNSSettings.all + Mailer.settings
  )

  // Also used by the operator commands.
  let environment: ServiceEnvironment
  let database: any Database
  let accounts: AccountStore
  let hasher: PasswordHasher
  let commonPasswords: CommonPasswords
  let clients: Clients

  private let mailer: Mailer
  private let resetRequests: ResetRequests
  private let keys: SigningKeys
  private let publicURL: String
  private let signUp: SignUp
  private let logIn: LogIn
  private let providers: SignInWithProvider
  private let refresh: Refresh
  private let logOut: LogOut
  private let passwords: Passwords
  private let verification: EmailVerification
  private let profiles: Profiles
  private let preferences: Preferences
  private let consents: ConsentLog
  private let personalData: PersonalData
  private let devices: Devices
  private let reminders: Reminders
  private let notifier: Notifier
  private let administration: Administration
  public let workers: [any Service]

  public init(environment: ServiceEnvironment) async throws {
    let settings = environment.settings
    let database = try environment.database
    let (ids, time) = (environment.ids, environment.time)
    let accounts = AccountStore(keys: environment.dataKeys)
    let keys = try await SigningKeys.load(settings, dataFolder: environment.dataFolder)
    let tokens = TokenIssue(
      keys: keys,
      time: time,
      ids: ids,
      lifetime: try settings[AuthSettings.accessTokenSeconds]
    )
    let sessions = Sessions(keys: environment.dataKeys, ids: ids, limits: try AuthSettings.sessionLimits(settings))
    let hasher = PasswordHasher(environment.metrics)
    let check = try await PasswordCheck(hasher)
    let common = CommonPasswords()
    let throttle = Throttle(database: database, keys: environment.dataKeys)
    let mailer = try Mailer(environment)
    let mailedTokens = MailedTokens(keys: environment.dataKeys)
    let verification = EmailVerification(
      database: database,
      accounts: accounts,
      mailedTokens: mailedTokens,
      mailer: mailer,
      passwords: check,
      throttle: throttle,
      sessions: sessions
    )
    let requests = try ResetRequests(environment, accounts: accounts, mailedTokens: mailedTokens, mailer: mailer)
    let erasures = try Erasures(environment)
    let devices = Devices(database: database, keys: environment.dataKeys)
    let apns = try await APNSClient(settings, time: time)
    let notifier = try Notifier(environment, devices: devices, limits: sessions.limits, apns: apns)
    let consumers: @Sendable () async throws -> [(name: String, client: APIClient)] = {
      try await environment.consumers(of: UserDeleted.self)
    }

    self.environment = environment
    self.database = database
    self.accounts = accounts
    self.hasher = hasher
    self.keys = keys
    self.mailer = mailer
    self.verification = verification
    self.devices = devices
    self.notifier = notifier
    commonPasswords = common
    publicURL = try settings[AuthSettings.publicURL]
    clients = Clients(database: database, throttle: throttle, tokens: tokens, ids: ids)
    signUp = SignUp(
      database: database,
      accounts: accounts,
      hasher: hasher,
      commonPasswords: common,
      verification: verification,
      sessions: sessions,
      tokens: tokens,
      ids: ids
    )
    logIn = LogIn(
      database: database,
      accounts: accounts,
      passwords: check,
      throttle: throttle,
      sessions: sessions,
      tokens: tokens
    )
    providers = SignInWithProvider(
      database: database,
      accounts: accounts,
      sessions: sessions,
      tokens: tokens,
      ids: ids,
      verifier: environment.tokens,
      providers: Dictionary(
        uniqueKeysWithValues: try settings[AuthSettings.oidcProviders].map { provider in
          let keys = ProviderKeys(issuer: provider.issuer, http: environment.http, time: time)
          return (provider.name, IDTokenVerifier(provider: provider, keys: keys, time: time))
        }
      )
    )
    refresh = Refresh(database: database, accounts: accounts, sessions: sessions, tokens: tokens)
    logOut = LogOut(database: database, sessions: sessions, time: time)
    passwords = Passwords(
      database: database,
      accounts: accounts,
      hasher: hasher,
      check: check,
      commonPasswords: common,
      mailedTokens: mailedTokens,
      mailer: mailer,
      throttle: throttle,
      sessions: sessions,
      requests: requests
    )
    profiles = Profiles(database: database, accounts: accounts, time: time)
    preferences = Preferences(database: database)
    consents = ConsentLog(database: database, ids: ids)
    personalData = PersonalData(
      database: database,
      accounts: accounts,
      sessions: sessions,
      time: time,
      erasures: erasures,
      consumers: consumers
    )
    reminders = try Reminders(environment, notifier: notifier)
    administration = Administration(database: database, accounts: accounts, consumers: consumers)
    let housekeeping = Housekeeping(
      database: database,
      time: time,
      limits: sessions.limits,
      logger: environment.logger
    )
    workers = [hasher, mailer, requests, notifier, reminders, erasures, housekeeping]
    resetRequests = requests
  }

  public func register(in routes: inout Routes) {
    registerSignIn(in: &routes)
    registerSessions(in: &routes)
    registerPasswords(in: &routes)
    registerProfiles(in: &routes)
    registerPrivacy(in: &routes)
    registerNotifications(in: &routes)
    registerAdministration(in: &routes)
  }

  /// Sends due mails immediately, for tests without workers.
  /// - Returns: The number of jobs processed.
  package func deliverMail() async throws -> Int { try await resetRequests.round() + mailer.round() }

  /// Fires due reminders immediately, for tests without workers.
  /// - Returns: The number of jobs processed.
  package func fireReminders() async throws -> Int { try await reminders.round() }

  /// Sends due push notifications immediately, for tests without workers.
  /// - Returns: The number of jobs processed.
  package func deliverPushes() async throws -> Int { try await notifier.round() }

  public func personalData(of user: UserID) async throws -> JSONValue { try await personalData.own(user) }

  private func registerSignIn(in routes: inout Routes) {
    routes.on(AuthAPI.SignUp.self) { request, call in try await signUp(request, Terminal(call.context)) }
    routes.on(AuthAPI.LogIn.self) { request, call in try await logIn(request, Terminal(call.context)) }
    routes.on(AuthAPI.SignInAsGuest.self) { request, call in
      try await signUp.guest(request.app ?? .web, Terminal(call.context))
    }
    routes.on(AuthAPI.Upgrade.self) { request, call in
      try await signUp.upgrade(call.user, request, by: call.auditActor)
    }
    routes.on(AuthAPI.SignInWithProvider.self) { request, call in try await providers(request, Terminal(call.context)) }
    routes.on(AuthAPI.IssueToken.self) { request, call in
      try await clients.issue(request, Terminal(call.context))
    }
    routes.on(AuthAPI.GetKeys.self) { _, _ in keys.publicKeys }
    routes.on(AuthAPI.GetIssuer.self) { _, _ in IssuerDescription(issuer: TokenIssuer.name, origin: publicURL) }
  }

  private func registerSessions(in routes: inout Routes) {
    routes.on(AuthAPI.Refresh.self) { request, call in
      try await refresh(request.refreshToken, Terminal(call.context), call.logger)
    }
    routes.on(AuthAPI.LogOut.self) { request, call in
      try await logOut(call.user, scope: request.scope ?? .local, by: call.auditActor)
      return Empty()
    }
    routes.on(AuthAPI.ListSessions.self) { _, call in try await logOut.list(of: call.user) }
    routes.on(AuthAPI.EndSession.self) { request, call in
      try await logOut.end(request.id, of: call.user, by: call.auditActor)
      return Empty()
    }
    routes.on(AuthAPI.ListRevokedSessions.self) { request, _ in try await logOut.revoked(since: request.since) }
  }

  private func registerPasswords(in routes: inout Routes) {
    routes.on(AuthAPI.ForgotPassword.self) { request, call in
      try await passwords.forgot(request.email, Terminal(call.context))
      return Empty()
    }
    routes.on(AuthAPI.ResetPassword.self) { request, call in
      try await passwords.reset(request, Terminal(call.context))
      return Empty()
    }
    routes.on(AuthAPI.ChangePassword.self) { request, call in
      try await passwords.change(call.user, request, Terminal(call.context), by: call.auditActor)
      return Empty()
    }
    routes.on(AuthAPI.VerifyEmail.self) { request, call in
      try await verification.verify(request.token, by: Terminal(call.context))
      return Empty()
    }
    routes.on(AuthAPI.ResendVerification.self) { _, call in
      try await verification.resend(to: call.user.id)
      return Empty()
    }
    routes.on(AuthAPI.ChangeEmail.self) { request, call in
      try await verification.change(call.user, request, Terminal(call.context), by: call.auditActor)
      return Empty()
    }
  }

  private func registerProfiles(in routes: inout Routes) {
    routes.on(AuthAPI.GetMe.self) { _, call in try await profiles.account(of: call.user.id) }
    routes.on(AuthAPI.UpdateMe.self) { request, call in
      try await profiles.update(call.user.id, request, ifMatch: request.ifMatch, by: call.auditActor)
    }
    routes.on(AuthAPI.GetUser.self) { request, call in try await profiles.profile(of: request.id, for: call.user.id) }
    routes.on(AuthAPI.SearchUsers.self) { request, call in try await profiles.search(request, for: call.user.id) }
    routes.on(AuthAPI.GetCloudRecord.self) { _, call in try await profiles.cloudRecord(of: call.user.id) }
    routes.on(AuthAPI.GetDeviceRecord.self) { _, call in try await profiles.deviceRecord(of: call.user.id) }
    routes.on(AuthAPI.ListFitnessLevels.self) { _, _ in
      Page(items: FitnessLevel.allCases.map { FitnessLevelChoice($0) })
    }
    routes.on(AuthAPI.GetPublicNames.self) { request, _ in try await profiles.publicNames(of: request.users) }
    routes.on(AuthAPI.SetSubscribed.self) { request, call in
      try await profiles.setSubscribed(request.user, request.isSubscribed, by: call.auditActor)
      return Empty()
    }
    routes.on(AuthAPI.Connect.self) { request, _ in
      try await profiles.connect(request.first, request.second)
      return Empty()
    }
    routes.on(AuthAPI.Disconnect.self) { request, _ in
      try await profiles.disconnect(request.first, request.second)
      return Empty()
    }
  }

  private func registerPrivacy(in routes: inout Routes) {
    routes.on(AuthAPI.GetSettings.self) { _, call in try await preferences.get(call.user.id) }
    routes.on(AuthAPI.PutSettings.self) { request, call in
      try await preferences.put(call.user.id, request, ifMatch: request.ifMatch, by: call.auditActor)
    }
    routes.on(AuthAPI.GetConsents.self) { _, call in try await consents.get(call.user.id) }
    routes.on(AuthAPI.PutConsents.self) { request, call in
      try await consents.decide(call.user.id, request.decisions, by: call.auditActor)
    }
    routes.on(AuthAPI.ExportMe.self) { _, call in try await personalData.export(call.user.id, by: call.auditActor) }
    routes.on(AuthAPI.DeleteMe.self) { _, call in
      try await personalData.delete(call.user.id, by: call.auditActor)
      return Empty()
    }
  }

  private func registerNotifications(in routes: inout Routes) {
    routes.on(AuthAPI.PutDevice.self) { request, call in
      try await devices.put(request.id, request.apnsToken, of: call.user)
      return Empty()
    }
    routes.on(AuthAPI.DeleteDevice.self) { request, call in
      try await devices.delete(request.id, of: call.user.id)
      return Empty()
    }
    routes.on(AuthAPI.ListReminders.self) { request, call in try await reminders.list(call.user.id, request) }
    routes.on(AuthAPI.CreateReminder.self) { request, call in
      try await reminders.create(call.user.id, request, call.keyed)
    }
    routes.on(AuthAPI.DeleteReminder.self) { request, call in
      try await reminders.delete(request.id, of: call.user.id)
      return Empty()
    }
  }

  private func registerAdministration(in routes: inout Routes) {
    routes.on(AuthAPI.AdministerUsers.self) { request, call in
      try await administration.users(request, by: call.auditActor)
    }
    routes.on(AuthAPI.AdministerUser.self) { request, call in
      try await administration.update(request.id, request, by: call.auditActor)
    }
    routes.on(AuthAPI.SearchAudit.self) { request, call in
      try await administration.audit(request, by: call.auditActor)
    }
  }
}
