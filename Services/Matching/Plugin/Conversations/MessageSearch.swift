import Contracts
import Foundation
import Persistence
import ServiceKit

/// Searches in a user's messages. Texts are encrypted, so each request decrypts and compares a bounded number of them.
struct MessageSearch: Feature {
  /// Messages that a request looks at.
  static let budget = 2000
  /// Conversations that a request looks at.
  private static let maxConversations = 200

  let core: ConversationCore

  init(_ core: ConversationCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.SearchMessages.self) { request, call in try await search(request, for: core.caller(call)) }
  }

  /// Where a search continues: with the messages before a sequence, then with the conversations that began earlier.
  private struct Cursor: PageCursor {
    var conversation: ConversationID
    var before: Int

    init(_ conversation: ConversationID, before: Int) { (self.conversation, self.before) = (conversation, before) }

    init?(cursor: String) {
      let parts = cursor.split(separator: "_", omittingEmptySubsequences: false).map { String($0) }
      guard parts.count == 2, let conversation = ConversationID(parts[0]), let before = Int(parts[1]) else {
        return nil
      }
      self.init(conversation, before: before)
    }

    var cursor: String { "\(conversation)_\(before)" }
  }

  /// The messages that a request looks at, newest first within each conversation, and where the next one continues.
  private struct Batch: Sendable {
    var messages: [StoredMessage]
    var next: Cursor?
  }

  private func search(_ request: MatchingAPI.SearchMessages, for user: UserID) async throws -> Page<Message> {
    let page = try request.page(by: Cursor.self)
    if let only = request.conversation, let cursor = page.after, cursor.conversation != only {
      let message = "is not a cursor of this list"
      throw Problem(.invalidRequest, errors: [.init(location: "query.cursor", message: message)])
    }
    let wanted = Self.folded(request.query.rawValue)
    guard !wanted.isEmpty else {
      let message = "must contain a letter, a digit or another character"
      throw Problem(.invalidRequest, errors: [.init(location: "query.query", message: message)])
    }
    let now = core.time.now()
    let batch = try await core.database.read { db in
      if let conversation = request.conversation { _ = try ParticipantStore.get(conversation, of: user, in: db) }
      return try Self.batch(of: user, in: request.conversation, from: page.after, at: now, in: db)
    }
    var found: [Message] = []
    for stored in batch.messages {
      let message = try core.messages.open(stored)
      guard Self.folded(message.text ?? "").contains(wanted) else { continue }
      found.append(message)
      // The next page continues after the last hit.
      if found.count == page.limit {
        return Page(items: found, nextCursor: Cursor(message.conversationID, before: message.sequence).cursor)
      }
    }
    return Page(items: found, nextCursor: batch.next?.cursor)
  }

  private static func batch(
    of user: UserID, in conversation: ConversationID?, from cursor: Cursor?, at now: Timestamp, in db: any Connection
  ) throws -> Batch {
    let conversations = try db.all(
      """
      SELECT p.conversation_id, c.last_sequence FROM conversation_participants p
      JOIN conversations c ON c.id = p.conversation_id
      WHERE \(SQL.and("p.user_id = \(user) AND p.folder <> 'declined'", conversation.map { "p.conversation_id = \($0)" },
        cursor.map { "p.conversation_id <= \($0.conversation)" }))
      ORDER BY p.conversation_id DESC LIMIT \(maxConversations + 1)
      """
    ) { row -> (id: ConversationID, last: Int) in (try row["conversation_id"], try row["last_sequence"]) }
    var (whole, rest): ([ConversationID], Int) = ([], budget)
    var parts: [SQL] = []
    var next: Cursor?
    for (index, conversation) in conversations.enumerated() {
      let isContinued = conversation.id == cursor?.conversation
      let end = isContinued ? min(cursor?.before ?? .max, conversation.last + 1) : conversation.last + 1
      guard rest > 0, index < maxConversations else {
        next = Cursor(conversation.id, before: end)
        break
      }
      let start = max(1, end - rest)
      if start == 1, !isContinued {
        whole.append(conversation.id)
      } else {
        parts.append("m.conversation_id = \(conversation.id) AND m.sequence >= \(start) AND m.sequence < \(end)")
      }
      rest -= max(0, end - start)
      if start > 1 {
        next = Cursor(conversation.id, before: start)
        break
      }
    }
    if !whole.isEmpty { parts.append("m.conversation_id IN \(list: whole)") }
    guard var condition = parts.first else { return Batch(messages: [], next: next) }
    for part in parts.dropFirst() { condition = "\(condition) OR \(part)" }
    let messages = try MessageStore.list(
      "m.text IS NOT NULL AND (\(condition))", "m.conversation_id DESC, m.sequence DESC", limit: budget, at: now, in: db
    )
    return Batch(messages: messages, next: next)
  }

  private static func folded(_ text: String) -> String {
    text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }
}
