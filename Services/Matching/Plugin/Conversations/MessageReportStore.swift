import Contracts
import Persistence
import ServiceKit

/// Reports of messages, with the reported texts encrypted.
struct MessageReportStore: Sendable {
  /// The encrypted part of a report.
  private struct Content: Codable {
    var comment: String?
    var messages: [Message]
  }

  let keys: DataKeys

  static let contentColumn = SealedColumn("message_reports", "content")

  func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [MessageReport] {
    try db.all(
      """
      SELECT id, conversation_id, reporter_id, reported_id, reason, content, state, created_at, version
      FROM message_reports WHERE \(condition) ORDER BY id DESC LIMIT \(limit)
      """,
      decode
    )
  }

  func get(_ id: MessageReportID, in db: any Connection) throws -> MessageReport {
    guard let report = try list("id = \(id)", limit: 1, in: db).first else { throw Problem(.messageReportNotFound) }
    return report
  }

  private func decode(_ row: Row) throws -> MessageReport {
    let (id, conversation): (MessageReportID, ConversationID) = (try row["id"], try row["conversation_id"])
    let (reporter, reported): (UserID, UserID) = (try row["reporter_id"], try row["reported_id"])
    let (reason, sealed): (MessageReport.Reason, String) = (try row["reason"], try row["content"])
    let bytes = try keys.open(sealed, in: Self.contentColumn, row: id.rawValue)
    let content = try WireJSON.decode(Content.self, from: bytes)
    return MessageReport(
      id: id, conversationID: conversation, reporterID: reporter, reportedID: reported, reason: reason,
      comment: content.comment, messages: content.messages, state: try row["state"],
      createdAt: try row["created_at"], version: try row["version"]
    )
  }

  func insert(_ report: MessageReport, in tx: Transaction) throws {
    let content = Content(comment: report.comment, messages: report.messages)
    let sealed = try keys.seal(WireJSON.encode(content), in: Self.contentColumn, row: report.id.rawValue)
    try tx.execute(
      """
      INSERT INTO message_reports
        (id, conversation_id, reporter_id, reported_id, reason, content, state, created_at, version)
      VALUES (\(report.id), \(report.conversationID), \(report.reporterID), \(report.reportedID), \(report.reason),
              \(sealed), \(report.state), \(report.createdAt), \(report.version))
      """
    )
  }

  func update(_ report: MessageReport, in tx: Transaction) throws {
    try tx.execute(
      "UPDATE message_reports SET state = \(report.state), version = \(report.version) WHERE id = \(report.id)")
  }

  /// Deletes the reports by a user and those of the user's messages.
  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM message_reports WHERE reporter_id = \(user) OR reported_id = \(user)")
  }
}
