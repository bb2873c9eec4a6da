import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// Likes and dislikes. A like of someone who likes the user makes them a match.
struct Swipes: Feature {
  private let core: RoommateCore

  /// Two users are notified of their match once a month: profiles that are deleted and set up again match again.
  private static let notifications = RateLimit(1, per: 30 * 86_400, pause: .untilOneIsForgotten)

  init(_ core: RoommateCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.SwipeRoommate.self) { request, call in try await swipe(request, by: core.caller(call)) }
    routes.on(MatchingAPI.UndoRoommateSwipe.self) { _, call in try await undo(core.caller(call)) }
    routes.on(MatchingAPI.ListRoommateLikes.self) { request, call in try await likes(request, of: core.caller(call)) }
  }

  private func swipe(_ request: MatchingAPI.SwipeRoommate, by user: UserID) async throws -> RoommateSwipe {
    let (target, decision) = (request.userID, request.decision)
    try OtherUser.refuse(user, target, at: "body.userID")
    let (swipe, match): (SwipeID, MatchID) = (core.ids.make(), core.ids.make())
    let today = core.today
    let (found, view) = try await core.database.write { [core] tx in
      let (stored, viewer) = try core.viewer(user, in: tx)
      guard let other = try core.profiles.visible([target], in: tx)[target],
        try BlockStore.others(of: user, among: [target], in: tx).isEmpty,
        try !MatchStore.hasEnded(user, target, in: tx)
      else { throw Problem(.roommateNotFound) }
      let earlier = try SwipeStore.decision(of: user, on: target, in: tx)
      if earlier != decision {
        let isMatched = try MatchStore.areMatched(user, target, in: tx)
        guard decision == .like || !isMatched else { throw Problem(.roommateMatched) }
        // Only those whom the deck may show can be swiped on; a like can always be taken back.
        var comparison = RoommateComparison(viewer, on: today)
        guard earlier == .like || comparison.candidate(other) != nil else { throw Problem(.roommateNotFound) }
        try SwipeStore.save(decision, swipe, of: user, on: target, in: tx)
        try RoommateProfileStore.touch(stored, in: tx)
        if decision == .like, !isMatched, try SwipeStore.decision(of: target, on: user, in: tx) == .like {
          try self.match(match, user, target, in: tx)
        }
      }
      return (try MatchStore.find(user, target, in: tx), (viewer: viewer, other: other))
    }
    guard let found else { return RoommateSwipe(userID: target, decision: decision, match: nil) }
    let names = await core.names.of([target])
    var comparison = RoommateComparison(view.viewer, on: today)
    return RoommateSwipe(
      userID: target, decision: decision, match: Matches.response(found, view.other, names, &comparison))
  }

  private func match(_ id: MatchID, _ one: UserID, _ other: UserID, in tx: Transaction) throws {
    try MatchStore.insert(id, one, other, in: tx)
    try ConversationRequests.accept(between: one, and: other, in: tx)
    let pair = [one.rawValue, other.rawValue].sorted().joined(separator: " ")
    guard try StoredLimit(Self.notifications, of: pair, for: "roommate-match", core.keys).take(in: tx) == nil else {
      return
    }
    for (user, partner) in [(one, other), (other, one)] {
      try tx.record(RealtimeEvent(to: user, "roommate.matched", ["userID": .string(partner.rawValue)]))
      try tx.record(
        PushRequested(
          to: user, title: "New match", text: "You and a possible roommate like each other.", kind: .connections))
    }
  }

  private func undo(_ user: UserID) async throws -> UndoneSwipe {
    try await core.database.write { tx in
      guard let target = try SwipeStore.undoDislike(of: user, in: tx) else { throw Problem(.nothingToUndo) }
      return UndoneSwipe(userID: target)
    }
  }

  private func likes(_ request: MatchingAPI.ListRoommateLikes, of user: UserID) async throws
    -> RoommatePage<RoommateLike>
  {
    let (page, direction) = (try request.page(by: SwipeID.self), request.direction ?? .received)
    let (viewer, found, profiles) = try await core.database.read { [core] db in
      let (_, viewer) = try core.viewer(user, in: db)
      let found = try page.fetch(
        { try SwipeStore.likes(direction, of: user, before: $0, limit: $1, in: db) }, key: \.id)
      let users = found.rows.map(\.other)
      let blocked = try BlockStore.others(of: user, among: users, in: db)
      return (viewer, found, try core.profiles.visible(users.filter { !blocked.contains($0) }, in: db))
    }
    var comparison = RoommateComparison(viewer, on: core.today)
    let eligible = profiles.filter { comparison.candidate($0.value) != nil }
    let names = await core.names.of(Array(eligible.keys))
    let items = found.rows.compactMap { like in
      eligible[like.other].map { RoommateLike(card: comparison.card(of: $0, names[like.other]), likedAt: like.at) }
    }
    return RoommatePage(items: items, nextCursor: found.nextCursor, isStale: names.isStale)
  }

  // MARK: privacy

  /// Decisions of others about the user belong to them; the likes among them are in the user's list.
  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let swipes = try SwipeStore.all(of: user, in: db).map { swipe -> JSONValue in
      [
        "userID": .string(swipe.target.rawValue), "decision": .string(swipe.decision),
        "at": .string(swipe.at.description),
      ]
    }
    return swipes.isEmpty ? [] : [("roommateSwipes", .array(swipes))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try SwipeStore.deleteGiven(by: user, in: tx)
    try SwipeStore.deleteReceived(by: user, in: tx)
  }
}
