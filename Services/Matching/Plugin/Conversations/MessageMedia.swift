import Contracts
import Persistence
import PlatformRules
import ServiceKit

extension MessageID {
  var topic: Topic { Topic("message", rawValue) }
}

/// The media of messages: those who may follow the conversation may load them. Reactions and edits change nothing about
/// them, so a message has two states.
enum MessageMedia {
  static func reportSent(_ message: Message, in tx: Transaction) throws {
    guard !message.media.isEmpty else { return }
    let conversation = ConversationEvents.topic(message.conversationID)
    let uses = message.media.map { MediaUse($0, .readers, of: conversation) }
    try MediaUses.report(uses, of: message.id.topic, sequence: 1, in: tx)
  }

  static func reportDeleted(_ messages: [MessageID], in tx: Transaction) throws {
    for id in messages { try MediaUses.report([], of: id.topic, sequence: 2, in: tx) }
  }
}
