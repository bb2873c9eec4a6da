import Contracts
import Foundation
import Persistence
import ServiceKit

/// An account as stored: what its user sees, and the fields that are never shown.
struct StoredAccount: Sendable, Equatable {
  var account: Account
  var passwordHash: String?
  var isDisabled = false

  var id: UserID { account.id }
  var object: String { "user:\(account.id)" }
  var isGuest: Bool { account.roles.contains(.guest) }
}

/// Accounts in the database. Everything except the names used for lookup is stored encrypted, in one value.
struct AccountStore: Sendable {
  let keys: DataKeys

  static let profileColumn = SealedColumn("users", "profile")
  static let index = TextIndex("users")

  var reserved: ReservedUsernameStore { ReservedUsernameStore(keys: keys) }

  private struct SealedProfile: Codable {
    var email: String?
    var isEmailVerified: Bool
    var details: ProfileDetails
    var visibility: ProfileVisibility
    var isSubscribed: Bool
  }

  // MARK: reading

  func find(_ id: UserID, in db: any Connection) throws -> StoredAccount? {
    try db.first("SELECT \(Self.columns) FROM users WHERE id = \(id)") { try decode($0) }
  }

  /// The accounts that match a login: by e-mail address, by username, or by a username from LetuStudy's table, which
  /// has only its SHA-512. There are two when another user took the username before its owner in that table first
  /// logged in.
  func find(login: String, in db: any Connection) throws -> [StoredAccount] {
    let name = login.lowercased()
    let email = name.contains("@") ? lookup(name) : ""
    let legacy = LegacyPassword.loginHash(of: login)
    return try db.all(
      """
      SELECT \(Self.columns) FROM users
      WHERE username = \(name) OR email_lookup = \(email) OR legacy_login = \(legacy) LIMIT 3
      """
    ) { try decode($0) }
  }

  func find(email: String, in db: any Connection) throws -> StoredAccount? {
    try db.first("SELECT \(Self.columns) FROM users WHERE email_lookup = \(lookup(email))") { try decode($0) }
  }

  /// Several accounts, in the order of `ids`.
  func find(_ ids: [UserID], where condition: SQL? = nil, in db: any Connection) throws -> [StoredAccount] {
    let filter = SQL.and("id IN \(list: ids)", condition)
    let found = try db.all("SELECT \(Self.columns) FROM users WHERE \(filter)") { try decode($0) }
    let byID = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    return ids.compactMap { byID[$0] }
  }

  /// The newest accounts before a cursor.
  func newest(before cursor: UserID?, where condition: SQL? = nil, limit: Int, in db: any Connection) throws
    -> [StoredAccount]
  {
    let filter = SQL.and(cursor.map { "id < \($0)" }, condition)
    return try db.all(
      "SELECT \(Self.columns) FROM users WHERE \(filter) ORDER BY id DESC LIMIT \(limit)"
    ) { try decode($0) }
  }

  /// A condition on accounts: they are active, and there is no block between them and the viewer. The index has
  /// those whose only role is not that of guests.
  static func isListed(for viewer: UserID) -> SQL {
    """
    disabled_at IS NULL AND roles <> 'guest' AND (' ' || roles || ' ') NOT LIKE '% guest %'
      AND id NOT IN \(BlockStore.others(of: viewer))
    """
  }

  func get(_ id: UserID, in db: any Connection) throws -> StoredAccount {
    guard let stored = try find(id, in: db) else { throw Problem(.notFound) }
    return stored
  }

  /// The public names of those accounts that exist, with the photos that everyone may see.
  func publicNames(_ condition: SQL, in db: any Connection) throws -> [PublicName] {
    try db.all("SELECT id, username, display_name, roles, profile FROM users WHERE \(condition)") { row in
      let id: UserID = try row["id"]
      let profile = try open(try row["profile"], of: id)
      let roles: [Role] = try row[words: "roles"]
      return PublicName(
        id: id, username: try row["username"], displayName: try row["display_name"],
        photo: profile.visibility[.photo] == .everyone ? profile.details.photo : nil,
        isInstructor: roles.contains(.instructor) ? true : nil
      )
    }
  }

  /// The verified addresses of those accounts that have one.
  func verifiedAddresses(of users: [UserID], and emails: [EmailAddress], in db: any Connection) throws
    -> [VerifiedAddress]
  {
    let lookups = emails.map { lookup($0.rawValue) }
    return try ["id IN \(list: users)", "email_lookup IN \(list: lookups)"].flatMap { (condition: SQL) in
      try db.all("SELECT \(Self.columns) FROM users WHERE \(condition)") { try decode($0).account }
    }
    .compactMap { account in
      guard account.isEmailVerified, let email = account.email else { return nil }
      return VerifiedAddress(userID: account.id, email: EmailAddress(checked: email))
    }
  }

