import Contracts
import Persistence
import ServiceKit

/// A text with media that a user sends, encrypted and hashed before the transaction.
struct OutgoingMessage: Sendable {
  var id: MessageID
  var conversation: ConversationID
  var author: UserID
  var media: [MediaID]
  var replyTo: MessageID?
  var sealedText: String?
  var fingerprint: String
}

/// Writes messages: at most seven statements, and two more for requests, all of which find their rows by a key.
struct MessageSending: Sendable {
  /// Messages that a stranger can send before the recipient answers, in all conversations of the two.
  static let requestLimit = 3
  /// Seconds between push notifications about one conversation.
  static let pushSeconds = 60.0

  let core: ConversationCore

  init(_ core: ConversationCore) { self.core = core }

  /// Sends a message.
  /// - Returns: `nil` when it was sent before.
  func send(_ new: OutgoingMessage, in tx: Transaction) throws -> Message? {
    var participation = try ParticipantStore.get(new.conversation, of: new.author, message: new.id, in: tx)
    if participation.hasMessage {
      try requireSame(new, in: tx)
      return nil
    }
    try core.environment.switches.require(.messages)
    try participation.requireOpen()
    try admit(&participation, from: new.author, in: tx)
    if let replyTo = new.replyTo, try !MessageStore.exists(replyTo, in: new.conversation, in: tx) {
      let message = "must be a message of the conversation"
      throw Problem(.invalidRequest, errors: [.init(location: "body.replyTo", message: message)])
    }
    let message = Message(
      id: new.id, conversationID: new.conversation, sequence: participation.lastSequence + 1, authorID: new.author,
      media: new.media, replyTo: new.replyTo, sentAt: tx.now
    )
    let stored = StoredMessage(message: message, sealedText: new.sealedText, fingerprint: new.fingerprint)
    // First, so that concurrent senders wait for each other here.
    try ConversationStore.advance(new.conversation, to: message.sequence, in: tx)
    guard try MessageStore.insert(stored, in: tx) else { throw Problem(.messageIDReused) }
    try MessageMedia.reportSent(message, in: tx)
    let pushedAt = try push(participation, message, "New message", "You have a new message.", in: tx)
    try ParticipantStore.sent(
      message.sequence, by: new.author, to: new.conversation, pushedAt: pushedAt, in: tx)
    try ConversationEvents.sent(message, to: participation.recipients, in: tx)
    return message
  }

  private func requireSame(_ new: OutgoingMessage, in tx: Transaction) throws {
    guard let known = try MessageStore.find(new.id, at: tx.now, in: tx),
      known.message.conversationID == new.conversation, known.message.authorID == new.author,
      // A deleted message is not compared any more, and stays deleted.
      known.message.isDeleted || known.fingerprint == new.fingerprint
    else { throw Problem(.messageIDReused) }
  }

  /// Refuses the sender of requests that have not been answered, unless the users have become connected or matched.
  private func admit(_ participation: inout Participation, from author: UserID, in tx: Transaction) throws {
    guard participation.folder == .inbox, participation.otherFolder != .inbox else { return }
    guard let other = participation.other else { throw Problem(.requestUnanswered) }
    guard try ParticipantStore.requested(by: author, from: other, in: tx) >= Self.requestLimit else { return }
    guard participation.otherFolder == .requests, try ConversationCore.areRelated(author, other, in: tx) else {
      throw Problem(.requestUnanswered)
    }
    try ParticipantStore.accept(participation.conversation, in: tx)
    participation.otherFolder = .inbox
  }

  /// Asks for a push notification to the other participant, unless they are active, were just sent one, or have already
  /// been sent one about a request of the author.
  ///
  /// - Returns: When the other participant was last sent one.
  func push(_ participation: Participation, _ message: Message, _ title: String, _ text: String, in tx: Transaction)
    throws -> Timestamp
  {
    let last = participation.otherPushedAt
    guard let other = participation.other, let folder = participation.otherFolder, folder != .declined,
      tx.now.seconds(since: last) >= Self.pushSeconds, !core.activity.isActive(other)
    else { return last }
    if folder == .requests, let author = message.authorID,
      try ParticipantStore.requested(by: author, from: other, in: tx) > 1
    {
      return last
    }
    let isRequest = folder == .requests
    try tx.record(
      PushRequested(
        to: other, title: isRequest ? "New message request" : title,
        text: isRequest ? "Someone has sent you a message." : text, kind: .messages
      )
    )
    return tx.now
  }
}
