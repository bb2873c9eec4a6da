import Contracts
import Persistence
import ServiceKit

/// Reports of abusive messages, which support reads and settles.
struct MessageReports: Feature {
  private static let limit = RateLimit(20, per: 3600, pause: .untilOneIsForgotten)
  private static let maxMessages = 50

  let core: ConversationCore
  let store: MessageReportStore

  init(_ core: ConversationCore) { (self.core, store) = (core, MessageReportStore(keys: core.keys)) }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.ReportMessages.self) { request, call in try await report(request, call) }
    routes.on(MatchingAPI.ListMessageReports.self) { request, call in try await list(request, by: call.auditActor) }
    routes.on(MatchingAPI.UpdateMessageReport.self) { request, call in try await update(request, by: call.auditActor) }
  }

  private func report(_ request: MatchingAPI.ReportMessages, _ call: Call) async throws -> MessageReportReceipt {
    let user = try core.caller(call)
    let wanted = Set(request.messageIDs)
    guard (1...Self.maxMessages).contains(wanted.count) else {
      throw invalid("must have 1 to \(Self.maxMessages) different items")
    }
    let id: MessageReportID = core.ids.make()
    return try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        _ = try ParticipantStore.get(request.id, of: user, in: tx)
        let stored = try MessageStore.list(
          "m.conversation_id = \(request.id) AND m.deleted_at IS NULL AND m.id IN \(list: Array(wanted))", "m.sequence",
          limit: Self.maxMessages, at: tx.now, in: tx)
        guard stored.count == wanted.count else { throw Problem(.messageNotFound) }
        guard let reported = stored.lazy.compactMap(\.message.authorID).first(where: { $0 != user }) else {
          throw invalid("must include a message of another participant")
        }
        try StoredLimit(Self.limit, of: user.rawValue, for: "message-report", core.keys).require(in: tx)
        let report = MessageReport(
          id: id, conversationID: request.id, reporterID: user, reportedID: reported, reason: request.reason,
          comment: request.comment?.rawValue, messages: try stored.map(core.messages.open), state: .open,
          createdAt: tx.now, version: 1
        )
        try store.insert(report, in: tx)
        try tx.audit("messages.reported", object: Self.object(id), by: call.auditActor)
        return MessageReportReceipt(id: id)
      }
    }
  }

  private func invalid(_ message: String) -> Problem {
    Problem(.invalidRequest, errors: [.init(location: "body.messageIDs", message: message)])
  }

  // MARK: support

  private func list(_ request: MatchingAPI.ListMessageReports, by actor: AuditActor) async throws -> Page<MessageReport>
  {
    let page = try request.page(by: MessageReportID.self)
    return try await core.database.readAudited(by: actor) { db in
      try page.fetch(
        { after, limit in
          let condition = SQL.and(request.state.map { "state = \($0)" }, after.map { "id < \($0)" })
          return try store.list(condition, limit: limit, in: db)
        }, key: \.id
      ).page
    } as: {
      AuditedRead("message-reports.viewed", object: "message-reports", viewed: $0.items.map { Self.object($0.id) })
    }
  }

  private func update(_ request: MatchingAPI.UpdateMessageReport, by actor: AuditActor) async throws -> MessageReport {
    try await core.database.write { tx in
      var report = try store.get(request.id, in: tx)
      try request.ifMatch?.require(report.version)
      let before = report.state
      guard request.state != before else { return report }
      report.state = request.state
      report.version += 1
      try store.update(report, in: tx)
      try tx.audit(
        "message-report.changed", object: Self.object(report.id), by: actor,
        changes: [AuditChange("state", from: before.rawValue, to: report.state.rawValue)]
      )
      return report
    }
  }

  private static func object(_ id: MessageReportID) -> String { "message-report:\(id)" }

  // MARK: privacy

  /// Reports of others about the user stay confidential.
  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let reports = try store.list("reporter_id = \(user)", limit: .max, in: db).map { report -> JSONValue in
      .object([
        ("id", .string(report.id.rawValue)), ("reason", .string(report.reason.rawValue)),
        ("comment", report.comment.map { .string($0) }), ("createdAt", .string(report.createdAt.description)),
        ("messages", .array(report.messages.map { .string($0.id.rawValue) })),
      ])
    }
    return [("messageReports", .array(reports))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try MessageReportStore.delete(of: user, in: tx) }
}
