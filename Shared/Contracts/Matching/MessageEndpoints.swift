extension MatchingAPI {
  /// Newest first; with `after`, oldest first. At most one of `before`, `after` and `cursor` is given.
  public struct ListMessages: PagedEndpoint {
    public typealias Response = Page<Message>
    public static let operation = Operation.get(
      "/v1/conversations/{id}/messages", "List messages", problems: [.conversationNotFound]
    )
    public var id: ConversationID
    /// Only messages with a smaller sequence.
    public var before: Int?
    /// Only messages with a greater sequence, such as those after the last one that the app has.
    public var after: Int?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      id: ConversationID, before: Int? = nil, after: Int? = nil, limit: PageSize? = nil, cursor: String? = nil
    ) {
      (self.id, self.before, self.after, self.limit, self.cursor) = (id, before, after, limit, cursor)
    }
  }

  /// Sends a message under an id that the client has chosen, a new UUID. Sending it again with the same content has no
  /// further effect; other content is rejected. Sending marks all earlier messages as read.
  public struct SendMessage: Endpoint {
    public typealias Response = Message
    public static let operation = Operation.put(
      "/v1/conversations/{id}/messages/{messageID}", "Send a message", publishes: true,
      problems: [
        .conversationNotFound, .conversationClosed, .requestUnanswered, .messageIDReused, .mediaNotFound,
        .mediaNotReady, .switchedOff,
      ]
    )
    public var id: ConversationID
    public var messageID: MessageID
    /// Required without media.
    public var text: MessageText?
    /// At most 10.
    public var media: [MediaID]?
    /// A message of the conversation.
    public var replyTo: MessageID?
    public init(
      id: ConversationID, messageID: MessageID, text: MessageText? = nil, media: [MediaID]? = nil,
      replyTo: MessageID? = nil
    ) {
      (self.id, self.messageID, self.text, self.media, self.replyTo) = (id, messageID, text, media, replyTo)
    }
  }

  /// Within 15 minutes after it was sent, by its author.
  public struct EditMessage: Endpoint {
    public typealias Response = Message
    public static let operation = Operation.patch(
      "/v1/conversations/{id}/messages/{messageID}", "Update the text of a message", publishes: true,
      idempotency: .idempotent,
      problems: [.conversationNotFound, .conversationClosed, .messageNotFound, .messageNotEditable, .switchedOff]
    )
    public var id: ConversationID
    public var messageID: MessageID
    public var text: MessageText
    public init(id: ConversationID, messageID: MessageID, text: MessageText) {
      (self.id, self.messageID, self.text) = (id, messageID, text)
    }
  }

  /// Deletes one of the caller's messages for everyone. Its place in the sequence stays.
  public struct DeleteMessage: Endpoint {
    public static let operation = Operation.delete(
      "/v1/conversations/{id}/messages/{messageID}", "Delete a message", success: 204,
      problems: [.conversationNotFound, .messageNotFound, .messageNotEditable]
    )
    public var id: ConversationID
    public var messageID: MessageID
    public init(id: ConversationID, messageID: MessageID) { (self.id, self.messageID) = (id, messageID) }
  }

  /// At most five different ones of a user for each message.
  public struct AddReaction: Endpoint {
    public static let operation = Operation.put(
      "/v1/conversations/{id}/messages/{messageID}/reactions/{emoji}", "React to a message", success: 204,
      problems: [.conversationNotFound, .conversationClosed, .requestUnanswered, .messageNotFound, .reactionLimit]
    )
    public var id: ConversationID
    public var messageID: MessageID
    public var emoji: Emoji
    public init(id: ConversationID, messageID: MessageID, emoji: Emoji) {
      (self.id, self.messageID, self.emoji) = (id, messageID, emoji)
    }
  }

  public struct RemoveReaction: Endpoint {
    public static let operation = Operation.delete(
      "/v1/conversations/{id}/messages/{messageID}/reactions/{emoji}", "Remove a reaction", success: 204,
      problems: [.conversationNotFound, .messageNotFound]
    )
    public var id: ConversationID
    public var messageID: MessageID
    public var emoji: Emoji
    public init(id: ConversationID, messageID: MessageID, emoji: Emoji) {
      (self.id, self.messageID, self.emoji) = (id, messageID, emoji)
    }
  }

  /// Finds messages that contain the query, whatever its case and diacritics, in the caller's conversations. Messages are
  /// encrypted at rest, so a request looks at up to 2,000 of them, fewer when they are long: conversation by
  /// conversation, the most recently started first, each from its newest message. A page can be empty and have a cursor
  /// nevertheless; the search is complete when there is none.
  public struct SearchMessages: PagedEndpoint {
    public typealias Response = Page<Message>
    public static let operation = Operation.get(
      "/v1/conversations/search", "Search the caller's messages", problems: [.conversationNotFound]
    )
    public var query: ShortText
    /// Only this conversation.
    public var conversation: ConversationID?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      query: ShortText, conversation: ConversationID? = nil, limit: PageSize? = nil, cursor: String? = nil
    ) {
      (self.query, self.conversation, self.limit, self.cursor) = (query, conversation, limit, cursor)
    }
  }
}

extension Problem.Kind {
  public static let messageNotFound = Self(
    "message-not-found", status: 404, "There is no such message",
    meaning: "The message does not exist in this conversation.",
    remedy: "Load the messages again.")
  public static let messageIDReused = Self(
    "message-id-reused", status: 409, "A message with this id and other content exists",
    meaning: "Clients choose the ids of messages, and this one names another message.",
    remedy: "Create a new id, and send the message again.")
  public static let messageNotEditable = Self(
    "message-not-editable", status: 409, "The message cannot be changed",
    meaning: "The message is deleted, is not the caller's, is of a kind without text, or too old.",
    remedy: "Load the message again.")
  public static let requestUnanswered = Self(
    "request-unanswered", status: 409, "The recipient has not answered the request",
    meaning: "The sender has written as many messages as are allowed before the recipient answers.",
    remedy: "Wait until the recipient has answered or accepted the request.")
  public static let reactionLimit = Self(
    "reaction-limit", status: 409, "The limit of reactions is reached",
    meaning: "The caller has put as many reactions on the message as are allowed.",
    remedy: "Remove a reaction first.")
}
