import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// The presence and typing of users, as far as they show it. Neither is stored.
struct PresenceOfUsers: Feature {
  /// Changes of a user's settings: hiding presence takes a topic from the streams of others.
  private static let limit = RateLimit(20, per: 3600, pause: .untilOneIsForgotten)

  let core: ConversationCore

  init(_ core: ConversationCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.SendTyping.self) { request, call in try await type(in: request.id, core.caller(call)) }
    routes.on(MatchingAPI.GetPresence.self) { request, call in
      try await presence(of: request.users.ids, for: core.caller(call))
    }
    routes.on(MatchingAPI.ReportPresence.self) { _, call -> Void in _ = try core.caller(call) }
    routes.on(MatchingAPI.GetConversationSettings.self) { _, call in
      let user = try core.caller(call)
      return try await core.database.read { db in try ConversationSettingsStore.get(user, in: db) }
    }
    routes.on(MatchingAPI.PutConversationSettings.self) { request, call in
      try await put(request.body, of: core.caller(call))
    }
  }

  var workers: [any Service] {
    [
      PeriodicTask("presence.announce", every: .seconds(2), logger: core.environment.logger) {
        try await announce()
      }
    ]
  }

  private func type(in id: ConversationID, _ user: UserID) async throws {
    let isShown = try await core.database.read { db in
      let participation = try ParticipantStore.get(id, of: user, in: db)
      try participation.requireOpen()
      return try participation.isMutual && ConversationSettingsStore.get(user, in: db).showTyping
    }
    guard isShown else { return }
    let data: JSONValue = ["conversation": .string(id.rawValue), "user": .string(user.rawValue)]
    await core.environment.signals.send(ConversationEvents.topic(id), "conversation.typing", data, from: user)
  }

  private func presence(of users: [UserID], for viewer: UserID) async throws -> Page<Presence> {
    var statuses: [UserID: Presence.Status] = [:]
    for user in users { statuses[user] = core.activity.status(of: user) }
    let known = statuses.filter { $0.value != .away }.map(\.key)
    let visible = try await core.database.read { db in try PresenceAccess.visible(known, to: viewer, in: db) }
    return Page(
      items: users.map { user in
        Presence(userID: user, status: visible.contains(user) ? statuses[user] ?? .away : .away)
      })
  }

  private func put(_ settings: ConversationSettings, of user: UserID) async throws -> ConversationSettings {
    try await core.database.write { tx in
      let before = try ConversationSettingsStore.get(user, in: tx)
      guard settings != before else { return settings }
      try StoredLimit(Self.limit, of: user.rawValue, for: "conversation-settings", core.keys).require(in: tx)
      try ConversationSettingsStore.put(settings, of: user, in: tx)
      if before.showPresence, !settings.showPresence {
        try tx.record(TopicAccessEnded([UserTopic.presence.of(user)], for: nil))
      }
      return settings
    }
  }

  /// Announces who has become active or inactive to those who follow them.
  private func announce() async throws {
    let changes = core.activity.changes()
    let users = changes.active + changes.inactive
    guard !users.isEmpty else { return }
    var hidden: Set<UserID> = []
    for start in stride(from: 0, to: users.count, by: 500) {
      let some = Array(users[start..<min(start + 500, users.count)])
      hidden.formUnion(
        try await core.database.read { db in try ConversationSettingsStore.withoutPresence(among: some, in: db) })
    }
    for (users, status) in [(changes.active, Presence.Status.active), (changes.inactive, .recently)] {
      for user in users where !hidden.contains(user) {
        let data: JSONValue = ["user": .string(user.rawValue), "status": .string(status.rawValue)]
        await core.environment.signals.send(
          UserTopic.presence.of(user), "presence.changed", data, from: user)
      }
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("conversationSettings", try JSONValue(ConversationSettingsStore.get(user, in: db)))]
  }

  /// May run again after a conflict: activity that is removed too early is only shown later.
  func erase(_ user: UserID, in tx: Transaction) throws {
    try ConversationSettingsStore.delete(user, in: tx)
    core.activity.forget(user)
  }
}
