import Contracts
import Persistence
import PlatformRules
import ServiceKit
import ServiceLifecycle
import Threads

/// The next people for a viewer: everyone at the place is compared in memory, and the best are checked in the database
/// before they are shown.
struct Deck: Feature {
  private let core: RoommateCore
  private let seen = SwipedUsers()

  /// Candidates beyond the page, for those whom the check removes.
  private static let spare = 8

  init(_ core: RoommateCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.GetRoommateDeck.self) { request, call in
      try await deck(of: core.caller(call), limit: request.limit?.value ?? 20)
    }
  }

  var workers: [any Service] {
    let (logger, database, index) = (core.logger, core.database, core.index)
    return [
      core.threads,
      // Also without decks, because changes are kept for an hour only.
      PeriodicTask("roommates.update", every: .seconds(10), logger: logger) { try await index.update() },
      PeriodicTask("roommates.purge-changes", per: .platform, every: .seconds(600), logger: logger) {
        try await database.write { tx in
          try RoommateProfileStore.purgeChanges(before: tx.now.advanced(bySeconds: -3600), in: tx)
        }
      },
    ]
  }

  /// The initial data of a deck, from one snapshot.
  private struct View: Sendable {
    let viewer: CompleteProfile
    let generation: String
    let swipes: [StoredSwipe]
    let changes: RoommateChanges
  }

  private func deck(of user: UserID, limit: Int) async throws -> RoommateDeck {
    let known = seen.find(user)
    let view = try await view(of: user, known)
    let today = core.today
    var excluded = seen.update(user, view.generation, known: known, with: view.swipes)
    var shown: [(candidate: DeckSelection.Candidate, profile: CompleteProfile)] = []
    var count = limit + Self.spare
    while true {
      let (selection, rows) = core.index.candidates(for: view.viewer, without: excluded, on: today)
      let found = try await core.threads.run { [count] in selection.best(count, of: rows) }
      shown += try await check(found.map(\.id), for: view.viewer, on: today)
      if shown.count >= limit || found.count < count { break }
      excluded.formUnion(found.map(\.id))
      count *= 2
    }
    let best = shown.sorted { $0.candidate > $1.candidate }.prefix(limit).map(\.profile)
    let names = await core.names.of(best.map(\.userID))
    var comparison = RoommateComparison(view.viewer, on: today)
    let cards = best.map { comparison.card(of: $0, names[$0.userID]) }
    return RoommateDeck(items: cards, isStale: names.isStale)
  }

  /// Reads the viewer, the newer swipes and the changes of other profiles, which the index applies.
  private func view(of user: UserID, _ known: SwipedUsers.Seen?) async throws -> View {
    while true {
      let number = try await core.index.number()
      let view = try await core.database.read { [core] db in
        let (stored, viewer) = try core.viewer(user, in: db)
        let sequence = known.map { $0.generation == stored.generation ? $0.sequence : 0 } ?? 0
        return View(
          viewer: viewer, generation: stored.generation, swipes: try SwipeStore.list(of: user, after: sequence, in: db),
          changes: try core.profiles.changes(after: number, in: db))
      }
      if core.index.apply(view.changes) { return view }
    }
  }

  /// The users whom the viewer may see now, by what the database holds.
  private func check(_ ids: [PackedID], for viewer: CompleteProfile, on today: CalendarDate) async throws
    -> [(candidate: DeckSelection.Candidate, profile: CompleteProfile)]
  {
    guard !ids.isEmpty else { return [] }
    let (user, users) = (viewer.userID, ids.map(\.userID))
    let profiles = try await core.database.read { [core] db in
      let hidden = try SwipeStore.seen(by: user, among: users, in: db)
        .union(MatchStore.others(of: user, among: users, in: db))
        .union(BlockStore.others(of: user, among: users, in: db))
      return try core.profiles.visible(users.filter { !hidden.contains($0) }, in: db)
    }
    var comparison = RoommateComparison(viewer, on: today)
    return profiles.values.compactMap { profile in comparison.candidate(profile).map { ($0, profile) } }
  }
}
