import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Newsletter subscriptions. An address is subscribed only by a token that was emailed to it, and the response is the
/// same for all addresses, so that it does not reveal which addresses are subscribed. Names and addresses are encrypted
/// at rest and looked up by keyed hashes.
struct Subscriptions: Worker {
  private struct AccountWork: Codable, Sendable {
    var user: UserID
  }

  static let requestColumn = SealedColumn("newsletter_requests", key: "hash", "content")
  static let contentColumn = SealedColumn("newsletter_subscriptions", key: "lookup", "content")
  /// How long an emailed token is valid, in seconds.
  private static let lifetime = 86_400.0
  private static let requestsPerCaller = RateLimit(10, per: 3600, pause: .untilAllAreForgotten)
  private static let mailsPerAddress = RateLimit(3, per: 86_400, pause: .untilAllAreForgotten)

  private let database: any Database
  private let keys: DataKeys
  private let mailer: Mailer
  private let accounts: DurableJobs<AccountWork>

  init(_ environment: ServiceEnvironment, mailer: Mailer) throws {
    let database = try environment.database
    let auth = environment.client(of: AuthAPI.self)
    self.database = database
    self.mailer = mailer
    keys = environment.dataKeys
    accounts = try DurableJobs("newsletter-account", environment) { work, _ in
      // Reports the current state, not the state when the job was added, so that the order of the jobs does not matter.
      let isSubscribed = try await database.read { db in
        try db.exists("SELECT 1 FROM newsletter_subscriptions WHERE user_id = \(work.user) LIMIT 1")
      }
      _ = try await auth.send(AuthAPI.SetSubscribed(user: work.user, isSubscribed: isSubscribed))
      return .done
    }
  }

  var name: String { accounts.name }
  func run() async throws { try await accounts.run() }
  func runOnce() async throws -> Int { try await accounts.runOnce() }

  /// Emails a confirmation token.
  ///
  /// - Parameters:
  ///   - user: The account that shows the subscription; `nil` for an anonymous caller.
  ///   - asker: The key that the rate limit counts.
  func ask(_ subscriber: Subscriber, as user: UserID?, countedBy asker: String) async throws -> Acknowledgement {
    try await database.write { tx in
      let requests = StoredLimit(Self.requestsPerCaller, of: asker, for: "newsletter", keys)
      if let wait = try requests.take(in: tx) { throw Problem(.tooManyRequests, retryAfter: wait) }
      try tx.execute("DELETE FROM newsletter_requests WHERE expires_at <= \(tx.now)")
      // Emails per address are limited; the response is the same, so that it reveals nothing.
      let mails = StoredLimit(Self.mailsPerAddress, of: subscriber.email.rawValue, for: "newsletter-mail", keys)
      guard try mails.take(in: tx) == nil else { return Acknowledgement() }
      let token = Base64URL.encode(SecureBytes.random(32))
      let hash = hash(of: token)
      let sealed = try keys.seal(WireJSON.encode(subscriber), in: Self.requestColumn, row: hash)
      try tx.execute(
        """
        INSERT INTO newsletter_requests (hash, lookup, content, user_id, expires_at)
        VALUES (\(hash), \(lookup(of: subscriber)), \(sealed), \(user), \(tx.now.advanced(bySeconds: Self.lifetime)))
        """
      )
      try mailer.send(MessagingMails.confirmation(of: subscriber, token: token), person: user, in: tx)
      return Acknowledgement()
    }
  }

  /// Subscribes the address that the token was emailed to.
  func confirm(_ token: NewsletterToken, by actor: AuditActor) async throws {
    try await database.write { tx in
      let hash = hash(of: token.rawValue)
      let request = try tx.first(
        "SELECT content, user_id FROM newsletter_requests WHERE hash = \(hash) AND expires_at > \(tx.now)"
      ) { row -> (content: String, user: UserID?) in (try row["content"], try row["user_id"]) }
      guard let request else { throw Problem(.newsletterTokenInvalid) }
      let subscriber = try WireJSON.decode(
        Subscriber.self,
        from: keys.open(request.content, in: Self.requestColumn, row: hash)
      )
      let lookup = lookup(of: subscriber)
      // All tokens of the address become invalid.
      try tx.execute("DELETE FROM newsletter_requests WHERE lookup = \(lookup)")
      let before = try user(of: lookup, in: tx)
      let sealed = try keys.seal(WireJSON.encode(subscriber), in: Self.contentColumn, row: lookup)
      try tx.execute(
        """
        INSERT INTO newsletter_subscriptions (lookup, content, user_id, confirmed_at)
        VALUES (\(lookup), \(sealed), \(request.user), \(tx.now))
        ON CONFLICT (lookup) DO UPDATE SET content = excluded.content,
          user_id = COALESCE(excluded.user_id, newsletter_subscriptions.user_id)
        """
      )
      try tx.audit("newsletter.subscribed", object: Self.object(lookup), by: actor)
      try notifyAccounts([before, request.user], in: tx)
    }
  }

  /// Unsubscribes the address, also from issues that are being sent.
  func end(_ token: NewsletterToken, by actor: AuditActor) async throws {
    guard let lookup = UnsubscribeToken.read(token, keys) else { throw Problem(.newsletterTokenInvalid) }
    try await database.write { tx in
      let user = try user(of: lookup, in: tx)
      guard try tx.execute("DELETE FROM newsletter_subscriptions WHERE lookup = \(lookup)") > 0 else { return }
      try tx.audit("newsletter.unsubscribed", object: Self.object(lookup), by: actor)
      try notifyAccounts([user], in: tx)
    }
  }

  private func notifyAccounts(_ users: Set<UserID?>, in tx: Transaction) throws {
    for user in users.compactMap({ $0 }) { try accounts.add(AccountWork(user: user), person: user, in: tx) }
  }

  private func user(of lookup: String, in tx: Transaction) throws -> UserID? {
    try tx.value("SELECT user_id FROM newsletter_subscriptions WHERE lookup = \(lookup)", as: UserID?.self) ?? nil
  }

  private func hash(of token: String) -> String { keys.lookup(token, for: "newsletter.request") }
  private func lookup(of subscriber: Subscriber) -> String {
    keys.lookup(subscriber.email.rawValue, for: "newsletter.address")
  }
  private static func object(_ lookup: String) -> String { "subscription:\(lookup)" }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> JSONValue {
    .array(
      try db.all("SELECT lookup, content FROM newsletter_subscriptions WHERE user_id = \(user)") { row in
        let content = try keys.open(try row["content"], in: Self.contentColumn, row: try row["lookup"])
        return try WireJSON.decode(JSONValue.self, from: content)
      }
    )
  }

  static func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM newsletter_deliveries
      WHERE lookup IN (SELECT lookup FROM newsletter_subscriptions WHERE user_id = \(user))
      """
    )
    try tx.execute("DELETE FROM newsletter_subscriptions WHERE user_id = \(user)")
    try tx.execute("DELETE FROM newsletter_requests WHERE user_id = \(user)")
  }
}

/// The name and the e-mail address of a newsletter subscription.
struct Subscriber: Codable, Sendable {
  var name: DisplayName
  var email: EmailAddress
}
