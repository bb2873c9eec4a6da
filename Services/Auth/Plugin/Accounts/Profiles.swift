import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// The caller's account, and the profiles of other users.
struct Profiles: Feature {
  let core: AuthCore
  let photo: ProfilePhoto
  private let consents: ConsentRules
  private let renaming: Renaming

  init(_ core: AuthCore) throws {
    self.core = core
    consents = try ConsentRules(core.settings)
    photo = ProfilePhoto(core)
    renaming = Renaming(core)
  }

  var workers: [any Service] {
    [core.environment.indexFilling("users") { try await AccountStore.fillIndex(core.database) }]
  }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.GetMe.self) { _, call in try await account(of: call.user.id) }
    routes.on(AuthAPI.UpdateMe.self) { request, call in
      try await update(call.user, request, ifMatch: request.ifMatch, by: call.auditActor)
    }
    routes.on(AuthAPI.GetUser.self) { request, call in
      try await profile(of: request.id, for: call.user.id, staff: call.staffActor)
    }
    routes.on(AuthAPI.SearchUsers.self) { request, call in
      try await search(request, for: call.user.id, staff: call.staffActor)
    }
    routes.on(AuthAPI.GetCloudRecord.self) { _, call in try await cloudRecord(of: call.user.id) }
    routes.on(AuthAPI.GetDeviceRecord.self) { _, call in try await deviceRecord(of: call.user.id) }
    routes.on(AuthAPI.ListFitnessLevels.self) { _, _ in
      Page(items: FitnessLevel.allCases.map { FitnessLevelChoice($0) })
    }
    routes.on(AuthAPI.GetPublicNames.self) { request, _ in try await publicNames(request) }
    routes.on(AuthAPI.GetVerifiedAddresses.self) { request, _ in
      guard max(request.users.count, request.emails.count) <= 100 else {
        throw Problem(.invalidRequest, errors: [.init(location: "body", message: "must name at most 100 accounts")])
      }
      return try await core.database.read { db in
        Page(items: try core.accounts.verifiedAddresses(of: request.users, and: request.emails, in: db))
      }
    }
    routes.on(AuthAPI.SetSubscribed.self) { request, call in
      try await setSubscribed(request.user, request.isSubscribed, by: call.auditActor)
    }
    routes.readers("user") { reader, profiles in try await photo.readable(profiles, by: reader) }
  }

  // MARK: the caller's account

  func account(of id: UserID) async throws -> Account {
    try await core.database.read { db in try core.accounts.get(id, in: db).account }
  }

  func update(_ caller: UserCaller, _ patch: AuthAPI.UpdateMe, ifMatch: EntityTag?, by actor: AuditActor) async throws
    -> Account
  {
    let id = caller.id
    try await photo.require(patch.details?.photo ?? .keep, of: id, at: "body.details.photo")
    return try await core.database.write { tx in
      var stored = try core.accounts.get(id, in: tx)
      try ifMatch?.require(stored.account.version)
      let before = stored.account
      stored.account.displayName = patch.displayName?.rawValue ?? before.displayName
      stored.account.username = patch.username?.rawValue ?? before.username
      stored.account.details = patch.details?.applied(to: before.details) ?? before.details
      stored.account.visibility = patch.visibility.map { before.visibility.merged(with: $0) } ?? before.visibility
      guard stored.account != before else { return before }
      try consents.require(
        for: stored.account.details, insteadOf: before.details, of: id, app: caller.app, in: tx)
      try core.minors.requireBirthdayMayChange(from: before, to: stored.account, in: tx)
      try renaming.require(from: before, to: stored.account, by: caller, in: tx)
      try core.accounts.update(&stored, in: tx)
      try ProfileChange(core.minors).note(from: before, to: stored.account, in: tx)
      try tx.audit(
        "profile.changed",
        object: stored.object,
        by: actor,
        changes: Self.changes(from: before, to: stored.account)
      )
      return stored.account
    }
  }

  static func changes(from old: Account, to new: Account) throws -> [AuditChange] {
    var changes = try [AuditChange].between(old.details, new.details, masked: true)
    if old.username != new.username { changes.append(.masked("username", hadValue: old.username != nil)) }
    if old.displayName != new.displayName { changes.append(.masked("displayName")) }
    return try changes + .between(old.visibility, new.visibility, masked: false)
  }

  func deviceRecord(of id: UserID) async throws -> DeviceRecord {
    let account = try await account(of: id)
    return DeviceRecord(id: id, details: account.details)
  }

  func cloudRecord(of id: UserID) async throws -> CloudRecord {
    CloudRecord(try await deviceRecord(of: id), today: CalendarDate(core.time.now()))
  }

  // MARK: other users

  /// - Parameter staff: The viewer as a member of staff, whose view is audited.
  func profile(of id: UserID, for viewer: UserID, staff: AuditActor? = nil) async throws -> Profile {
    try await core.database.readAudited(by: staff) { db in
      guard let stored = try core.accounts.find(id, in: db), !stored.isDisabled,
        try !BlockStore.exists(by: id, of: viewer, in: db)
      else { throw Problem(.userNotFound) }
      let connected = try ConnectionStore.connected(to: viewer, among: [id], in: db)
      let shown = try core.minors.hidden([stored.account], from: viewer, in: db).first ?? stored.account
      return Profile(shown, seenBy: Relation(of: viewer, to: id, connected))
    } as: {
      $0.id == viewer ? nil : AuditedRead("profile.viewed", object: "user:\($0.id)")
    }
  }

  func search(_ request: AuthAPI.SearchUsers, for viewer: UserID, staff: AuditActor? = nil) async throws -> Page<
    Profile
  > {
    let page = try request.page(by: UserID.self)
    return try await core.database.readAudited(by: staff) { db in
      let listed = AccountStore.isListed(for: viewer)
      let found = try core.accounts.page(page, matching: request.query, where: listed, in: db)
      let connected = try ConnectionStore.connected(to: viewer, among: found.rows.map(\.id), in: db)
      let shown = try core.minors.hidden(found.rows.map(\.account), from: viewer, in: db)
      return found.with(shown.map { Profile($0, seenBy: Relation(of: viewer, to: $0.id, connected)) })
    } as: {
      AuditedRead("profiles.viewed", object: "users", viewed: $0.items.map { "user:\($0.id)" })
    }
  }

  func publicNames(_ request: AuthAPI.GetPublicNames) async throws -> Page<PublicName> {
    try await core.database.read { db in
      var items = try core.accounts.publicNames("id IN \(list: request.users)", in: db)
      items +=
        try request.usernames.map { names in
          try core.accounts.publicNames("username IN \(list: names) AND disabled_at IS NULL", in: db)
        } ?? []
      let shown = try core.accounts.find(items.filter { $0.photo != nil }.map(\.id), in: db)
      let limited = try core.minors.limited(among: shown.map(\.account), in: db)
      for index in items.indices where limited.contains(items[index].id) { items[index].photo = nil }
      return Page(items: items)
    }
  }

  /// Records whether a user receives the newsletter, as reported by the service that sends it.
  func setSubscribed(_ id: UserID, _ isSubscribed: Bool, by actor: AuditActor) async throws {
    try await core.database.write { tx in
      guard var stored = try core.accounts.find(id, in: tx), stored.account.isSubscribed != isSubscribed else { return }
      let before = stored.account.isSubscribed
      stored.account.isSubscribed = isSubscribed
      try core.accounts.update(&stored, in: tx)
      try tx.audit(
        "newsletter.changed",
        object: stored.object,
        by: actor,
        changes: [AuditChange("isSubscribed", from: String(before), to: String(isSubscribed))]
      )
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("account", try JSONValue(core.accounts.get(user, in: db).account))]
  }

  /// The account itself is deleted with the sessions.
  func erase(_ user: UserID, in tx: Transaction) throws {
    if let stored = try core.accounts.find(user, in: tx) { try ProfilePhoto.reportDeleted(stored.account, in: tx) }
    try ReservedUsernameStore.delete(of: user, in: tx)
  }
}

