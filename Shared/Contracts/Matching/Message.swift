public typealias MessageID = ID<Message>

/// A message of a conversation. Deleting it, or the account of its author, leaves its number in the sequence.
public struct Message: Codable, Sendable, Equatable {
  public enum Kind: String, WireEnum {
    case text
    /// An offer that follows the offer's state.
    case offer
  }

  /// Chosen by the sender.
  public var id: MessageID
  public var conversationID: ConversationID
  /// 1 for the first message of the conversation, and so on without gaps.
  public var sequence: Int
  /// Absent when the author's account has been deleted, and for others' messages in a closed conversation.
  public var authorID: UserID?
  public var kind: Kind
  public var text: String?
  public var media: [MediaID]
  /// The message to which this one replies.
  public var replyTo: MessageID?
  public var offer: OfferCard?
  public var reactions: [MessageReaction]
  public var sentAt: Timestamp
  public var editedAt: Timestamp?
  public var isDeleted: Bool
  public init(
    id: MessageID, conversationID: ConversationID, sequence: Int, authorID: UserID?, kind: Kind = .text,
    text: String? = nil, media: [MediaID] = [], replyTo: MessageID? = nil, offer: OfferCard? = nil,
    reactions: [MessageReaction] = [], sentAt: Timestamp, editedAt: Timestamp? = nil, isDeleted: Bool = false
  ) {
    (self.id, self.conversationID, self.sequence, self.authorID) = (id, conversationID, sequence, authorID)
    (self.kind, self.text, self.media, self.replyTo, self.offer) = (kind, text, media, replyTo, offer)
    (self.reactions, self.sentAt, self.editedAt, self.isDeleted) = (reactions, sentAt, editedAt, isDeleted)
  }
}

/// The offer that a message shows. A counteroffer is another message.
public struct OfferCard: Codable, Sendable, Equatable {
  public var offerID: OfferID
  public var listingID: ListingID
  public var status: OfferStatus
  public var amount: Money
  public var madeBy: Offer.Party
  public var expiresAt: Timestamp
  public init(
    offerID: OfferID, listingID: ListingID, status: OfferStatus, amount: Money, madeBy: Offer.Party,
    expiresAt: Timestamp
  ) {
    (self.offerID, self.listingID, self.status) = (offerID, listingID, status)
    (self.amount, self.madeBy, self.expiresAt) = (amount, madeBy, expiresAt)
  }
}

/// The users who reacted to a message with an emoji.
public struct MessageReaction: Codable, Sendable, Equatable {
  public var emoji: Emoji
  public var users: [UserID]
  public init(emoji: Emoji, users: [UserID]) { (self.emoji, self.users) = (emoji, users) }
}
