extension MatchingAPI {
  /// Shows the other participants, for some seconds, that the caller is typing. Has no effect when the caller's settings
  /// hide it.
  public struct SendTyping: Endpoint {
    public static let operation = Operation.post(
      "/v1/conversations/{id}/typing", "Send a typing indicator", idempotency: .idempotent, success: 204,
      problems: [.conversationNotFound, .conversationClosed]
    )
    public var id: ConversationID
    public init(id: ConversationID) { self.id = id }
  }

  /// Shown to users who share an accepted conversation, a connection or a match. Kept in memory only, so a user
  /// is away after a restart until the next request.
  public struct GetPresence: Endpoint {
    public typealias Response = Page<Presence>
    public static let operation = Operation.get("/v1/presence", "List the presence of users")
    /// At most 100.
    public var users: UserList
    public init(users: UserList) { self.users = users }
  }

  /// Apps report it every 30 seconds while they are used. Other requests to conversations count as well.
  public struct ReportPresence: Endpoint {
    public static let operation = Operation.post(
      "/v1/presence", "Report that the caller is active", idempotency: .idempotent, success: 204
    )
    public init() {}
  }

  public struct GetConversationSettings: Endpoint {
    public typealias Response = ConversationSettings
    public static let operation = Operation.get(
      "/v1/conversations/settings", "Get the caller's conversation settings", caching: .own
    )
    public init() {}
  }

  public struct PutConversationSettings: Endpoint {
    public typealias Response = ConversationSettings
    public static let operation = Operation.put(
      "/v1/conversations/settings", "Replace the caller's conversation settings"
    )
    public var body: ConversationSettings
    public init(body: ConversationSettings) { self.body = body }
  }
}
