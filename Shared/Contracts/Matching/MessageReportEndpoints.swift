extension MatchingAPI {
  /// Support receives a copy of the messages, which outlives them.
  public struct ReportMessages: Endpoint {
    public typealias Response = MessageReportReceipt
    public static let operation = Operation.post(
      "/v1/conversations/{id}/reports", "Report messages to support", idempotency: .acceptsKey, success: 201,
      problems: [.conversationNotFound, .messageNotFound]
    )
    public var id: ConversationID
    /// 1 to 50 messages of the conversation, at least one of them by another participant.
    public var messageIDs: [MessageID]
    public var reason: MessageReport.Reason
    public var comment: Biography?
    public init(
      id: ConversationID, messageIDs: [MessageID], reason: MessageReport.Reason, comment: Biography? = nil
    ) {
      (self.id, self.messageIDs, self.reason, self.comment) = (id, messageIDs, reason, comment)
    }
  }

  /// Newest first. Every access is audited.
  public struct ListMessageReports: PagedEndpoint {
    public typealias Response = Page<MessageReport>
    public static let operation = Operation.get(
      "/v1/admin/message-reports", "List reports of messages", access: .roles([.support, .administrator])
    )
    public var state: MessageReport.State?
    public var limit: PageSize?
    public var cursor: String?
    public init(state: MessageReport.State? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.state, self.limit, self.cursor) = (state, limit, cursor)
    }
  }

  public struct UpdateMessageReport: Endpoint {
    public typealias Response = MessageReport
    public static let operation = Operation.patch(
      "/v1/admin/message-reports/{id}", "Update the state of a report", access: .roles([.support, .administrator]),
      idempotency: .idempotent, problems: [.messageReportNotFound]
    )
    public var id: MessageReportID
    public var ifMatch: EntityTag?
    public var state: MessageReport.State
    public init(id: MessageReportID, ifMatch: EntityTag? = nil, state: MessageReport.State) {
      (self.id, self.ifMatch, self.state) = (id, ifMatch, state)
    }
  }
}

extension Problem.Kind {
  public static let messageReportNotFound = Self(
    "message-report-not-found", status: 404, "There is no such report",
    meaning: "There is no report with this id.",
    remedy: "Load the reports again.")
}
