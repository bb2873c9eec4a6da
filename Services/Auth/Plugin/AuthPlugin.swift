import Contracts
import Persistence
public import ServiceKit
public import ServiceLifecycle

/// Accounts, sign-in, sessions and profiles.
public struct AuthPlugin: ServicePlugin {
  public static let manifest = Manifest(
    name: AuthAPI.name,
    api: AuthAPI.self,
    emits: [UserRegistered.self, UserChanged.self, SessionEnded.self],
    migrations: AuthMigrations.all,
    settings: AuthSettings.all
  )

  private let hasher: PasswordHasher
  private let signUp: SignUp
  private let logIn: LogIn
  private let refresh: Refresh
  private let logOut: LogOut
  private let profiles: Profiles
  private let keys: SigningKeys

  public init(environment: ServiceEnvironment) async throws {
    let settings = environment.settings
    let database = try environment.database
    let keys = try await SigningKeys.load(settings, dataFolder: environment.dataFolder)
    let tokens = TokenIssue(
      keys: keys,
      time: environment.time,
      ids: environment.ids,
      lifetime: try settings[AuthSettings.accessTokenSeconds]
    )
    let limits = SessionLimits(
      reuseSeconds: try settings[AuthSettings.refreshReuseSeconds],
      idleSeconds: try settings[AuthSettings.sessionIdleDays] * 86_400,
      absoluteSeconds: try settings[AuthSettings.sessionDays] * 86_400
    )
    let sessions = Sessions(ids: environment.ids, limits: limits)
    self.keys = keys
    hasher = PasswordHasher(environment.metrics)
    signUp = SignUp(database: database, hasher: hasher, sessions: sessions, tokens: tokens, ids: environment.ids)
    logIn = try await LogIn(database: database, hasher: hasher, sessions: sessions, tokens: tokens)
    refresh = Refresh(database: database, sessions: sessions, tokens: tokens)
    logOut = LogOut(database: database)
    profiles = Profiles(database: database)
  }

  public func register(in routes: inout Routes) {
    routes.on(AuthAPI.SignUp.self) { request, _ in try await signUp(request.body) }
    routes.on(AuthAPI.LogIn.self) { request, _ in try await logIn(request.body) }
    routes.on(AuthAPI.Refresh.self) { request, call in try await refresh(request.body.refreshToken, call.logger) }
    routes.on(AuthAPI.LogOut.self) { request, call in
      try await logOut(call.user, scope: request.scope ?? .local)
      return Empty()
    }
    routes.on(AuthAPI.GetKeys.self) { _, _ in keys.publicKeys }
    routes.on(AuthAPI.GetMe.self) { _, call in try await profiles.account(of: call.user.id) }
    routes.on(AuthAPI.UpdateMe.self) { request, call in
      try await profiles.update(call.user.id, request.body, ifMatch: request.ifMatch)
    }
    routes.on(AuthAPI.GetUser.self) { request, _ in try await profiles.profile(of: request.id) }
    routes.on(AuthAPI.ListRevokedSessions.self) { request, _ in try await logOut.revoked(since: request.since) }
  }

  public var workers: [any Service] { [hasher] }
}
