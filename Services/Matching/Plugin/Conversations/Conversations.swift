import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Conversations of two users: lists, requests of strangers, and how far each has received and read.
struct Conversations: Feature {
  /// Conversations that a user starts, and those with strangers among them.
  private static let limit = RateLimit(60, per: 3600, pause: .untilOneIsForgotten)
  private static let strangerLimit = RateLimit(20, per: 3600, pause: .untilOneIsForgotten)

  let core: ConversationCore
  let view: ConversationView
  private let mediaEnds: MessageMediaEnds

  init(_ core: ConversationCore) throws {
    self.core = core
    view = ConversationView(core: core)
    mediaEnds = try MessageMediaEnds(core)
  }

  var workers: [any Service] { [mediaEnds.worker] }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.ListConversations.self) { request, call in try await list(request, of: core.caller(call)) }
    routes.on(MatchingAPI.StartConversation.self) { request, call in try await start(request, call) }
    routes.on(MatchingAPI.GetConversation.self) { request, call in
      try await view.get(request.id, for: core.caller(call))
    }
    routes.on(MatchingAPI.AcceptConversation.self) { request, call in
      try await accept(request.id, by: core.caller(call))
    }
    routes.on(MatchingAPI.HideConversation.self) { request, call in
      try await hide(request.id, from: core.caller(call))
    }
    routes.on(MatchingAPI.MarkDelivered.self) { request, call in
      try await mark(request.id, delivered: request.upTo, read: 0, by: core.caller(call))
    }
    routes.on(MatchingAPI.MarkRead.self) { request, call in
      try await mark(request.id, delivered: request.upTo, read: request.upTo, by: core.caller(call))
    }
    routes.topics(ConversationEvents.topicKind) { reader, topics in
      let ids = topics.filter { $0.part == nil }.compactMap { ConversationID(String($0.id)) }
      let readable = try await core.database.read { db in try ParticipantStore.readable(ids, by: reader.id, in: db) }
      return topics.filter { topic in
        topic.part == nil && ConversationID(String(topic.id)).map { readable.contains($0) } == true
      }
    }
  }

  // MARK: lists

  private func list(_ request: MatchingAPI.ListConversations, of user: UserID) async throws -> ConversationPage {
    let (page, folder) = (try request.page(by: ConversationRow.Cursor.self), request.folder ?? .inbox)
    let now = core.time.now()
    let (read, cursor) = try await core.database.read { db in
      let found = try page.fetch(
        { try ConversationRow.list(folder, of: user, after: $0, limit: $1, in: db) },
        key: { ConversationRow.Cursor($0) })
      return (try ConversationRows(found.rows, of: user, at: now, in: db), found.nextCursor)
    }
    let (items, isStale) = try await view.show(read)
    return ConversationPage(items: items, nextCursor: cursor, isStale: isStale)
  }

  // MARK: starting

  private func start(_ request: MatchingAPI.StartConversation, _ call: Call) async throws -> Conversation {
    let user = try core.caller(call)
    // Asked for first in every case, so that the answer for someone who has blocked the caller takes as long as for an
    // unknown user, also while auth cannot be reached.
    let other = try await OtherUser(request.userID, at: "body.userID", for: user, core.names)
    let pair = ConversationStore.pair(user, other.id, about: request.listingID)
    // In LetuStudy, anyone may write to an instructor.
    let isWelcome = try call.user.app == .letustudy && other.name?.isInstructor == true
    let new: ConversationID = core.ids.make()
    let id = try await core.database.write { tx in
      let isRelated = try ConversationCore.areRelated(user, other.id, in: tx)
      if try ConversationStore.insert(new, pair: pair, about: request.listingID, in: tx) {
        // A block ends connections and matches.
        if !isRelated { try other.requireVisible(to: user, in: tx) }
        let areStrangers = try !isRelated && !isWelcome && !CourseMemberStore.share(user, other.id, in: tx)
        try add(user, and: other.id, areStrangers: areStrangers, to: new, in: tx)
        return new
      }
      guard let id = try ConversationStore.find(pair, in: tx) else { throw Problem(.userNotFound) }
      // A reply to the sender of a request accepts it.
      try ParticipantStore.accept(id, by: isRelated || isWelcome ? nil : user, in: tx)
      try ParticipantStore.show(id, to: user, in: tx)
      return id
    }
    return try await view.get(id, for: user)
  }

  /// Adds both users to a new conversation.
  private func add(
    _ user: UserID, and other: UserID, areStrangers: Bool, to id: ConversationID, in tx: Transaction
  ) throws {
    try take(Self.limit, of: user, for: "new-conversation", in: tx)
    if areStrangers { try take(Self.strangerLimit, of: user, for: "conversation", in: tx) }
    try ParticipantStore.insert(user, .inbox, isHidden: false, to: id, in: tx)
    var folder = StoredFolder.inbox
    // Another listing is no way around a request that was deleted.
    if areStrangers { folder = try ParticipantStore.hasDeclined(other, user, in: tx) ? .declined : .requests }
    // The other user sees the conversation from its first message on.
    try ParticipantStore.insert(other, folder, isHidden: true, to: id, in: tx)
  }

  private func take(_ limit: RateLimit, of user: UserID, for purpose: String, in tx: Transaction) throws {
    try StoredLimit(limit, of: user.rawValue, for: purpose, core.keys).require(in: tx)
  }

  private func accept(_ id: ConversationID, by user: UserID) async throws -> Conversation {
    try await core.database.write { tx in
      let participation = try ParticipantStore.get(id, of: user, in: tx)
      guard participation.folder != .inbox else { return }
      try participation.requireOpen()
      try ParticipantStore.accept(id, by: user, in: tx)
      try ParticipantStore.show(id, to: user, in: tx)
      try ConversationEvents.changed(id, to: participation.recipients + [user], in: tx)
    }
    return try await view.get(id, for: user)
  }

  private func hide(_ id: ConversationID, from user: UserID) async throws {
    try await core.database.write { tx in
      let folder = try ParticipantStore.get(id, of: user, in: tx).folder
      try ParticipantStore.hide(id, from: user, as: folder == .requests ? .declined : folder, in: tx)
      if folder == .requests { try tx.record(TopicAccessEnded([ConversationEvents.topic(id)], for: user)) }
    }
  }

  // MARK: markers

  private func mark(_ id: ConversationID, delivered: Int, read: Int, by user: UserID) async throws
    -> ConversationMarkers
  {
    try await core.database.write { tx in
      var participation = try ParticipantStore.get(id, of: user, in: tx)
      guard (0...participation.lastSequence).contains(delivered) else {
        let message = "must be from 0 to \(participation.lastSequence), the latest message"
        throw Problem(.invalidRequest, errors: [.init(location: "body.upTo", message: message)])
      }
      let before = participation
      participation.deliveredTo = max(before.deliveredTo, delivered)
      participation.readTo = max(before.readTo, read)
      let (isReceived, isRead) = (
        participation.deliveredTo > before.deliveredTo, participation.readTo > before.readTo
      )
      if isReceived || isRead { try ParticipantStore.mark(participation, of: user, in: tx) }
      // The sender of a request does not see what becomes of it.
      if participation.isMutual {
        let isShown = try isRead && ConversationSettingsStore.get(user, in: tx).showRead
        if isShown {
          try ConversationEvents.marked("conversation.read", id, by: user, upTo: participation.readTo, in: tx)
        } else if isReceived {
          try ConversationEvents.marked("conversation.delivered", id, by: user, upTo: participation.deliveredTo, in: tx)
        }
      }
      return ConversationMarkers(
        deliveredUpTo: participation.deliveredTo, readUpTo: participation.readTo,
        unreadCount: try MessageStore.unread(id, by: user, in: tx)
      )
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let rows = try ConversationRow.all(of: user, in: db).map { row -> JSONValue in
      .object([
        ("id", .string(row.id.rawValue)), ("with", row.other.map { .string($0.id.rawValue) }),
        ("listing", row.listing.map { .string($0.rawValue) }), ("createdAt", .string(row.createdAt.description)),
        ("readUpTo", .integer(Int64(row.readTo))),
      ])
    }
    return [("conversations", .array(rows))]
  }

  /// Removes what the user wrote and closes the conversations; the others keep theirs, with every message in its place.
  func erase(_ user: UserID, in tx: Transaction) throws {
    let (all, alone) = (ParticipantStore.all(of: user), ParticipantStore.alone(user))
    try MessageReactionStore.erase(user, in: all, in: tx)
    try OfferCardStore.erase(user, in: all, in: tx)
    try mediaEnds.report(MessageStore.withMedia(in: all, by: user, tx), in: tx)
    try MessageStore.erase(user, in: all, in: tx)
    try ConversationEnding.close(all, in: tx)
    try MessageReactionStore.delete(of: alone, in: tx)
    try OfferCardStore.delete(of: alone, in: tx)
    try mediaEnds.report(MessageStore.withMedia(in: alone, tx), in: tx)
    try MessageStore.delete(of: alone, in: tx)
    let abandoned = try tx.values(alone, as: ConversationID.self)
    try ParticipantStore.delete(user, in: tx)
    try ConversationStore.delete(abandoned, in: tx)
  }
}
