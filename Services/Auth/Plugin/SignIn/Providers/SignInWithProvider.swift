import Contracts
import Persistence
import ServiceKit

/// Sign-in with an ID token: finds the account by issuer and subject, otherwise links the account with the same
/// verified e-mail address, otherwise creates an account.
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
    let newID = ids.make(UserID.self)
    let step = try await database.write { tx in
      if let hash = person.nonceHash {
        let expiresAt = person.expiresAt.advanced(bySeconds: 120)
        guard try IdentityStore.useNonce(hash, until: expiresAt, in: tx) else { throw Problem(.idTokenNonceReused) }
      }
      let stored = try resolve(person, guest: guest, newID: newID, app, clientInfo, in: tx)
      guard !stored.isDisabled else { throw Problem(.accountDisabled) }
      return try steps.begin(stored, app, by: [], on: clientInfo, in: tx)
    }
    return try await steps.answer(step)
  }

  private func resolve(
    _ person: ProvedPerson,
    guest: UserID?,
    newID: UserID,
    _ app: ClientApp,
    _ clientInfo: ClientInfo,
    in tx: Transaction
  ) throws -> StoredAccount {
    if let known = try IdentityStore.find(person, in: tx) {
      if let guest { try guests.move(guest, to: known, in: tx) }
      return try accounts.get(known, in: tx)
    }
    if let guest { return try upgrade(guest, to: person, clientInfo, in: tx) }
    if let email = person.email, var stored = try accounts.find(email: email, in: tx) {
      // Otherwise someone could register an address of another person and keep access once its owner signs in.
      guard stored.account.isEmailVerified else { throw Problem(.linkRequired) }
      try link(person, to: stored, clientInfo, in: tx)
      try fill(&stored, from: person, in: tx)
      return stored
    }
    let stored = StoredAccount(
      account: Account(
        id: newID,
        email: person.email,
        isEmailVerified: person.email != nil,
        username: nil,
        displayName: Self.nameOfNewcomers,
        hasPassword: false,
        details: Self.details(of: person, ProfileDetails()),
        roles: [.user],
        createdAt: tx.now,
        version: 1
      )
    )
    try accounts.insert(stored, in: tx)
    try tx.record(UserRegistered(userID: newID, app: app))
    try tx.audit("account.created", object: stored.object, by: .user(newID, address: clientInfo.address))
    try link(person, to: stored, clientInfo, in: tx)
    return stored
  }

  private func upgrade(_ guest: UserID, to person: ProvedPerson, _ clientInfo: ClientInfo, in tx: Transaction) throws
    -> StoredAccount
  {
    var stored = try accounts.get(guest, in: tx)
    guard stored.isGuest else { throw Problem(.notAGuest) }
    if let email = person.email, try accounts.find(email: email, in: tx) != nil { throw Problem(.linkRequired) }
    stored.account.roles = [.user]
    stored.account.email = person.email
    stored.account.isEmailVerified = person.email != nil
    stored.account.displayName = Self.nameOfNewcomers
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

  /// Fills in the provider's names where the account has none.
  private func fill(_ stored: inout StoredAccount, from person: ProvedPerson, in tx: Transaction) throws {
    let details = Self.details(of: person, stored.account.details)
    guard details != stored.account.details else { return }
    stored.account.details = details
    try accounts.update(&stored, in: tx)
    try tx.record(UserChanged(userID: stored.id, version: stored.account.version))
  }

  /// The display name is public, so the user chooses it; the provider's names are stored in fields that only the user
  /// sees.
  private static let nameOfNewcomers = "New user"

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