/// How a viewer is related to a user.
enum Relation: CaseIterable {
  case own, connection, stranger

  init(of viewer: UserID, to user: UserID, _ connected: Set<UserID>) {
    self = viewer == user ? .own : connected.contains(user) ? .connection : .stranger
  }

  func sees(_ visibility: Visibility) -> Bool {
    switch (self, visibility) {
    case (.own, _), (_, .everyone), (.connection, .connections): true
    case (.connection, .onlyMe), (.stranger, .connections), (.stranger, .onlyMe): false
    }
  }
}

extension Profile {
  /// The fields of an account that are visible to a relation. A field that is not listed here is never shown.
  init(_ account: Account, seenBy relation: Relation) {
    func shown<Value>(_ field: ProfileField, _ value: Value?) -> Value? {
      relation.sees(account.visibility[field]) ? value : nil
    }
    let all = account.details
    var details = ProfileDetails()
    details.firstName = shown(.firstName, all.firstName)
    details.lastName = shown(.lastName, all.lastName)
    details.bio = shown(.bio, all.bio)
    details.photo = shown(.photo, all.photo)
    details.school = shown(.school, all.school)
    details.phone = shown(.phone, all.phone)
    details.birthday = shown(.birthday, all.birthday)
    details.gender = shown(.gender, all.gender)
    details.userGroup = shown(.userGroup, all.userGroup)
    details.weightGrams = shown(.weight, all.weightGrams)
    details.heightMillimetres = shown(.height, all.heightMillimetres)
    details.fitnessLevel = shown(.fitnessLevel, all.fitnessLevel)
    self.init(
      id: account.id,
      username: account.username,
      displayName: account.displayName,
      email: shown(.email, account.email),
      details: details,
      createdAt: account.createdAt
    )
  }
}
