import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Deletes guests and new accounts that are not used, and frees addresses that were not verified in time, a few
/// accounts at a time.
struct ExpiredAccounts: Feature {
  private let core: AuthCore
  private let guestSeconds: Double
  private let unverifiedSeconds: Double
  private let privacy: PersonalData

  /// Notices to one mailbox: anyone can sign up with any number of addresses that arrive in someone else's.
  private static let notices = RateLimit(2, per: 86_400, pause: .untilOneIsForgotten)
  /// How long before the end of an unverified address its user is notified, in seconds.
  private static let noticeSeconds = 3 * 86_400.0
  /// Accounts per transaction: each has rows in many tables, and other writers wait.
  private static let chunk = 20
  private static let examined = 200
  /// Notices are mailed to as many of these an hour, because mail servers refuse floods; the ends wait for them.
  private static let noticedChunks = 50
  private static let actor = AuditActor("service:\(AuthAPI.name)")

  init(_ core: AuthCore, _ privacy: PersonalData) throws {
    self.core = core
    self.privacy = privacy
    guestSeconds = Double(try core.settings[AuthSettings.guestDays]) * 86_400
    unverifiedSeconds = Double(try core.settings[AuthSettings.unverifiedDays]) * 86_400
  }

  var workers: [any Service] {
    [
      PeriodicTask("auth.expire-guests", per: .platform, every: .seconds(3600), logger: core.logger) {
        try await expireGuests()
      },
      PeriodicTask("auth.expire-unverified", per: .platform, every: .seconds(3600), logger: core.logger) {
        try await expireUnverified()
      },
      PeriodicTask("auth.expire-unused", per: .platform, every: .seconds(3600), logger: core.logger) {
        try await expireUnused()
      },
    ]
  }

  private func expireGuests() async throws {
    let moment = core.time.now().advanced(bySeconds: -guestSeconds)
    try await inChunks { last, tx in
      let ids = try AccountStore.unusedGuests(since: moment, after: last, limit: Self.chunk, in: tx)
      for guest in try core.accounts.find(ids, in: tx) { try privacy.delete(guest, by: Self.actor, in: tx) }
      return ids
    }
  }

  private func expireUnverified() async throws {
    // Without a mail server no address can be verified.
    if core.mailer.hasServer { try await announceExpiry() }
    let now = core.time.now()
    let end = core.mailer.hasServer ? now.advanced(bySeconds: -unverifiedSeconds) : nil
    let noticed = now.advanced(bySeconds: -noticeSeconds)
    try await inChunks { last, tx in
      let ids = try AccountStore.expired(
        unverifiedSince: end, noticedBy: noticed, after: last, limit: Self.chunk, in: tx)
      for var stored in try core.accounts.find(ids, in: tx) {
        if try AccountStore.hasOtherSignIn(stored, in: tx) {
          try core.accounts.freeAddress(of: &stored, by: Self.actor, in: tx)
        } else if !stored.account.roles.contains(.administrator) {
          try privacy.delete(stored, by: Self.actor, in: tx)
        }
      }
      return ids
    }
  }

  /// Accounts that can be signed in to only by a username and a password, and have not been since they were made.
  private func expireUnused() async throws {
    try await forgetUsed()
    let moment = core.time.now().advanced(bySeconds: -guestSeconds)
    try await inChunks { last, tx in
      let ids = try NewAccountStore.unused(since: moment, after: last, limit: Self.chunk, in: tx)
      for stored in try core.accounts.find(ids, in: tx) where try AccountStore.hasOnlyPassword(stored, in: tx) {
        try privacy.delete(stored, by: Self.actor, in: tx)
      }
      for id in ids { try NewAccountStore.delete(id, in: tx) }
      return ids
    }
  }

  /// Most accounts are looked at in vain, which must not hold up those who write.
  private func forgetUsed() async throws {
    var last: UserID?
    while true {
      let used = try await core.database.read { [last] db in
        try NewAccountStore.used(after: last, limit: Self.examined, in: db)
      }
      last = used.last
      guard !used.isEmpty else { return }
      _ = try await core.database.write { tx in try NewAccountStore.deleteUsed(among: used, in: tx) }
    }
  }

  /// An address is removed, and an account deleted, only when its user was notified in time.
  private var noticeSeconds: Double { min(Self.noticeSeconds, unverifiedSeconds / 2) }

  private func announceExpiry() async throws {
    let moment = core.time.now().advanced(bySeconds: noticeSeconds - unverifiedSeconds)
    try await inChunks(atMost: Self.noticedChunks) { last, tx in
      let ids = try AccountStore.unannounced(unverifiedSince: moment, after: last, limit: Self.chunk, in: tx)
      for stored in try core.accounts.find(ids, in: tx) {
        guard let address = stored.account.email.flatMap({ try? EmailAddress(validating: $0) }) else { continue }
        let limit = StoredLimit(Self.notices, of: MailLimits.mailbox(address), for: "expiry-mails", core.dataKeys)
        // The others are noted too: they would be found again every hour, and keep the notices of further accounts back.
        guard try limit.take(in: tx) == nil else { continue }
        let isDeleted = try !AccountStore.hasOtherSignIn(stored, in: tx)
        try core.mailer.send(AuthMails.unverified(address, isDeleted: isDeleted), person: stored.id, in: tx)
      }
      try AccountStore.noteAnnouncement(to: ids, in: tx)
      return ids
    }
  }

