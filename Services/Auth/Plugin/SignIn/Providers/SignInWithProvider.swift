import Contracts
import Persistence
import ServiceKit

/// Sign-in with an ID token: finds the account by issuer and subject, otherwise links the account with the same
/// e-mail address, otherwise creates an account.
struct SignInWithProvider: Feature {
  let database: any Database
  let accounts: AccountStore
  let steps: LogInSteps
  let ids: IDGenerator
  let guests: GuestSignIn
  let providers: [String: IDTokenVerifier]

  init(_ core: AuthCore) throws {
    (database, accounts, steps) = (core.database, core.accounts, LogInSteps(core))
    (ids, guests) = (core.ids, GuestSignIn(core))
    let (http, time) = (core.environment.http, core.time)
    providers = Dictionary(
      uniqueKeysWithValues: try core.settings[AuthSettings.oidcProviders].map { provider in
        let keys = ProviderKeys(issuer: provider.issuer, http: http, time: time)
        return (provider.name, IDTokenVerifier(provider: provider, keys: keys, time: time))
      }
    )
  }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.SignInWithProvider.self) { request, call in try await signIn(request, ClientInfo(call.context)) }
  }

  private func signIn(_ request: AuthAPI.SignInWithProvider, _ clientInfo: ClientInfo) async throws -> Authentication {
    guard let provider = providers[request.provider] else { throw Problem(.providerUnknown) }
    let form = request
    let person = try await provider.verify(form.idToken, nonce: form.nonce)
    let guest = try await guests.verify(form.guest)
    // The token was issued to one app and is not valid for another.
    guard form.app == nil || form.app == person.app else { throw Problem(.idTokenAudience) }
    let app = person.app
    for _ in 0..<3 {
      let names = NewUsername.candidates(person.givenName, person.familyName)
      do { return try await begin(person, guest: guest, names, app, clientInfo) } catch let problem as Problem {
        // Someone has taken the username, or made an account with the address, in the meantime.
        guard problem.is(.usernameTaken) || problem.is(.emailTaken) else { throw problem }
      }
    }
    throw Problem(.unavailable, retryAfter: 1)
  }

  private func begin(
    _ person: ProvedPerson, guest: UserID?, _ names: [String], _ app: ClientApp, _ clientInfo: ClientInfo
  ) async throws -> Authentication {
    let newID = ids.make(UserID.self)
    let step = try await database.write { tx in
      let expiresAt = person.expiresAt.advanced(bySeconds: 120)
      if let hash = person.nonceHash {
        guard try IdentityStore.use(hash, until: expiresAt, in: tx) else { throw Problem(.idTokenNonceReused) }
      }
      guard try IdentityStore.use(person.tokenHash, until: expiresAt, in: tx) else { throw Problem(.idTokenReused) }
      let newcomer = Newcomer(person: person, id: newID, usernames: names, app: app)
      let stored = try resolve(newcomer, guest: guest, clientInfo, in: tx)
      guard !stored.isDisabled else { throw Problem(.accountDisabled) }
      return try steps.begin(stored, app, by: [], on: clientInfo, in: tx)
    }
    return try await steps.answer(step)
  }

  /// A person who may have no account yet, and what a new one gets.
  private struct Newcomer: Sendable {
    let person: ProvedPerson
    let id: UserID
    /// The first free one becomes the username.
    let usernames: [String]
    let app: ClientApp
  }

  private func resolve(_ newcomer: Newcomer, guest: UserID?, _ clientInfo: ClientInfo, in tx: Transaction) throws
    -> StoredAccount
  {
    let person = newcomer.person
    if let known = try IdentityStore.find(person, in: tx) {
      if let guest { try guests.move(guest, to: known, in: tx) }
      return try accounts.get(known, in: tx)
    }
    if let email = person.email, let stored = try accounts.find(email: email, in: tx) {
      if let guest { try guests.move(guest, to: stored.id, in: tx) }
      return try join(stored, person, clientInfo, in: tx)
    }
    if let guest { return try upgrade(guest, to: newcomer, clientInfo, in: tx) }
    let stored = StoredAccount(
      account: Account(
        id: newcomer.id,
        email: person.email,
        isEmailVerified: person.email != nil,
        username: try accounts.firstFree(newcomer.usernames, in: tx),
        displayName: SignUpNames.newcomer,
        hasPassword: false,
        details: Self.details(of: person, ProfileDetails()),
        roles: [.user],
        createdAt: tx.now,
        version: 1
      )
    )
    try accounts.insert(stored, in: tx)
    try tx.record(UserRegistered(userID: stored.id, app: newcomer.app))
    try tx.audit("account.created", object: stored.object, by: .user(stored.id, address: clientInfo.address))
    try link(person, to: stored, clientInfo, in: tx)
    return stored
  }

  /// Links the person to the account with the same address. If that account has not verified the address, someone else
  /// may have signed up with it, and must not keep access once its owner signs in.
  private func join(_ known: StoredAccount, _ person: ProvedPerson, _ clientInfo: ClientInfo, in tx: Transaction)
    throws -> StoredAccount
  {
    var stored = known
    guard !stored.isDisabled else { throw Problem(.accountDisabled) }
    if !stored.account.isEmailVerified {
      try AddressProof.reclaim(&stored, by: .user(stored.id, address: clientInfo.address), in: tx)
    }
    stored.account.details = Self.details(of: person, stored.account.details)
    if stored != known {
      try accounts.update(&stored, in: tx)
      try tx.record(UserChanged(userID: stored.id, version: stored.account.version))
    }
    try link(person, to: stored, clientInfo, in: tx)
    return stored
  }

  private func upgrade(_ guest: UserID, to newcomer: Newcomer, _ clientInfo: ClientInfo, in tx: Transaction) throws
    -> StoredAccount
  {
    let person = newcomer.person
    var stored = try accounts.get(guest, in: tx)
    guard stored.isGuest else { throw Problem(.notAGuest) }
    stored.account.roles = [.user]
    stored.account.email = person.email
    stored.account.isEmailVerified = person.email != nil
    stored.account.username = try accounts.firstFree(newcomer.usernames, in: tx)
    stored.account.displayName = SignUpNames.newcomer
    stored.account.details = Self.details(of: person, stored.account.details)
    try accounts.update(&stored, in: tx)
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
    try IdentityStore.insert(person, of: stored.id, in: tx)
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
