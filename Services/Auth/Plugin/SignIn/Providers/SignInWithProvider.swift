import Contracts
import Persistence
import ServiceKit

/// Sign-in with an ID token: finds the account by issuer and subject, otherwise links the account with the same
/// e-mail address, otherwise creates an account.
struct SignInWithProvider: Feature {
  let core: AuthCore
  let steps: LogInSteps
  let guests: GuestSignIn
  let identities: LinkedIdentities
  let providers: [String: IDTokenVerifier]
  let choices: [SignInProvider]

  init(_ core: AuthCore) throws {
    self.core = core
    steps = LogInSteps(core)
    guests = GuestSignIn(core)
    identities = LinkedIdentities(core)
    let seconds = try core.settings[AuthSettings.providerSeconds]
    let configured = try core.settings[AuthSettings.oidcProviders]
    choices = configured.flatMap(\.choices)
    providers = Dictionary(
      uniqueKeysWithValues: configured.map { provider in
        let keys = ProviderKeys(issuer: provider.issuer, http: core.environment.http, seconds: seconds, time: core.time)
        return (provider.name, IDTokenVerifier(provider: provider, keys: keys, time: core.time))
      }
    )
  }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.SignInWithProvider.self) { request, call in try await signIn(request, ClientInfo(call.context)) }
    routes.on(AuthAPI.ListSignInProviders.self) { _, _ in Page(items: choices) }
  }

  private func signIn(_ request: AuthAPI.SignInWithProvider, _ clientInfo: ClientInfo) async throws -> Authentication {
    guard let provider = providers[request.provider] else { throw Problem(.providerUnknown) }
    let form = request
    let person = try await provider.verify(form.idToken, nonce: form.nonce)
    let claim = try await guests.verify(form.guest, form.guestRefreshToken)
    // The token was issued to one app and is not valid for another.
    guard form.app == nil || form.app == person.app else { throw Problem(.idTokenAudience) }
    let app = person.app
    let proof = try await linkProof(of: person, form.password, clientInfo)
    for _ in 0..<3 {
      let names = NewUsername.candidates(person.givenName, person.familyName)
      do {
        return try await begin(person, proof, claim, names, app, clientInfo)
      } catch let problem as Problem {
        // Someone has taken the username, or made an account with the address, in the meantime.
        guard problem.is(.usernameTaken) || problem.is(.emailTaken) else { throw problem }
      }
    }
    throw Problem(.unavailable, retryAfter: 1)
  }

  private func begin(
    _ person: ProvedPerson, _ proof: LinkProof?, _ claim: GuestSignIn.Claim?, _ names: [String], _ app: ClientApp,
    _ clientInfo: ClientInfo
  ) async throws -> Authentication {
    let newID = core.ids.make(UserID.self)
    let step = try await core.database.write { tx in
      let expiresAt = person.expiresAt.advanced(bySeconds: 120)
      if let hash = person.nonceHash {
        guard try IdentityStore.use(hash, until: expiresAt, in: tx) else { throw Problem(.idTokenNonceReused) }
      }
      guard try IdentityStore.use(person.tokenHash, until: expiresAt, in: tx) else { throw Problem(.idTokenReused) }
      let guest = try guests.prove(claim, in: tx)
      let newcomer = Newcomer(person: person, proof: proof, id: newID, usernames: names, app: app)
      let (stored, linking) = try resolve(newcomer, guest: guest, clientInfo, in: tx)
      guard !stored.isDisabled else { throw Problem(.accountDisabled) }
      // A caller who stops at a second factor may not be the user.
      try tx.audit(
        "sign-in.provider-proved", object: stored.object, by: AuditActor("anonymous", address: clientInfo.address),
        changes: [AuditChange("issuer", from: nil, to: person.issuer)])
      return try steps.begin(stored, app, by: [], guest: guest, linking: linking, on: clientInfo, in: tx)
    }
    return try await steps.answer(step)
  }

  /// The account whose password was given, and the password's hash at that time.
  private struct LinkProof: Sendable, Equatable {
    let user: UserID
    let passwordHash: String
  }

  /// Checks the password of the account that a person may be linked to.
  /// - Returns: `nil` when no password is given or needed.
  private func linkProof(of person: ProvedPerson, _ password: String?, _ clientInfo: ClientInfo) async throws
    -> LinkProof?
  {
    guard let password, let email = person.email else { return nil }
    let found = try await core.database.read { db -> StoredAccount? in
      guard try IdentityStore.find(person.identity, in: db) == nil,
        let stored = try core.accounts.find(email: email, in: db), stored.account.isEmailVerified,
        try !FactorState(of: stored.id, in: db).isProtected
      else { return nil }
      return stored
    }
    guard let found, let hash = found.passwordHash else { return nil }
    let guess = core.throttle.guess(of: email, from: clientInfo.address, on: nil)
    try await core.throttle.recordAttempt(guess)
    guard try await core.passwordCheck.check(password, against: hash) != .wrong else {
      let actor = AuditActor("anonymous", address: clientInfo.address)
      try await core.database.write { tx in try tx.audit("sign-in.failed", object: found.object, by: actor) }
      throw Problem(.invalidCredentials)
    }
    try await core.database.write { tx in try guess.succeed(in: tx) }
    return LinkProof(user: found.id, passwordHash: hash)
  }

  /// A person who may have no account yet, and what a new one gets.
  private struct Newcomer: Sendable {
    let person: ProvedPerson
    let proof: LinkProof?
    let id: UserID
    /// The first free one becomes the username.
    let usernames: [String]
    let app: ClientApp
  }

  /// - Returns: The account, and what is linked to it once its second factor is proved.
  private func resolve(_ newcomer: Newcomer, guest: UserID?, _ clientInfo: ClientInfo, in tx: Transaction) throws
    -> (StoredAccount, linking: ProviderIdentity?)
  {
    let person = newcomer.person
    if let known = try IdentityStore.find(person.identity, in: tx) {
      return (try core.accounts.get(known, in: tx), nil)
    }
    if let email = person.email, let stored = try core.accounts.find(email: email, in: tx) {
      return try join(stored, newcomer, clientInfo, in: tx)
    }
    try core.switches.require(.signUp)
    if let guest { return (try upgrade(guest, to: newcomer, clientInfo, in: tx), nil) }
    let stored = StoredAccount(
      account: Account(
        id: newcomer.id,
        email: person.email,
        isEmailVerified: person.email != nil,
        username: try core.accounts.firstFree(newcomer.usernames, in: tx),
        displayName: SignUpNames.newcomer,
        hasPassword: false,
        details: Self.details(of: person, ProfileDetails()),
        roles: [.user],
        createdAt: tx.now,
        version: 1
      )
    )
    try core.accounts.insert(stored, in: tx)
    try tx.record(UserRegistered(userID: stored.id, app: newcomer.app))
    try tx.audit("account.created", object: stored.object, by: .user(stored.id, address: clientInfo.address))
    try link(person, to: stored, clientInfo, in: tx)
    return (stored, nil)
  }

  /// Links the person to the account with the same address. If that account has not verified the address, someone else
  /// may have signed up with it, and must not keep access once its owner signs in. Otherwise the address alone does not
  /// open the account: its password or its second factor links the person.
  private func join(_ known: StoredAccount, _ newcomer: Newcomer, _ clientInfo: ClientInfo, in tx: Transaction)
    throws -> (StoredAccount, linking: ProviderIdentity?)
  {
    let person = newcomer.person
    var stored = known
    guard !stored.isDisabled else { throw Problem(.accountDisabled) }
    if stored.account.isEmailVerified {
      if try FactorState(of: stored.id, in: tx).isProtected { return (stored, person.identity) }
      if let hash = stored.passwordHash {
        guard newcomer.proof == LinkProof(user: stored.id, passwordHash: hash) else {
          throw Problem(.linkNeedsPassword)
        }
      }
    } else {
      try AddressProof.reclaim(&stored, by: .user(stored.id, address: clientInfo.address), in: tx)
    }
    stored.account.details = Self.details(of: person, stored.account.details)
    if stored != known {
      try core.accounts.update(&stored, in: tx)
      try tx.record(UserChanged(userID: stored.id, version: stored.account.version))
    }
    let actor = AuditActor.user(stored.id, address: clientInfo.address)
    try identities.link(person.identity, to: stored, by: actor, in: tx)
    return (stored, nil)
  }

  /// - Parameter guest: Who has proved to be that guest.
  private func upgrade(_ guest: UserID, to newcomer: Newcomer, _ clientInfo: ClientInfo, in tx: Transaction) throws
    -> StoredAccount
  {
    let person = newcomer.person
    var stored = try core.accounts.get(guest, in: tx)
    guard stored.isGuest else { throw Problem(.notAGuest) }
    stored.account.roles = [.user]
    stored.account.email = person.email
    stored.account.isEmailVerified = person.email != nil
    stored.account.username = try core.accounts.firstFree(newcomer.usernames, in: tx)
    stored.account.displayName = SignUpNames.newcomer
    stored.account.details = Self.details(of: person, stored.account.details)
    try core.accounts.update(&stored, in: tx)
    try tx.record(UserChanged(userID: guest, version: stored.account.version))
    try tx.record(GuestSignedIn(guestID: guest, userID: guest))
    if stored.account.isEmailVerified { try tx.record(UserAddressVerified(userID: guest)) }
    try tx.audit("account.upgraded", object: stored.object, by: .user(guest, address: clientInfo.address))
    try link(person, to: stored, clientInfo, in: tx)
    return stored
  }

  private func link(_ person: ProvedPerson, to stored: StoredAccount, _ clientInfo: ClientInfo, in tx: Transaction)
    throws
  {
    try IdentityStore.insert(person.identity, of: stored.id, in: tx)
    try tx.audit(
      "identity.linked",
      object: stored.object,
      by: .user(stored.id, address: clientInfo.address),
      changes: [AuditChange("issuer", from: nil, to: person.issuer)]
    )
  }

  /// The provider's names are stored in fields that only the user sees, where the account has none.
  private static func details(of person: ProvedPerson, _ known: ProfileDetails) -> ProfileDetails {
    var details = known
    details.firstName = known.firstName ?? person.givenName.flatMap { try? PersonName(validating: $0) }
    details.lastName = known.lastName ?? person.familyName.flatMap { try? PersonName(validating: $0) }
    return details
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("identities", .array(try IdentityStore.list(of: user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try IdentityStore.delete(of: user, in: tx) }
}