  /// Repeats a transaction, which gets the last account of the previous one, until it has found none.
  private func inChunks(
    atMost count: Int = .max, _ body: @escaping @Sendable (_ after: UserID?, Transaction) throws -> [UserID]
  ) async throws {
    var last: UserID?
    for _ in 0..<count {
      let ids = try await core.database.write { [erasures = privacy.erasures, last] tx in
        let ids = try body(last, tx)
        if !ids.isEmpty { try erasures.add(in: tx) }
        return ids
      }
      guard let id = ids.last else { return }
      last = id
    }
  }
}

extension AccountStore {
  static func isUnverified(_ account: Account) -> Bool { account.email != nil && !account.isEmailVerified }

  /// The accounts whose time to verify an address is over, in the order of their ids.
  ///
  /// - Parameter moment: `nil` for those alone that cannot be signed in to any more (``expire(_:in:)``).
  static func expired(
    unverifiedSince moment: Timestamp?, noticedBy notice: Timestamp, after id: UserID?, limit: Int,
    in db: any Connection
  ) throws -> [UserID] {
    let isOver: SQL = moment.map { "unverified_since < \($0) AND expiry_noticed_at <= \(notice)" } ?? "1 = 0"
    let filter = SQL.and(
      "unverified_since > 0 AND (unverified_since = 1 OR (\(isOver)))", id.map { "id > \($0)" })
    return try db.values("SELECT id FROM users WHERE \(filter) ORDER BY id LIMIT \(limit)")
  }

  /// The accounts that have not verified an address since a moment and were not notified of the consequence.
  static func unannounced(
    unverifiedSince moment: Timestamp, after id: UserID?, limit: Int, in db: any Connection
  ) throws -> [UserID] {
    // `> 0` as in the index.
    let filter = SQL.and(
      "unverified_since > 0 AND unverified_since <> 1 AND unverified_since < \(moment) AND expiry_noticed_at IS NULL",
      id.map { "id > \($0)" })
    return try db.values("SELECT id FROM users WHERE \(filter) ORDER BY id LIMIT \(limit)")
  }

  /// Guests who have not used any session since a moment, in the order of their ids.
  static func unusedGuests(since moment: Timestamp, after id: UserID?, limit: Int, in db: any Connection) throws
    -> [UserID]
  {
    let filter = SQL.and("roles = 'guest' AND created_at < \(moment)", id.map { "id > \($0)" })
    return try db.values(
      """
      SELECT id FROM users
      WHERE \(filter) AND NOT EXISTS
        (SELECT 1 FROM sessions WHERE sessions.user_id = users.id AND sessions.rotated_at >= \(moment))
      ORDER BY id LIMIT \(limit)
      """
    )
  }

  /// Removes an address that its user has not verified. An account that cannot be signed in to otherwise is deleted soon
  /// (``ExpiredAccounts``).
  func freeAddress(of stored: inout StoredAccount, by actor: AuditActor, in tx: Transaction) throws {
    stored.account.email = nil
    try update(&stored, in: tx)
    try EmailTokenStore.delete(of: stored.id, in: tx)
    try tx.audit("email.removed", object: stored.object, by: actor, changes: [.masked("email", hasValue: false)])
    try tx.record(UserChanged(userID: stored.id, version: stored.account.version))
    guard try !Self.hasOtherSignIn(stored, in: tx) else { return }
    try Self.expire(stored.id, in: tx)
    try SessionStore.end(.all, of: stored.id, .ended, by: actor, in: tx)
  }

  /// Whether the user of an account has proved nothing and could not be notified of its end, and the account has no
  /// role that others gave it. What becomes of unverified addresses is not decided here.
  static func hasOnlyPassword(_ stored: StoredAccount, in db: any Connection) throws -> Bool {
    guard stored.account.email == nil, stored.account.roles == [.user], !stored.isDisabled else { return false }
    if try IdentityStore.exists(of: stored.id, in: db) { return false }
    return try PasskeyStore.count(of: stored.id, in: db).trusted == 0
  }

  /// Whether an account can be signed in to without its e-mail address.
  static func hasOtherSignIn(_ stored: StoredAccount, in db: any Connection) throws -> Bool {
    if stored.account.username != nil { return true }
    if try IdentityStore.exists(of: stored.id, in: db) { return true }
    return try PasskeyStore.count(of: stored.id, in: db).trusted > 0
  }
}
