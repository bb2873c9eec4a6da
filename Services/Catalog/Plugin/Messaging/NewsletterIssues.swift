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

  private enum Delivery: String {
    case waiting, mailed, unsubscribed
  }

  /// Emails enqueued per transaction.
  private static let batch = 50
  /// The delay between batches in seconds, so that other emails are not held up.
  private static let pause = 5.0

  private let database: any Database
  private let ids: IDGenerator
  private let jobs: DurableJobs<Work>

  init(_ environment: ServiceEnvironment, mailer: Mailer) throws {
    let database = try environment.database
    let mails = IssueMails(
      keys: environment.dataKeys,
      mailer: mailer,
      publicURL: try environment.settings[MessagingSettings.publicURL]
    )
    self.database = database
    ids = environment.ids
    jobs = try DurableJobs("newsletter-issue", environment, attempts: .max) { work, job in
      let isDone = try await database.write { tx in
        guard let issue = try Self.find(work.issue, in: tx), try mails.addBatch(of: issue, in: tx) == Self.batch else {
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
    let id = ids.make(NewsletterIssueID.self)
    return try await database.write { tx in
      try tx.idempotent(idempotencyKey) {
        var issue = NewsletterIssue(
          id: id,
          subject: request.subject,
          text: request.text,
          recipients: 0,
          sent: 0,
          createdAt: tx.now
        )
        try tx.execute(
          """
          INSERT INTO newsletter_issues (id, subject, text, recipients, sent, created_at)
          VALUES (\(id), \(request.subject), \(request.text), 0, 0, \(tx.now))
          """
        )
        issue.recipients = try tx.execute(
          """
          INSERT INTO newsletter_deliveries (issue_id, lookup, state)
          SELECT \(id), lookup, \(Delivery.waiting) FROM newsletter_subscriptions
          """
        )
        try tx.execute("UPDATE newsletter_issues SET recipients = \(issue.recipients) WHERE id = \(id)")
        try jobs.add(Work(issue: id), in: tx)
        try tx.audit("newsletter-issue.sent", object: "newsletter-issue:\(id)", by: actor)
        return issue
      }
    }
  }

  func list(_ request: CatalogAPI.ListNewsletterIssues) async throws -> Page<NewsletterIssue> {
    let page = try request.page(by: NewsletterIssueID.self)
    return try await database.read { db in
      try page.fetch(
        { after, limit in
          let condition = SQL.and(after.map { "id < \($0)" })
          return try db.all(
            "SELECT \(Self.columns) FROM newsletter_issues WHERE \(condition) ORDER BY id DESC LIMIT \(limit)"
          ) { try Self.decode($0) }
        }, key: \.id
      ).page
    }
  }

  func get(_ id: NewsletterIssueID) async throws -> NewsletterIssue {
    try await database.read { db in
      guard let issue = try Self.find(id, in: db) else { throw Problem(.newsletterIssueNotFound) }
      return issue
    }
  }

  // MARK: sending

  private struct IssueMails: Sendable {
    let keys: DataKeys
    let mailer: Mailer
    let publicURL: String

    /// Enqueues the emails of the next batch.
    /// - Returns: The number of recipients in the batch.
    func addBatch(of issue: NewsletterIssue, in tx: Transaction) throws -> Int {
      let waiting = try tx.all(
        """
        SELECT d.lookup, s.content, s.user_id FROM newsletter_deliveries d
        LEFT JOIN newsletter_subscriptions s ON s.lookup = d.lookup
        WHERE d.issue_id = \(issue.id) AND d.state = \(Delivery.waiting) ORDER BY d.lookup LIMIT \(batch)
        """
      ) { row -> (lookup: String, content: String?, user: UserID?) in
        (try row["lookup"], try row["content"], try row["user_id"])
      }
      for (lookup, content, user) in waiting {
        guard let content else { continue }
        let request = try WireJSON.decode(
          Subscriber.self,
          from: keys.open(content, in: Subscriptions.contentColumn, row: lookup)
        )
        let token = UnsubscribeToken.make(for: lookup, keys)
        let mail = MessagingMails.issue(issue, to: request, token: token, publicURL: publicURL)
        try mailer.send(mail, person: user, in: tx)
      }
      let mailed = waiting.filter { $0.content != nil }.map(\.lookup)
      try record(.mailed, mailed, of: issue.id, in: tx)
      try record(.unsubscribed, waiting.filter { $0.content == nil }.map(\.lookup), of: issue.id, in: tx)
      try tx.execute("UPDATE newsletter_issues SET sent = sent + \(mailed.count) WHERE id = \(issue.id)")
      return waiting.count
    }

    private func record(_ state: Delivery, _ lookups: [String], of issue: NewsletterIssueID, in tx: Transaction) throws
    {
      try tx.execute(
        """
        UPDATE newsletter_deliveries SET state = \(state)
        WHERE issue_id = \(issue) AND lookup IN \(list: lookups)
        """
      )
    }
  }

  // MARK: the table

  private static let columns: SQL = "id, subject, text, recipients, sent, created_at"

  private static func find(_ id: NewsletterIssueID, in db: any Connection) throws -> NewsletterIssue? {
    try db.first("SELECT \(columns) FROM newsletter_issues WHERE id = \(id)") { try decode($0) }
  }

  private static func decode(_ row: Row) throws -> NewsletterIssue {
    NewsletterIssue(
      id: try row["id"],
      subject: try row["subject"],
      text: try row["text"],
      recipients: try row["recipients"],
      sent: try row["sent"],
      createdAt: try row["created_at"]
    )
  }
}
