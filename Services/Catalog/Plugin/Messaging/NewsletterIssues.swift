import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Newsletter issues, sent to all subscribers. Each recipient of an issue has a row, which is completed in the
/// transaction that enqueues the email, so that a crash neither skips a recipient nor sends an email twice.
struct NewsletterIssues: Worker {
  private struct Work: Codable, Sendable {
    var issue: NewsletterIssueID
  }

  /// Emails enqueued per transaction.
  private static let batch = 50
  /// The delay between batches in seconds, so that other emails are not held up.
  private static let pause = 5.0

  private let core: CatalogCore
  private let jobs: DurableJobs<Work>

  init(_ core: CatalogCore) throws {
    self.core = core
    let mails = IssueMails(
      keys: core.keys,
      subscriptions: SubscriptionStore(keys: core.keys),
      mailer: core.mailer,
      publicURL: try core.environment.settings[MessagingSettings.publicURL]
    )
    jobs = try DurableJobs("newsletter-issue", core.environment, attempts: .max) { work, job in
      let isDone = try await core.database.write { tx in
        guard let issue = try NewsletterIssueStore.find(work.issue, in: tx),
          try mails.addBatch(of: issue, in: tx) == Self.batch
        else {
          return try job.complete(in: tx)
        }
        return false
      }
      return isDone ? .done : .retry(afterSeconds: Self.pause)
    }
  }

  var name: String { jobs.name }
  func run() async throws { try await jobs.run() }
  func runOnce() async throws -> Int { try await jobs.runOnce() }

  // MARK: administration

  func send(_ request: CatalogAPI.SendNewsletterIssue, _ idempotencyKey: IdempotentRequest?, by actor: AuditActor)
    async throws
    -> NewsletterIssue
  {
    let id = core.ids.make(NewsletterIssueID.self)
    return try await core.database.write { tx in
      try tx.idempotent(idempotencyKey) {
        var issue = NewsletterIssue(
          id: id,
          subject: request.subject,
          text: request.text,
          recipients: 0,
          sent: 0,
          createdAt: tx.now
        )
        issue.recipients = try NewsletterIssueStore.insert(issue, in: tx)
        try jobs.add(Work(issue: id), in: tx)
        try tx.audit("newsletter-issue.sent", object: "newsletter-issue:\(id)", by: actor)
        return issue
      }
    }
  }

  func list(_ request: CatalogAPI.ListNewsletterIssues) async throws -> Page<NewsletterIssue> {
    let page = try request.page(by: NewsletterIssueID.self)
    return try await core.database.read { db in
      try page.fetch({ try NewsletterIssueStore.list(before: $0, limit: $1, in: db) }, key: \.id).page
    }
  }

  func get(_ id: NewsletterIssueID) async throws -> NewsletterIssue {
    let issue = try await core.database.read { db in try NewsletterIssueStore.find(id, in: db) }
    guard let issue else { throw Problem(.newsletterIssueNotFound) }
    return issue
  }

  // MARK: sending

  private struct IssueMails: Sendable {
    let keys: DataKeys
    let subscriptions: SubscriptionStore
    let mailer: Mailer
    let publicURL: String

    /// Enqueues the emails of the next batch.
    /// - Returns: The number of recipients in the batch.
    func addBatch(of issue: NewsletterIssue, in tx: Transaction) throws -> Int {
      let waiting = try NewsletterIssueStore.waiting(of: issue.id, limit: batch, in: tx)
      for (lookup, content, user) in waiting {
        guard let content else { continue }
        let subscriber = try subscriptions.open(content, of: lookup)
        let token = UnsubscribeToken.make(for: lookup, keys)
        let mail = MessagingMails.issue(issue, to: subscriber, token: token, publicURL: publicURL)
        try mailer.send(mail, person: user, in: tx)
      }
      let mailed = waiting.filter { $0.content != nil }.map(\.lookup)
      let unsubscribed = waiting.filter { $0.content == nil }.map(\.lookup)
      try NewsletterIssueStore.record(.mailed, mailed, of: issue.id, in: tx)
      try NewsletterIssueStore.record(.unsubscribed, unsubscribed, of: issue.id, in: tx)
      try NewsletterIssueStore.countSent(mailed.count, of: issue.id, in: tx)
      return waiting.count
    }
  }
}
