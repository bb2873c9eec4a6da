import Contracts
import Persistence

/// A position among the messages of one conversation.
struct MessageCursor: PageCursor {
  enum Direction: String { case before, after }

  var conversation: ConversationID
  var direction: Direction
  var sequence: Int

  init(_ conversation: ConversationID, _ direction: Direction, _ sequence: Int) {
    (self.conversation, self.direction, self.sequence) = (conversation, direction, sequence)
  }

  init?(cursor: String) {
    let parts = cursor.split(separator: "_", omittingEmptySubsequences: false).map { String($0) }
    guard parts.count == 3, let conversation = ConversationID(parts[0]), let direction = Direction(rawValue: parts[1]),
      let sequence = Int(parts[2])
    else { return nil }
    self.init(conversation, direction, sequence)
  }

  var cursor: String { "\(conversation)_\(direction.rawValue)_\(sequence)" }

  var condition: SQL {
    switch direction {
    case .before: "m.sequence < \(sequence)"
    case .after: "m.sequence > \(sequence)"
    }
  }

  var order: SQL {
    switch direction {
    case .before: "m.sequence DESC"
    case .after: "m.sequence"
    }
  }

  func cursor(after message: Message) -> MessageCursor { MessageCursor(conversation, direction, message.sequence) }
}

extension MatchingAPI.ListMessages {
  /// The position at which the page begins.
  /// - Throws: ``Problem`` for a cursor of another conversation, or several beginnings.
  func start(_ page: PageRequest<MessageCursor>) throws(Problem) -> MessageCursor {
    guard [before != nil, after != nil, cursor != nil].count(where: { $0 }) <= 1 else {
      throw Problem(
        .invalidRequest, errors: [.init(location: "query", message: "must have one of before, after, cursor")])
    }
    if let cursor = page.after {
      guard cursor.conversation == id else {
        let message = "is not a cursor of this list"
        throw Problem(.invalidRequest, errors: [.init(location: "query.cursor", message: message)])
      }
      return cursor
    }
    if let after { return MessageCursor(id, .after, after) }
    return MessageCursor(id, .before, before ?? .max)
  }
}
