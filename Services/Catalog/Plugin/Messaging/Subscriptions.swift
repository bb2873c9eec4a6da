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

  /// How long an emailed token is valid, in seconds.
  private static let lifetime = 86_400.0
  private static let requestsPerCaller = RateLimit(10, per: 3600, pause: .untilAllAreForgotten)
  private static let mailsPerAddress = RateLimit(3, per: 86_400, pause: .untilAllAreForgotten)

  private let database: any Database
  private let store: SubscriptionStore
  private let keys: DataKeys
  private let mailer: Mailer
  private let accounts: DurableJobs<AccountWork>

  init(_ environment: ServiceEnvironment, mailer: Mailer) throws {
    let database = try environment.database
    let auth = environment.client(of: AuthAPI.self)
    self.database = database
    self.mailer = mailer
    let store = SubscriptionStore(keys: environment.dataKeys)
    (keys, self.store) = (environment.dataKeys, store)
    accounts = try DurableJobs("newsletter-account", environment) { work, _ in
      // Reports the current state, not the state when the job was added, so that the order of the jobs does not matter.
      let isSubscribed = try await database.read { db in try store.isSubscribed(work.user, in: db) }
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
      try StoredLimit(Self.requestsPerCaller, of: asker, for: "newsletter", keys).require(in: tx)
      try store.deleteExpiredRequests(in: tx)
      // Emails per address are limited; the response is the same, so that it reveals nothing.
      let mails = StoredLimit(Self.mailsPerAddress, of: subscriber.email.rawValue, for: "newsletter-mail", keys)
      guard try mails.take(in: tx) == nil else { return Acknowledgement() }
      let token = Base64URL.encode(SecureBytes.random(32))
      let expiresAt = tx.now.advanced(bySeconds: Self.lifetime)
      try store.insertRequest(subscriber, token, as: user, until: expiresAt, in: tx)
      try mailer.send(MessagingMails.confirmation(of: subscriber, token: token), person: user, in: tx)
      return Acknowledgement()
    }
  }

  /// Subscribes the address that the token was emailed to.
  func confirm(_ token: NewsletterToken, by actor: AuditActor) async throws {
    try await database.write { tx in
      guard let request = try store.findRequest(token, in: tx) else { throw Problem(.newsletterTokenInvalid) }
      let lookup = store.lookup(of: request.subscriber)
      // All tokens of the address become invalid.
      try store.deleteRequests(of: lookup, in: tx)
      let before = try store.user(of: lookup, in: tx)
      try store.save(request.subscriber, as: request.user, in: tx)
      try tx.audit("newsletter.subscribed", object: Self.object(lookup), by: actor)
      try notifyAccounts([before, request.user], in: tx)
    }
  }

  /// Unsubscribes the address, also from issues that are being sent.
  func end(_ token: NewsletterToken, by actor: AuditActor) async throws {
    guard let lookup = UnsubscribeToken.read(token, keys) else { throw Problem(.newsletterTokenInvalid) }
    try await database.write { tx in
      let user = try store.user(of: lookup, in: tx)
      guard try store.delete(lookup, in: tx) else { return }
      try tx.audit("newsletter.unsubscribed", object: Self.object(lookup), by: actor)
      try notifyAccounts([user], in: tx)
    }
  }

  private func notifyAccounts(_ users: Set<UserID?>, in tx: Transaction) throws {
    for user in users.compactMap({ $0 }) { try accounts.add(AccountWork(user: user), person: user, in: tx) }
  }

  private static func object(_ lookup: String) -> String { "subscription:\(lookup)" }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> JSONValue {
    .array(try store.list(of: user, in: db))
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try NewsletterIssueStore.deleteDeliveries(to: user, in: tx)
    try store.delete(of: user, in: tx)
  }
}
