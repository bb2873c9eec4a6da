import Contracts
import Persistence
import ServiceKit

/// The name and the e-mail address of a newsletter subscription.
struct Subscriber: Codable, Sendable {
  var name: DisplayName
  var email: EmailAddress
}

/// Newsletter subscriptions, and requests that are not confirmed yet. Names and addresses are encrypted and looked up by
/// keyed hashes; tokens are stored as keyed hashes.
struct SubscriptionStore: Sendable {
  let keys: DataKeys

  static let requestColumn = SealedColumn("newsletter_requests", key: "hash", "content")
  static let contentColumn = SealedColumn("newsletter_subscriptions", key: "lookup", "content")

  func lookup(of subscriber: Subscriber) -> String { lookup(of: subscriber.email) }

  private func lookup(of email: EmailAddress) -> String { keys.lookup(email.rawValue, for: "newsletter.address") }

  private func hash(of token: String) -> String { keys.lookup(token, for: "newsletter.request") }

  // MARK: requests

  /// The request with a token that has not expired.
  func findRequest(_ token: NewsletterToken, in tx: Transaction) throws -> (subscriber: Subscriber, user: UserID?)? {
    let hash = hash(of: token.rawValue)
    return try tx.first(
      "SELECT content, user_id FROM newsletter_requests WHERE hash = \(hash) AND expires_at > \(tx.now)"
    ) { row in
      let content = try keys.open(try row["content"], in: Self.requestColumn, row: hash)
      return (try WireJSON.decode(Subscriber.self, from: content), try row["user_id"])
    }
  }

  func insertRequest(
    _ subscriber: Subscriber, _ token: String, as user: UserID?, until expiresAt: Timestamp, in tx: Transaction
  ) throws {
    let hash = hash(of: token)
    let sealed = try keys.seal(WireJSON.encode(subscriber), in: Self.requestColumn, row: hash)
    try tx.execute(
      """
      INSERT INTO newsletter_requests (hash, lookup, content, user_id, expires_at)
      VALUES (\(hash), \(lookup(of: subscriber)), \(sealed), \(user), \(expiresAt))
      """
    )
  }

  /// Invalidates all tokens of an address.
  func deleteRequests(of lookup: String, in tx: Transaction) throws {
    try tx.execute("DELETE FROM newsletter_requests WHERE lookup = \(lookup)")
  }

  func deleteExpiredRequests(in tx: Transaction) throws {
    try tx.execute("DELETE FROM newsletter_requests WHERE expires_at <= \(tx.now)")
  }

  // MARK: subscriptions

  func isSubscribed(_ user: UserID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM newsletter_subscriptions WHERE user_id = \(user) LIMIT 1")
  }

  /// The account that shows a subscription.
  func user(of lookup: String, in db: any Connection) throws -> UserID? {
    try db.value("SELECT user_id FROM newsletter_subscriptions WHERE lookup = \(lookup)", as: UserID?.self) ?? nil
  }

  /// The subscriptions that a user's account shows.
  func lookups(of user: UserID, in db: any Connection) throws -> [String] {
    try db.values("SELECT lookup FROM newsletter_subscriptions WHERE user_id = \(user) ORDER BY lookup")
  }

  /// The present lookup key of an address's subscription, which may have moved with its account.
  func present(_ lookup: String, in db: any Connection) throws -> String {
    try db.value("SELECT moved_to FROM newsletter_moves WHERE lookup = \(lookup)", as: String.self) ?? lookup
  }

  func open(_ content: String, of lookup: String) throws -> Subscriber {
    try WireJSON.decode(Subscriber.self, from: keys.open(content, in: Self.contentColumn, row: lookup))
  }

  /// A user's subscriptions, for the data export.
  func list(of user: UserID, in db: any Connection) throws -> [JSONValue] {
    try db.all("SELECT lookup, content FROM newsletter_subscriptions WHERE user_id = \(user)") { row in
      let content = try keys.open(try row["content"], in: Self.contentColumn, row: try row["lookup"])
      return try WireJSON.decode(JSONValue.self, from: content)
    }
  }

