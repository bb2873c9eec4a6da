extension MatchingAPI {
  static let conversations: [any Endpoint.Type] = [
    ListConversations.self, StartConversation.self, GetConversation.self, AcceptConversation.self,
    HideConversation.self, MarkDelivered.self, MarkRead.self, CheckConversation.self,
    // MessageEndpoints.swift
    ListMessages.self, SendMessage.self, EditMessage.self, DeleteMessage.self, AddReaction.self, RemoveReaction.self,
    SearchMessages.self,
    // PresenceEndpoints.swift
    SendTyping.self, GetPresence.self, ReportPresence.self, GetConversationSettings.self, PutConversationSettings.self,
    // MessageReportEndpoints.swift
    ReportMessages.self, ListMessageReports.self, UpdateMessageReport.self,
  ]

  /// Latest activity first. A conversation with new activity moves to the front.
  public struct ListConversations: PagedEndpoint {
    public typealias Response = ConversationPage
    public static let operation = Operation.get("/v1/conversations", "List the caller's conversations")
    /// `inbox` by default.
    public var folder: Conversation.Folder?
    public var limit: PageSize?
    public var cursor: String?
    public init(folder: Conversation.Folder? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.folder, self.limit, self.cursor) = (folder, limit, cursor)
    }
  }

  /// Two users have one open conversation for each listing that they discuss, and one without a listing; it is
  /// returned when it exists. Matches, connections, and users of LetuStudy who write to an instructor reach the
  /// recipient's inbox. Others reach the requests: until the recipient accepts or answers, they can send three messages,
  /// in all their requests together.
  public struct StartConversation: Endpoint {
    public typealias Response = Conversation
    public static let operation = Operation.post(
      "/v1/conversations", "Get or start a conversation with a user", idempotency: .idempotent,
      problems: [.userNotFound]
    )
    public var userID: UserID
    /// The listing that it is about.
    public var listingID: ListingID?
    public init(userID: UserID, listingID: ListingID? = nil) { (self.userID, self.listingID) = (userID, listingID) }
  }

  public struct GetConversation: Endpoint {
    public typealias Response = Conversation
    public static let operation = Operation.get(
      "/v1/conversations/{id}", "Get a conversation", problems: [.conversationNotFound]
    )
    public var id: ConversationID
    public init(id: ConversationID) { self.id = id }
  }

  /// Moves a request to the inbox.
  public struct AcceptConversation: Endpoint {
    public typealias Response = Conversation
    public static let operation = Operation.post(
      "/v1/conversations/{id}/accept", "Accept a message request", idempotency: .idempotent,
      problems: [.conversationNotFound, .conversationClosed]
    )
    public var id: ConversationID
    public init(id: ConversationID) { self.id = id }
  }

  /// Hides a conversation from the caller's lists until a new message comes. A request is deleted: its sender is not
  /// notified, and what the sender still writes does not reach the caller.
  public struct HideConversation: Endpoint {
    public static let operation = Operation.delete(
      "/v1/conversations/{id}", "Hide a conversation, or delete a message request", success: 204,
      problems: [.conversationNotFound]
    )
    public var id: ConversationID
    public init(id: ConversationID) { self.id = id }
  }

  /// The marker only moves forward.
  public struct MarkDelivered: Endpoint {
    public typealias Response = ConversationMarkers
    public static let operation = Operation.put(
      "/v1/conversations/{id}/delivered", "Mark messages as received", problems: [.conversationNotFound]
    )
    public var id: ConversationID
    /// The sequence of the last received message.
    public var upTo: Int
    public init(id: ConversationID, upTo: Int) { (self.id, self.upTo) = (id, upTo) }
  }

  /// The marker only moves forward. What is read is received, too.
  public struct MarkRead: Endpoint {
    public typealias Response = ConversationMarkers
    public static let operation = Operation.put(
      "/v1/conversations/{id}/read", "Mark messages as read", problems: [.conversationNotFound]
    )
    public var id: ConversationID
    /// The sequence of the last read message.
    public var upTo: Int
    public init(id: ConversationID, upTo: Int) { (self.id, self.upTo) = (id, upTo) }
  }

  /// Internal, for services that refer to conversations: succeeds when it is open and these users participate.
  public struct CheckConversation: Endpoint {
    public static let operation = Operation.post(
      "/internal/v1/conversations/{id}/check", "Check the participants of a conversation",
      access: .services(OrdersAPI.self),
      idempotency: .safe, success: 204, problems: [.conversationNotFound, .conversationClosed],
      limits: .init(seconds: 5)
    )
    public var id: ConversationID
    public var users: [UserID]
    public init(id: ConversationID, users: [UserID]) { (self.id, self.users) = (id, users) }
  }
}

extension Problem.Kind {
  public static let conversationNotFound = Self(
    "conversation-not-found", status: 404, "There is no such conversation",
    meaning: "The conversation does not exist, or the caller does not take part in it.",
    remedy: "Load the conversations again.")
  public static let conversationClosed = Self(
    "conversation-closed", status: 409, "The conversation is closed",
    meaning: "One has blocked the other, or has left the conversation.",
    remedy: "Show the messages without the field for a new one.")
}
