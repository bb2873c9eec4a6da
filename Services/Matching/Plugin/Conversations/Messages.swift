import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The messages of a conversation, and reactions to them.
struct Messages: Feature {
  /// How long a text can be edited, in seconds.
  private static let editSeconds = 900.0
  private static let maxMedia = 10
  private static let maxReactions = 5

  let core: ConversationCore
  let sending: MessageSending
  let rate: RateLimit
  private let sent = LocalBuckets(maxCount: 100_000)
  let media: MediaUses

  init(_ core: ConversationCore) throws {
    self.core = core
    media = MediaUses(core.environment)
    sending = MessageSending(core)
    rate = try core.environment.settings[MatchingSettings.messages]
  }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.ListMessages.self) { request, call in try await list(request, for: core.caller(call)) }
    routes.on(MatchingAPI.SendMessage.self) { request, call in try await send(request, by: core.caller(call)) }
    routes.on(MatchingAPI.EditMessage.self) { request, call in try await edit(request, by: core.caller(call)) }
    routes.on(MatchingAPI.DeleteMessage.self) { request, call in
      try await delete(request.messageID, in: request.id, by: core.caller(call))
    }
    routes.on(MatchingAPI.AddReaction.self) { request, call in try await react(request, by: core.caller(call)) }
    routes.on(MatchingAPI.RemoveReaction.self) { request, call in
      try await removeReaction(request, by: core.caller(call))
    }
  }

  // MARK: reading

  private func list(_ request: MatchingAPI.ListMessages, for user: UserID) async throws -> Page<Message> {
    let page = try request.page(by: MessageCursor.self)
    let start = try request.start(page)
    let now = core.time.now()
    let (found, reactions) = try await core.database.read { db in
      _ = try ParticipantStore.get(request.id, of: user, in: db)
      let found = try page.fetch(
        { _, limit in
          try MessageStore.list(
            SQL.and("m.conversation_id = \(request.id)", start.condition), start.order, limit: limit, at: now, in: db)
        }, key: { start.cursor(after: $0.message) })
      return (found, try MessageReactionStore.list(of: found.rows.map(\.message.id), in: db))
    }
    return found.with(try found.rows.map { try opened($0, reactions, for: user) })
  }

  private func opened(_ stored: StoredMessage, _ reactions: [MessageID: [MessageReaction]], for user: UserID) throws
    -> Message
  {
    var message = try core.messages.open(stored, for: user)
    message.reactions = reactions[message.id] ?? []
    if stored.isClosed {
      message.reactions = message.reactions.filter { $0.users.contains(user) }.map {
        MessageReaction(emoji: $0.emoji, users: [user])
      }
    }
    return message
  }

  // MARK: sending

  private func send(_ request: MatchingAPI.SendMessage, by author: UserID) async throws -> Message {
    let media = request.media ?? []
    guard request.text != nil || !media.isEmpty else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.text", message: "is required without media")])
    }
    guard media.count <= Self.maxMedia else {
      let message = "may have at most \(Self.maxMedia) items"
      throw Problem(.invalidRequest, errors: [.init(location: "body.media", message: message)])
    }
    try sent.require(author.rawValue, rate, at: core.time.now())
    try await requireMedia(of: request, by: author)
    let new = OutgoingMessage(
      id: request.messageID, conversation: request.id, author: author, media: media, replyTo: request.replyTo,
      sealedText: try core.messages.seal(request.text, of: request.messageID),
      fingerprint: core.messages.fingerprint(request.text, media, request.replyTo)
    )
    guard var message = try await core.database.write({ tx in try sending.send(new, in: tx) }) else {
      return try await get(request.messageID, for: author)
    }
    message.text = request.text?.rawValue
    return message
  }

  /// A message that was sent already keeps its media: a repeated request is compared with it.
  private func requireMedia(of request: MatchingAPI.SendMessage, by author: UserID) async throws {
    let wanted = MediaUses.Wanted.items(request.media, MediaKind.allCases, at: "body.media")
    guard !wanted.isEmpty else { return }
    let (id, now) = (request.messageID, core.time.now())
    let isSent = try await core.database.read { db in
      let participation = try ParticipantStore.get(request.id, of: author, in: db)
      if try MessageStore.find(id, at: now, in: db) != nil { return true }
      try participation.requireOpen()
      return false
    }
    if !isSent { try await media.require(wanted, of: author, for: id.topic) }
  }

  /// A message as it is now, with reactions.
  private func get(_ id: MessageID, for user: UserID) async throws -> Message {
    let now = core.time.now()
    let (stored, reactions) = try await core.database.read { db in
      guard let stored = try MessageStore.find(id, at: now, in: db) else { throw Problem(.messageIDReused) }
      return (stored, try MessageReactionStore.list(of: [id], in: db))
    }
    return try opened(stored, reactions, for: user)
  }

  // MARK: changing

  private func edit(_ request: MatchingAPI.EditMessage, by user: UserID) async throws -> Message {
    try core.environment.switches.require(.messages)
    try sent.require(user.rawValue, rate, at: core.time.now())
    let sealed = try core.messages.seal(request.text, of: request.messageID)
    try await core.database.write { tx in
      let participation = try ParticipantStore.get(request.id, of: user, in: tx)
      try participation.requireOpen()
      let message = try MessageStore.get(request.messageID, of: request.id, at: tx.now, in: tx).message
      guard message.authorID == user, message.kind == .text,
        tx.now.seconds(since: message.sentAt) <= Self.editSeconds
      else { throw Problem(.messageNotEditable) }
      try MessageStore.edit(message.id, text: sealed, in: tx)
      // Edits of a request are no way to reach its recipient more often.
      try ConversationEvents.changed(message, to: participation.isMutual ? participation.recipients : [], in: tx)
    }
    return try await get(request.messageID, for: user)
  }

  /// Also in a closed conversation: everyone can take back what they wrote.
  private func delete(_ id: MessageID, in conversation: ConversationID, by user: UserID) async throws {
    try await core.database.write { tx in
      let participation = try ParticipantStore.get(conversation, of: user, in: tx)
      guard let message = try MessageStore.find(id, at: tx.now, in: tx)?.message, message.conversationID == conversation
      else { throw Problem(.messageNotFound) }
      guard message.authorID == user, message.kind == .text else { throw Problem(.messageNotEditable) }
      if message.isDeleted { return }
      try MessageReactionStore.delete(to: id, in: tx)
      try MessageStore.delete(id, in: tx)
      if !message.media.isEmpty { try MessageMedia.reportDeleted([id], in: tx) }
      // After a block, nothing that one does reaches the other.
      if participation.isClosed { return }
      try ConversationEvents.changed(message, to: participation.recipients, in: tx)
    }
  }

  private func react(_ request: MatchingAPI.AddReaction, by user: UserID) async throws {
    try sent.require(user.rawValue, rate, at: core.time.now())
    try await core.database.write { tx in
      let participation = try ParticipantStore.get(request.id, of: user, in: tx)
      try participation.requireOpen()
      // A reaction is no way around the limit of requests.
      guard participation.isMutual else { throw Problem(.requestUnanswered) }
      let message = try MessageStore.get(request.messageID, of: request.id, at: tx.now, in: tx).message
      guard try MessageReactionStore.insert(request.emoji, by: user, to: message.id, in: tx) else { return }
      guard try MessageReactionStore.count(by: user, to: message.id, in: tx) <= Self.maxReactions else {
        throw Problem(.reactionLimit)
      }
      try ConversationEvents.changed(message, in: tx)
    }
  }

  private func removeReaction(_ request: MatchingAPI.RemoveReaction, by user: UserID) async throws {
    try await core.database.write { tx in
      let participation = try ParticipantStore.get(request.id, of: user, in: tx)
      let message = try MessageStore.get(request.messageID, of: request.id, at: tx.now, in: tx).message
      guard try MessageReactionStore.delete(request.emoji, by: user, to: message.id, in: tx),
        !participation.isClosed
      else { return }
      try ConversationEvents.changed(message, in: tx)
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let condition: SQL = """
      m.conversation_id IN (SELECT conversation_id FROM conversation_participants WHERE user_id = \(user))
      AND m.author_id = \(user)
      """
    let own = try MessageStore.list(
      condition, "m.conversation_id, m.sequence", limit: .max, at: core.time.now(), in: db)
    let reactions = try MessageReactionStore.list(by: user, in: db).map { reaction -> JSONValue in
      ["message": .string(reaction.message.rawValue), "emoji": .string(reaction.emoji)]
    }
    return [
      ("messages", .array(try own.map { try JSONValue(core.messages.open($0)) })),
      ("messageReactions", .array(reactions)),
    ]
  }
}
