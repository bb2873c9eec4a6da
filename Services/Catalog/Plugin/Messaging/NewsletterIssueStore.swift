import Contracts
import Persistence

/// Newsletter issues, and their deliveries: one row per issue and recipient.
enum NewsletterIssueStore {
  enum Delivery: String {
    case waiting, mailed, unsubscribed
  }

  // MARK: issues

  static func find(_ id: NewsletterIssueID, in db: any Connection) throws -> NewsletterIssue? {
    try db.first("SELECT \(columns) FROM newsletter_issues WHERE id = \(id)", decode)
  }

  static func list(before cursor: NewsletterIssueID?, limit: Int, in db: any Connection) throws -> [NewsletterIssue] {
    let condition = SQL.and(cursor.map { "id < \($0)" })
    return try db.all(
      "SELECT \(columns) FROM newsletter_issues WHERE \(condition) ORDER BY id DESC LIMIT \(limit)",
      decode
    )
  }

  private static let columns: SQL = "id, subject, text, recipients, sent, created_at"

  private static func decode(_ row: Row) throws -> NewsletterIssue {
    NewsletterIssue(
      id: try row["id"], subject: try row["subject"], text: try row["text"],
      recipients: try row["recipients"], sent: try row["sent"], createdAt: try row["created_at"]
    )
  }

  /// Inserts an issue with a delivery to each subscriber.
  /// - Returns: The number of recipients.
  static func insert(_ issue: NewsletterIssue, in tx: Transaction) throws -> Int {
    try tx.execute(
      """
      INSERT INTO newsletter_issues (id, subject, text, recipients, sent, created_at)
      VALUES (\(issue.id), \(issue.subject), \(issue.text), 0, 0, \(issue.createdAt))
      """
    )
    let recipients = try tx.execute(
      """
      INSERT INTO newsletter_deliveries (issue_id, lookup, state)
      SELECT \(issue.id), lookup, \(Delivery.waiting) FROM newsletter_subscriptions
      """
    )
    try tx.execute("UPDATE newsletter_issues SET recipients = \(recipients) WHERE id = \(issue.id)")
    return recipients
  }

  static func countSent(_ count: Int, of id: NewsletterIssueID, in tx: Transaction) throws {
    try tx.execute("UPDATE newsletter_issues SET sent = sent + \(count) WHERE id = \(id)")
  }

  // MARK: deliveries

  /// Deliveries that are not made yet; without content when the recipient has unsubscribed.
  static func waiting(of id: NewsletterIssueID, limit: Int, in db: any Connection) throws -> [(
    lookup: String, content: String?, user: UserID?
  )] {
    try db.all(
      """
      SELECT d.lookup, s.content, s.user_id FROM newsletter_deliveries d
      LEFT JOIN newsletter_subscriptions s ON s.lookup = d.lookup
      WHERE d.issue_id = \(id) AND d.state = \(Delivery.waiting) ORDER BY d.lookup LIMIT \(limit)
      """
    ) { row in (try row["lookup"], try row["content"], try row["user_id"]) }
  }

  static func record(_ state: Delivery, _ lookups: [String], of id: NewsletterIssueID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE newsletter_deliveries SET state = \(state)
      WHERE issue_id = \(id) AND lookup IN \(list: lookups)
      """
    )
  }

  /// Issues that are being sent reach a subscription at its new address.
  static func moveDeliveries(from old: String, to new: String, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE newsletter_deliveries SET lookup = \(new)
      WHERE lookup = \(old) AND state = \(Delivery.waiting)
        AND issue_id NOT IN (SELECT issue_id FROM newsletter_deliveries WHERE lookup = \(new))
      """
    )
  }

  static func deleteDeliveries(to user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM newsletter_deliveries
      WHERE lookup IN (SELECT lookup FROM newsletter_subscriptions WHERE user_id = \(user))
      """
    )
  }
}
