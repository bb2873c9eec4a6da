import Contracts
public import ServiceKit
import ServiceLifecycle

/// Accounts, sign-in, sessions, profiles, privacy and notifications.
public struct AuthPlugin: ServicePlugin {
  public static let manifest = Manifest(
    name: AuthAPI.name,
    api: AuthAPI.self,
    calls: [MediaAPI.self],
    emits: [
      UserRegistered.self, GuestSignedIn.self, UserChanged.self, UserAddressVerified.self, UserDeleted.self,
      SessionEnded.self, RealtimeEvent.self, MediaReferencesChanged.self, ConsentChanged.self,
    ],
    consumes: [
      .init(
        from: MatchingAPI.self,
        [ConnectionChanged.self, BlockChanged.self, PushRequested.self, GroupPushRequested.self]),
      .init(from: StudyAPI.self, [PushRequested.self]),
      .init(from: OrdersAPI.self, [EntitlementChanged.self, PushRequested.self, GroupPushRequested.self]),
    ],
    optionalDependencies: [MatchingAPI.self, MediaAPI.self, OrdersAPI.self, StudyAPI.self],
    migrations: AuthMigrations.all,
    sealedColumns: AuthMigrations.sealedColumns,
    settings: AuthSettings.all + AuthSettings.signIn + FactorSettings.all + AuditReportSettings.all + APNSSettings.all
      + Mailer.settings
  )

  let core: AuthCore
  public let features: [any Feature]

  public init(environment: ServiceEnvironment) async throws {
    let core = try await AuthCore(environment)
    let notifier = try Notifier(
      environment, devices: core.devices,
      apns: try await APNSClient(core.settings, time: core.time)
    )
    let features: [any Feature] = [
      try PublishedKeys(core), SignUp(core), LogIn(core), try SignInWithProvider(core), Clients(core), Refresh(core),
      LogOut(core), try Passwords(core), core.verification, try Profiles(core), Relations(), Entitlements(),
      Preferences(core),
      try ConsentLog(core), try Guardians(core), Schools(core), try SchoolMembers(core), FirstPassword(core),
      LinkedIdentities(core), CompleteLogIn(core), Proofs(core), SecondFactorSetup(core), Passkeys(core),
      NewAccounts(), Devices(core), try Reminders(environment, notifier: notifier), notifier, Administration(core),
      SessionAdministration(core), AuditSearch(core), BackgroundWork(core),
      FeatureAdministration(core),
      try AuditReports(core), core.mailer, Housekeeping(core), KnownDevices(),
      UnusedSessions(core), SigningKeyChanges(core), try UnusualSignIns(core, notifier: notifier),
    ]
    self.core = core
    let privacy = try PersonalData(core, features: features)
    self.features = features + [privacy, try ExpiredAccounts(core, privacy)]
  }
}

/// The keys by which anyone checks access tokens, and passwords' hashing beside requests.
private struct PublishedKeys: Feature {
  let core: AuthCore
  let publicURL: String

  init(_ core: AuthCore) throws { (self.core, publicURL) = (core, try core.settings[AuthSettings.publicURL]) }

  var workers: [any Service] { [core.hasher] }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.GetKeys.self) { _, _ in core.keys.publicKeys }
    routes.on(AuthAPI.GetIssuer.self) { _, _ in IssuerDescription(issuer: Issuer.name, origin: publicURL) }
  }
}