  /// Subscribes an address that was confirmed. A subscription of an account's verified address is that account's: only
  /// its user changes the name, and no other account shows it.
  func save(_ subscriber: Subscriber, as user: UserID?, in tx: Transaction) throws {
    let lookup = lookup(of: subscriber)
    let sealed = try keys.seal(WireJSON.encode(subscriber), in: Self.contentColumn, row: lookup)
    try tx.execute(
      """
      INSERT INTO newsletter_subscriptions (lookup, content, user_id, confirmed_at)
      VALUES (\(lookup), \(sealed), \(user), \(tx.now))
      ON CONFLICT (lookup) DO UPDATE SET content = excluded.content,
        user_id = COALESCE(excluded.user_id, newsletter_subscriptions.user_id)
      WHERE newsletter_subscriptions.is_account_address = 0
        OR newsletter_subscriptions.user_id = excluded.user_id
      """
    )
    try tx.execute("DELETE FROM newsletter_moves WHERE lookup = \(lookup)")
  }

  /// Lets a user's account show the subscription of its verified address, and moves the one of its address before there.
  ///
  /// - Returns: Another user whose account showed the subscription.
  func assign(_ email: EmailAddress, to user: UserID, in tx: Transaction) throws -> Set<UserID> {
    let lookup = lookup(of: email)
    let other = try self.user(of: lookup, in: tx)
    for (old, content) in try moving(to: lookup, of: user, in: tx) {
      let before = try open(content, of: old)
      let after = Subscriber(name: before.name, email: email)
      let sealed = try keys.seal(WireJSON.encode(after), in: Self.contentColumn, row: lookup)
      try tx.execute(
        """
        INSERT INTO newsletter_subscriptions (lookup, content, user_id, confirmed_at)
        VALUES (\(lookup), \(sealed), \(user), \(tx.now)) ON CONFLICT DO NOTHING
        """
      )
      try tx.execute("DELETE FROM newsletter_subscriptions WHERE lookup = \(old)")
      try NewsletterIssueStore.moveDeliveries(from: old, to: lookup, in: tx)
      try tx.execute("UPDATE newsletter_moves SET moved_to = \(lookup) WHERE moved_to = \(old)")
      try tx.execute(
        """
        INSERT INTO newsletter_moves (lookup, moved_to, user_id) VALUES (\(old), \(lookup), \(user))
        ON CONFLICT (lookup) DO UPDATE SET moved_to = excluded.moved_to, user_id = excluded.user_id
        """
      )
    }
    // The address is subscribed in its own right now, or not at all.
    try tx.execute("DELETE FROM newsletter_moves WHERE lookup = \(lookup)")
    try tx.execute(
      "UPDATE newsletter_subscriptions SET user_id = \(user), is_account_address = 1 WHERE lookup = \(lookup)"
    )
    return Set([other].compactMap(\.self).filter { $0 != user })
  }

  /// The user's subscriptions of an address that the account no longer has.
  private func moving(to lookup: String, of user: UserID, in tx: Transaction) throws
    -> [(lookup: String, content: String)]
  {
    try tx.all(
      """
      SELECT lookup, content FROM newsletter_subscriptions
      WHERE user_id = \(user) AND is_account_address = 1 AND lookup <> \(lookup)
      """
    ) { row in (try row["lookup"], try row["content"]) }
  }

  /// - Returns: `false` when the address is not subscribed.
  func delete(_ lookup: String, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM newsletter_subscriptions WHERE lookup = \(lookup)") > 0
  }

  func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM newsletter_subscriptions WHERE user_id = \(user)")
    try tx.execute("DELETE FROM newsletter_requests WHERE user_id = \(user)")
    try tx.execute("DELETE FROM newsletter_moves WHERE user_id = \(user)")
  }
}
