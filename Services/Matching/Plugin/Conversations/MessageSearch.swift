import Contracts
import Foundation
import Persistence
import ServiceKit
import Threads

/// Searches in a user's messages. Texts are encrypted, so each request decrypts and compares a bounded number of them, in
/// slices, on threads of their own: comparing takes processor time.
struct MessageSearch: Feature {
  /// Messages that a request reads at once, and how often it does.
  private static let sliceLength = 100
  private static let maxSlices = 20
  /// Conversations that a slice looks at.
  private static let maxConversations = 200
  /// Bytes of text after which a request stops.
  static let textBudget = 300_000

  let core: ConversationCore
  let rate: RateLimit
  private let searches = LocalBuckets(maxCount: 100_000)

  init(_ core: ConversationCore) throws {
    self.core = core
    rate = try core.environment.settings[MatchingSettings.searches]
  }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.SearchMessages.self) { request, call in try await search(request, for: core.caller(call)) }
  }

  /// The position at which a search continues: with the messages before a sequence, then with the conversations that
  /// began earlier.
  private struct Cursor: PageCursor {
    var conversation: ConversationID
    var before: Int

    init(_ conversation: ConversationID, before: Int) { (self.conversation, self.before) = (conversation, before) }

    init?(cursor: String) {
      let parts = cursor.split(separator: "_", omittingEmptySubsequences: false).map { String($0) }
      guard parts.count == 2, let conversation = ConversationID(parts[0]), let before = Int(parts[1]),
        before >= 1
      else { return nil }
      self.init(conversation, before: before)
    }

    var cursor: String { "\(conversation)_\(before)" }
  }

  /// The messages that a slice looks at, newest first within each conversation, and where the next one continues.
  private struct Slice: Sendable {
    var messages: [StoredMessage]
    var next: Cursor?
  }

  /// The results of a slice, and where the search continues.
  private struct Hits: Sendable {
    var messages: [Message] = []
    var bytes = 0
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
    try searches.require(user.rawValue, rate, at: core.time.now())
    if let conversation = request.conversation {
      _ = try await core.database.read { db in try ParticipantStore.get(conversation, of: user, in: db) }
    }
    let now = core.time.now()
    var (found, bytes, position): ([Message], Int, Cursor?) = ([], 0, page.after)
    for _ in 0..<Self.maxSlices {
      let slice = try await core.database.read { [position] db in
        try Self.slice(of: user, in: request.conversation, from: position, at: now, in: db)
      }
      let (limit, rest) = (page.limit - found.count, Self.textBudget - bytes)
      let hits = try await core.threads.run {
        try Self.compare(slice, with: wanted, for: user, limit: limit, bytes: rest, core.messages)
      }
      (found, bytes, position) = (found + hits.messages, bytes + hits.bytes, hits.next)
      if position == nil || found.count == page.limit || bytes >= Self.textBudget { break }
    }
    return Page(items: found, nextCursor: position?.cursor)
  }

  /// Decrypts and compares messages until there are enough hits, or the texts have that many bytes.
  private static func compare(
    _ slice: Slice, with wanted: String, for user: UserID, limit: Int, bytes: Int, _ store: MessageStore
  ) throws -> Hits {
    var hits = Hits(next: slice.next)
    for stored in slice.messages {
      let message = try store.open(stored, for: user)
      let text = message.text ?? ""
      hits.bytes += text.utf8.count
      if folded(text).contains(wanted) { hits.messages.append(message) }
      if hits.messages.count == limit || hits.bytes >= bytes {
        hits.next = Cursor(message.conversationID, before: message.sequence)
        break
      }
    }
    return hits
  }

  private static func slice(
    of user: UserID, in conversation: ConversationID?, from cursor: Cursor?, at now: Timestamp, in db: any Connection
  ) throws -> Slice {
    let conversations = try db.all(
      """
      SELECT p.conversation_id, c.last_sequence FROM conversation_participants p
      JOIN conversations c ON c.id = p.conversation_id
      WHERE \(SQL.and("p.user_id = \(user) AND p.folder <> 'declined'", conversation.map { "p.conversation_id = \($0)" },
        cursor.map { "p.conversation_id <= \($0.conversation)" }))
      ORDER BY p.conversation_id DESC LIMIT \(maxConversations + 1)
      """
    ) { row -> (id: ConversationID, last: Int) in (try row["conversation_id"], try row["last_sequence"]) }
    var (whole, rest): ([ConversationID], Int) = ([], sliceLength)
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
    guard var condition = parts.first else { return Slice(messages: [], next: next) }
    for part in parts.dropFirst() { condition = "\(condition) OR \(part)" }
    let messages = try MessageStore.list(
      "m.text IS NOT NULL AND (\(condition))", "m.conversation_id DESC, m.sequence DESC", limit: sliceLength, at: now,
      in: db
    )
    return Slice(messages: messages, next: next)
  }

  private static func folded(_ text: String) -> String {
    text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }
}
