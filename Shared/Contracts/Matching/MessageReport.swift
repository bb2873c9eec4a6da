public typealias MessageReportID = ID<MessageReport>

/// A report of abusive messages, for support. It keeps the messages as they were when they were reported.
public struct MessageReport: Codable, Sendable, Equatable, Versioned {
  public enum Reason: String, WireEnum { case spam, harassment, hate, sexual, fraud, other }
  public enum State: String, WireEnum { case open, inReview, resolved, dismissed }

  public var id: MessageReportID
  public var conversationID: ConversationID
  public var reporterID: UserID
  public var reportedID: UserID
  public var reason: Reason
  /// The comment of the reporter.
  public var comment: String?
  public var messages: [Message]
  public var state: State
  public var createdAt: Timestamp
  public var version: Int
  public init(
    id: MessageReportID, conversationID: ConversationID, reporterID: UserID, reportedID: UserID, reason: Reason,
    comment: String?, messages: [Message], state: State, createdAt: Timestamp, version: Int
  ) {
    (self.id, self.conversationID, self.reporterID) = (id, conversationID, reporterID)
    (self.reportedID, self.reason, self.comment, self.messages) = (reportedID, reason, comment, messages)
    (self.state, self.createdAt, self.version) = (state, createdAt, version)
  }
}

/// Confirms a report to its reporter.
public struct MessageReportReceipt: Codable, Sendable, Equatable {
  public var id: MessageReportID
  public init(id: MessageReportID) { self.id = id }
}