  /// Whether an active administrator other than this one exists.
  static func hasAdministrator(besides id: UserID, in db: any Connection) throws -> Bool {
    try db.exists(
      "SELECT 1 FROM users WHERE is_administrator = 1 AND disabled_at IS NULL AND id <> \(id) LIMIT 1"
    )
  }

  /// A page of the newest accounts, or the accounts that match a search best: those are ranked, so there is only one page;
  /// a longer query narrows the results.
  ///
  /// - Parameter condition: Accounts that do not meet it are left out before pages are formed, so that no cursor names
  ///   one of them.
  func page(
    _ page: PageRequest<UserID>, matching query: String?, where condition: SQL? = nil, in db: any Connection
  ) throws -> FetchedPage<StoredAccount> {
    guard let query else {
      return try page.fetch({ try newest(before: $0, where: condition, limit: $1, in: db) }, key: \.id)
    }
    let found = try Self.index.search(
      TextQuery(query), limit: page.limit,
      keeping: condition.map { condition in
        { ids in Set(try db.values("SELECT id FROM users WHERE id IN \(list: ids) AND \(condition)", as: String.self)) }
      }, in: db)
    let ids = found.documents.map { UserID(trusted: $0) }
    return try page.fetch({ _, _ in try find(ids, in: db) }, key: \.id)
  }

  private func lookup(_ email: String) -> String { keys.lookup(email, for: "users.email") }

  private static let columns: SQL =
    "id, username, display_name, profile, password_hash, roles, disabled_at, created_at, version"

  private func decode(_ row: Row) throws -> StoredAccount {
    let id: UserID = try row["id"]
    let hash: String? = try row["password_hash"]
    let disabledAt: Timestamp? = try row["disabled_at"]
    let profile = try open(try row["profile"], of: id)
    return StoredAccount(
      account: Account(
        id: id,
        email: profile.email, isEmailVerified: profile.isEmailVerified,
        username: try row["username"], displayName: try row["display_name"], hasPassword: hash != nil,
        details: profile.details, visibility: profile.visibility,
        roles: try row[words: "roles"], isSubscribed: profile.isSubscribed,
        createdAt: try row["created_at"], version: try row["version"]
      ),
      passwordHash: hash,
      isDisabled: disabledAt != nil
    )
  }

  private func open(_ sealed: String, of id: UserID) throws -> SealedProfile {
    try WireJSON.decode(SealedProfile.self, from: keys.open(sealed, in: Self.profileColumn, row: id.rawValue))
  }

  // MARK: writing

  /// - Parameter legacyLogin: SHA-512 of the username, for an imported account whose username is not known yet.
  /// - Throws: ``Problem`` when the e-mail address or the username is taken.
  func insert(_ stored: StoredAccount, legacyLogin: String? = nil, in tx: Transaction) throws {
    let account = stored.account
    try reserved.require(account.username, for: account.id, in: tx)
    try Self.namingTakenFields {
      try tx.execute(
        """
        INSERT INTO users
          (id, email_lookup, username, legacy_login, display_name, profile, password_hash, roles, is_administrator,
           created_at, version, unverified_since)
        VALUES (\(account.id), \(account.email.map(lookup)), \(account.username), \(legacyLogin),
                \(account.displayName), \(seal(account)), \(stored.passwordHash), \(Self.text(account.roles)),
                \(account.roles.contains(.administrator)), \(account.createdAt), \(account.version),
                \(Self.isUnverified(account) ? tx.now.microseconds : 0))
        """
      )
    }
    try index(account, in: tx)
    if account.isEmailVerified { try tx.record(UserAddressVerified(userID: account.id)) }
  }

  /// The first of some usernames that no account has.
  func firstFree(_ usernames: [String], in tx: Transaction) throws -> String? {
    let taken = Set(
      try tx.values("SELECT username FROM users WHERE username IN \(list: usernames)", as: String.self))
    return try usernames.first { try !taken.contains($0) && !reserved.isReserved($0, in: tx) }
  }

  /// Sets an imported account's username to the one used to log in, unless another user has taken it.
  func learnUsername(_ login: String, of stored: inout StoredAccount, in tx: Transaction) throws {
    guard stored.account.username == nil, let username = try? Username(validating: login) else { return }
    let isTaken = try tx.value("SELECT id FROM users WHERE username = \(username)", as: UserID.self)
    let isReserved = try reserved.isReserved(username.rawValue, besides: stored.id, in: tx)
    if isTaken == nil, !isReserved { stored.account.username = username.rawValue }
  }

