/// A conversation of two users, as one of them sees it.
public struct Conversation: Codable, Sendable, Equatable {
  public enum Folder: String, WireEnum {
    case inbox
    /// Conversations that strangers have started, until they are accepted or answered.
    case requests
  }

  public var id: ConversationID
  public var folder: Folder
  /// The other participants; none when the conversation is closed, so that the reason is not revealed.
  public var participants: [Participant]
  /// The listing that it is about.
  public var listingID: ListingID?
  /// The latest message, with at most 200 characters of its text.
  public var lastMessage: Message?
  /// The sequence of the latest message; 0 without any.
  public var lastSequence: Int
  /// Messages of others after the read marker that are not deleted.
  public var unreadCount: Int
  /// How far the caller's devices have received and read.
  public var deliveredUpTo: Int
  public var readUpTo: Int
  /// Whether one of the others is active now, as far as they show it.
  public var isActive: Bool
  /// Whether the caller waits for the recipient of a request to answer.
  public var isPending: Bool
  /// Whether the conversation is read-only.
  public var isClosed: Bool
  public var lastActivityAt: Timestamp
  public var createdAt: Timestamp
  public init(
    id: ConversationID, folder: Folder, participants: [Participant], listingID: ListingID?, lastMessage: Message?,
    lastSequence: Int, unreadCount: Int, deliveredUpTo: Int, readUpTo: Int, isActive: Bool, isPending: Bool,
    isClosed: Bool, lastActivityAt: Timestamp, createdAt: Timestamp
  ) {
    (self.id, self.folder, self.participants, self.listingID) = (id, folder, participants, listingID)
    (self.lastMessage, self.lastSequence, self.unreadCount) = (lastMessage, lastSequence, unreadCount)
    (self.deliveredUpTo, self.readUpTo, self.isActive) = (deliveredUpTo, readUpTo, isActive)
    (self.isPending, self.isClosed, self.lastActivityAt) = (isPending, isClosed, lastActivityAt)
    self.createdAt = createdAt
  }

  public struct Participant: Codable, Sendable, Equatable {
    public var userID: UserID
    /// Absent when it is not known at the moment.
    public var name: PublicName?
    /// How far the participant's devices have received; absent before a request is accepted.
    public var deliveredUpTo: Int?
    /// How far the participant has read; absent also when the participant does not show it.
    public var readUpTo: Int?
    public init(userID: UserID, name: PublicName?, deliveredUpTo: Int?, readUpTo: Int?) {
      (self.userID, self.name, self.deliveredUpTo, self.readUpTo) = (userID, name, deliveredUpTo, readUpTo)
    }
  }
}

/// A page of conversations.
public struct ConversationPage: Codable, Sendable {
  public var items: [Conversation]
  public var nextCursor: String?
  /// Whether some names are missing or may have changed, because they could not be looked up.
  public var isStale: Bool
  public init(items: [Conversation], nextCursor: String?, isStale: Bool) {
    (self.items, self.nextCursor, self.isStale) = (items, nextCursor, isStale)
  }
}

/// The caller's markers in a conversation, after a change.
public struct ConversationMarkers: Codable, Sendable, Equatable {
  public var deliveredUpTo: Int
  public var readUpTo: Int
  public var unreadCount: Int
  public init(deliveredUpTo: Int, readUpTo: Int, unreadCount: Int) {
    (self.deliveredUpTo, self.readUpTo, self.unreadCount) = (deliveredUpTo, readUpTo, unreadCount)
  }
}

/// The information about a user that other participants see.
public struct ConversationSettings: Codable, Sendable, Equatable {
  /// Whether others see that the user is typing.
  public var showTyping: Bool
  /// Whether others see when the user is active.
  public var showPresence: Bool
  /// Whether others see how far the user has read.
  public var showRead: Bool
  public init(showTyping: Bool = true, showPresence: Bool = true, showRead: Bool = true) {
    (self.showTyping, self.showPresence, self.showRead) = (showTyping, showPresence, showRead)
  }
}
