import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Newsletter subscriptions. An address is subscribed only by a token that was emailed to it, and the response is the
/// same for all addresses, so that it does not reveal which addresses are subscribed. Names and addresses are encrypted
/// at rest and looked up by keyed hashes.
struct Subscriptions: Worker {
  private struct AccountWork: Codable, Sendable {
    var user: UserID?
    /// An address that was confirmed: the account that has it is looked for.
    var email: EmailAddress?
  }

  /// How long an emailed token is valid, in seconds.
  private static let lifetime = 86_400.0
  private static let requestsPerCaller = RateLimit(10, per: 3600, pause: .untilAllAreForgotten)
  private static let mailsPerAddress = RateLimit(3, per: 86_400, pause: .untilAllAreForgotten)

  private let core: CatalogCore
  private let store: SubscriptionStore
  private let publicURL: String
  private let accounts: DurableJobs<AccountWork>

  init(_ core: CatalogCore) throws {
    self.core = core
    let auth = core.environment.client(of: AuthAPI.self)
    let store = SubscriptionStore(keys: core.keys)
    self.store = store
    publicURL = try core.environment.settings[MessagingSettings.publicURL]
    let subscribers = AccountSubscriptions(database: core.database, store: store, auth: auth)
    accounts = try DurableJobs("newsletter-account", core.environment) { work, _ in
      try await subscribers.report(work.user, and: work.email)
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
    try await core.database.write { tx in
      try StoredLimit(Self.requestsPerCaller, of: asker, for: "newsletter", core.keys).require(in: tx)
      try store.deleteExpiredRequests(in: tx)
      // Emails per address are limited; the response is the same, so that it reveals nothing.
      let mails = StoredLimit(Self.mailsPerAddress, of: subscriber.email.rawValue, for: "newsletter-mail", core.keys)
      guard try mails.take(in: tx) == nil else { return Acknowledgement() }
      let token = Base64URL.encode(SecureBytes.random(32))
      let expiresAt = tx.now.advanced(bySeconds: Self.lifetime)
      try store.insertRequest(subscriber, token, as: user, until: expiresAt, in: tx)
      let mail = MessagingMails.confirmation(of: subscriber, token: token, publicURL: publicURL)
      try core.mailer.send(mail, person: user, in: tx)
      return Acknowledgement()
    }
  }

  /// Subscribes the address that the token was emailed to.
  func confirm(_ token: NewsletterToken, by actor: AuditActor) async throws {
    try await core.database.write { tx in
      guard let request = try store.findRequest(token, in: tx) else { throw Problem(.newsletterTokenInvalid) }
      let lookup = store.lookup(of: request.subscriber)
      // All tokens of the address become invalid.
      try store.deleteRequests(of: lookup, in: tx)
      let before = try store.user(of: lookup, in: tx)
      try store.save(request.subscriber, as: request.user, in: tx)
      try tx.audit("newsletter.subscribed", object: Self.object(lookup), by: actor)
      try notifyAccounts([before], in: tx)
      // One job for both, so that the account of another user who asked never shows the address of an account.
      let work = AccountWork(user: request.user, email: request.subscriber.email)
      try accounts.add(work, person: request.user, in: tx)
    }
  }

  /// The user's account has a new address: a subscription of the address is shown by the account, and one of the address
  /// before is taken along.
  func addressVerified(_ user: UserID, in tx: Transaction) throws { try notifyAccounts([user], in: tx) }

  /// Unsubscribes the address, also from issues that are being sent.
  func end(_ token: NewsletterToken, by actor: AuditActor) async throws {
    guard let mailed = UnsubscribeToken.read(token, core.keys) else { throw Problem(.newsletterTokenInvalid) }
    try await core.database.write { tx in
      let lookup = try store.present(mailed, in: tx)
      let user = try store.user(of: lookup, in: tx)
      guard try store.delete(lookup, in: tx) else { return }
      try tx.audit("newsletter.unsubscribed", object: Self.object(lookup), by: actor)
      try notifyAccounts([user], in: tx)
    }
  }

  /// Unsubscribes all addresses that the user's account shows.
  func end(of user: UserID, by actor: AuditActor) async throws {
    try await core.database.write { tx in try end(of: user, by: actor, in: tx) }
  }

  func end(of user: UserID, by actor: AuditActor, in tx: Transaction) throws {
    for lookup in try store.lookups(of: user, in: tx) {
      _ = try store.delete(lookup, in: tx)
      try tx.audit("newsletter.unsubscribed", object: Self.object(lookup), by: actor)
    }
    try notifyAccounts([user], in: tx)
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