  /// Updates the account and increments its version.
  /// - Throws: ``Problem`` when the e-mail address or the username is taken.
  func update(_ stored: inout StoredAccount, in tx: Transaction) throws {
    stored.account.version += 1
    stored.account.hasPassword = stored.passwordHash != nil
    let account = stored.account
    let hash = stored.passwordHash
    let disabledAt = stored.isDisabled ? tx.now : nil
    try reserved.require(account.username, for: account.id, in: tx)
    let unverifiedSince: SQL =
      if Self.isUnverified(account) {
        "CASE WHEN unverified_since > 1 THEN unverified_since ELSE \(tx.now) END"
      } else if account.email == nil, try !Self.hasOtherSignIn(stored, in: tx) {
        // It still expires (``expire(_:in:)``), whatever changes.
        "CASE WHEN unverified_since = 1 THEN 1 ELSE 0 END"
      } else {
        "0"
      }
    let noticedAt: SQL = Self.isUnverified(account) ? "expiry_noticed_at" : "NULL"
    let legacyLogin: SQL = account.username == nil ? "legacy_login" : "NULL"
    try Self.namingTakenFields {
      try tx.execute(
        """
        UPDATE users SET email_lookup = \(account.email.map(lookup)), username = \(account.username),
          legacy_login = \(legacyLogin), display_name = \(account.displayName), profile = \(seal(account)), password_hash = \(hash),
          roles = \(Self.text(account.roles)), is_administrator = \(account.roles.contains(.administrator)),
          disabled_at = \(disabledAt), version = \(account.version), unverified_since = \(unverifiedSince),
          expiry_noticed_at = \(noticedAt)
        WHERE id = \(account.id)
        """
      )
    }
    try index(account, in: tx)
  }

  /// Records that users were notified that their addresses will be removed.
  static func noteAnnouncement(to ids: [UserID], in tx: Transaction) throws {
    try tx.execute("UPDATE users SET expiry_noticed_at = \(tx.now) WHERE id IN \(list: ids)")
  }

  /// Lets ``ExpiredAccounts`` delete an account that cannot be signed in to any more.
  static func expire(_ id: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE users SET unverified_since = 1 WHERE id = \(id)")
  }

  /// Deletes an account; the features delete what refers to it.
  func delete(_ id: UserID, in tx: Transaction) throws {
    try Self.index.remove(id.rawValue, in: tx)
    try tx.execute("DELETE FROM users WHERE id = \(id)")
  }

  private func index(_ account: Account, in tx: Transaction) throws {
    try Self.index.put(Self.document(account.id, account.username, account.displayName, account.roles), in: tx)
  }

  /// Guests cannot be found by search.
  private static func document(_ id: UserID, _ username: String?, _ displayName: String, _ roles: [Role])
    -> TextDocument
  {
    TextDocument(id.rawValue, roles.contains(.guest) ? [] : ["\(username ?? "") \(displayName)"])
  }

  /// Indexes the accounts that exist.
  static func fillIndex(_ database: any Database) async throws {
    try await index.fill(database, version: 1) { after, limit, tx in
      try tx.all(
        "SELECT id, username, display_name, roles FROM users WHERE id > \(after) ORDER BY id LIMIT \(limit)"
      ) { row in
        document(try row["id"], try row["username"], try row["display_name"], try row[words: "roles"])
      }
    }
  }

  private func seal(_ account: Account) throws -> String {
    let profile = SealedProfile(
      email: account.email,
      isEmailVerified: account.isEmailVerified,
      details: account.details,
      visibility: account.visibility,
      isSubscribed: account.isSubscribed
    )
    return try keys.seal(WireJSON.encode(profile), in: Self.profileColumn, row: account.id.rawValue)
  }

  private static func text(_ roles: [Role]) -> String { roles.map(\.rawValue).joined(separator: " ") }

  private static func namingTakenFields(_ body: () throws -> Void) throws {
    do { try body() } catch let error as DatabaseError where error.isUniqueViolation(of: "users.email_lookup") {
      throw Problem(.emailTaken, errors: [.init(location: "body.email", message: "is already in use")])
    } catch let error as DatabaseError where error.isUniqueViolation(of: "users.username") {
      throw Problem(.usernameTaken, errors: [.init(location: "body.username", message: "is taken")])
    }
  }
}
