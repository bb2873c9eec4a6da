import Contracts
import Observability
import Persistence
import PlatformRules
import ServiceKit
import ServiceLifecycle
import Threads

/// One mutual suggestion a day: the people of a region are paired so that no two of them suit each other better than
/// those to whom they are suggested. The first request of a day and region decides.
struct Suggestions: Feature {
  private let core: RoommateCore
  private let decisions = SingleFlight<Pool>()
  private let computations: Metrics.Counter

  private struct Pool: Hashable {
    let day: CalendarDate
    let region: String
  }

  /// The most recently active people are paired; all others have no suggestion on that day.
  private static let poolSize = 500
  private static let activeDays = 30.0

  init(_ core: RoommateCore) {
    self.core = core
    computations = core.environment.metrics.counter(
      "roommate_suggestion_computations_total", help: "Regions of a day whose people were paired.")
  }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.GetRoommateSuggestion.self) { _, call in try await suggestion(for: core.caller(call)) }
  }

  var workers: [any Service] {
    [
      PeriodicTask("roommates.purge-suggestions", per: .platform, every: .seconds(3600), logger: core.logger) {
        [database = core.database] in
        try await database.write { tx in
          try SuggestionStore.purge(before: CalendarDate(tx.now.advanced(bySeconds: -86_400)), in: tx)
        }
      }
    ]
  }

  private func suggestion(for user: UserID) async throws -> RoommateSuggestion {
    let day = core.today
    let (viewer, isDecided) = try await core.database.read { [core] db in
      let (_, viewer) = try core.viewer(user, in: db)
      let isDecided = try SuggestionStore.isDecided(core.profiles.key(of: viewer.region), on: day, in: db)
      return (viewer, isDecided)
    }
    if !isDecided {
      let pool = Pool(day: day, region: core.profiles.key(of: viewer.region))
      try await decisions.run(pool) { try await decide(pool) }
    }
    let other = try await core.database.read { [core] db in try core.suggested(to: user, on: day, in: db) }
    var comparison = RoommateComparison(viewer, on: day)
    guard let other, comparison.candidate(other) != nil else {
      return RoommateSuggestion(day: day, card: nil, isStale: false)
    }
    let names = await core.names.of([other.userID])
    return RoommateSuggestion(
      day: day, card: comparison.card(of: other, names[other.userID]), isStale: names.isStale)
  }

  private func decide(_ key: Pool) async throws {
    let (region, day) = (key.region, key.day)
    let since = core.time.now().advanced(bySeconds: -Self.activeDays * 86_400)
    let found = try await core.database.read { [core] db -> SuggestionPool? in
      // Another request may have decided just before.
      if try SuggestionStore.isDecided(region, on: day, in: db) { return nil }
      let users = try RoommateProfileStore.pool(of: region, activeSince: since, limit: Self.poolSize, in: db)
      let suggested = try SuggestionStore.suggested(among: users, on: day, in: db)
      let free = users.filter { !suggested.contains($0) }
      let excludedPairs =
        try SwipeStore.pairs(among: free, in: db) + MatchStore.pairs(among: free, in: db)
        + BlockStore.pairs(among: free, in: db)
      let profiles = try core.profiles.visible(free, in: db)
      return SuggestionPool(people: free.compactMap { profiles[$0] }, excludedPairs: excludedPairs)
    }
    guard let pool = found else { return }
    computations.increment()
    let pairs = try await core.threads.run { pool.pairs(on: day) }
    try await core.database.write { tx in try SuggestionStore.save(pairs, of: region, on: day, in: tx) }
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try SuggestionStore.delete(of: user, in: tx) }
}

extension RoommateCore {
  /// The person who is suggested to a user; `nil` also after one of them has swiped on or blocked the other.
  fileprivate func suggested(to user: UserID, on day: CalendarDate, in db: any Connection) throws -> CompleteProfile? {
    guard let other = try SuggestionStore.find(of: user, on: day, in: db),
      try SwipeStore.pairs(among: [user, other], in: db).isEmpty,
      try MatchStore.others(of: user, among: [other], in: db).isEmpty,
      try BlockStore.others(of: user, among: [other], in: db).isEmpty
    else { return nil }
    return try profiles.visible([other], in: db)[other]
  }
}
