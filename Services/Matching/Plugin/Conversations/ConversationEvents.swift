import Contracts
import Persistence

/// The realtime events of conversations. They say what has changed, not its content, which apps fetch.
enum ConversationEvents {
  static let topicKind = "conversation"
  /// How many ended conversations one event names.
  private static let maxEnded = 50

  static func topic(_ id: ConversationID) -> Topic { Topic(topicKind, id.rawValue) }

  static func sent(_ message: Message, to users: [UserID], in tx: Transaction) throws {
    var data = reference(message)
    data.append(JSONValue.Member(name: "sentAt", value: .string(message.sentAt.description)))
    if let author = message.authorID {
      data.append(JSONValue.Member(name: "author", value: .string(author.rawValue)))
    }
    try tx.record(TopicEvent(topic(message.conversationID), "message.sent", .object(data), alsoTo: users))
  }

  /// A message was edited, deleted or reacted to, or its offer has another state.
  static func changed(_ message: Message, to users: [UserID] = [], in tx: Transaction) throws {
    let data = JSONValue.object(reference(message))
    try tx.record(TopicEvent(topic(message.conversationID), "message.changed", data, alsoTo: users))
  }

  /// A participant has received or read messages.
  static func marked(
    _ name: String, _ id: ConversationID, by user: UserID, upTo sequence: Int, in tx: Transaction
  ) throws {
    let data: JSONValue = [
      "conversation": .string(id.rawValue), "user": .string(user.rawValue), "upTo": .integer(Int64(sequence)),
    ]
    try tx.record(TopicEvent(topic(id), name, data))
  }

  /// A request was accepted, or a participant has left.
  static func changed(_ id: ConversationID, to users: [UserID], in tx: Transaction) throws {
    let data: JSONValue = ["conversation": .string(id.rawValue)]
    try tx.record(TopicEvent(topic(id), "conversation.changed", data, alsoTo: users))
  }

  /// No one may follow the conversations any longer. An event holds a bounded number of them.
  static func ended(_ ids: [ConversationID], in tx: Transaction) throws {
    for start in stride(from: 0, to: ids.count, by: maxEnded) {
      try tx.record(TopicAccessEnded(ids[start..<min(start + maxEnded, ids.count)].map(topic), for: nil))
    }
  }

  private static func reference(_ message: Message) -> [JSONValue.Member] {
    [
      JSONValue.Member(name: "conversation", value: .string(message.conversationID.rawValue)),
      JSONValue.Member(name: "message", value: .string(message.id.rawValue)),
      JSONValue.Member(name: "sequence", value: .integer(Int64(message.sequence))),
    ]
  }
}
