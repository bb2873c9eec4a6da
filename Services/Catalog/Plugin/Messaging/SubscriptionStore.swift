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

  func lookup(of subscriber: Subscriber) -> String {
    keys.lookup(subscriber.email.rawValue, for: "newsletter.address")
  }

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

  func save(_ subscriber: Subscriber, as user: UserID?, in tx: Transaction) throws {
    let lookup = lookup(of: subscriber)
    let sealed = try keys.seal(WireJSON.encode(subscriber), in: Self.contentColumn, row: lookup)
    try tx.execute(
      """
      INSERT INTO newsletter_subscriptions (lookup, content, user_id, confirmed_at)
      VALUES (\(lookup), \(sealed), \(user), \(tx.now))
      ON CONFLICT (lookup) DO UPDATE SET content = excluded.content,
        user_id = COALESCE(excluded.user_id, newsletter_subscriptions.user_id)
      """
    )
  }

  /// - Returns: `false` when the address is not subscribed.
  func delete(_ lookup: String, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM newsletter_subscriptions WHERE lookup = \(lookup)") > 0
  }

  func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM newsletter_subscriptions WHERE user_id = \(user)")
    try tx.execute("DELETE FROM newsletter_requests WHERE user_id = \(user)")
  }
}
