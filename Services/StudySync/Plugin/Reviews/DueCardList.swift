import Contracts
import Persistence
import ServiceKit
import StudyModel

/// The due cards, for a user who sees their set.
struct DueCardList: Feature {
  /// How many due cards are compared with each other.
  private static let maxCompared = 1000
  private static let defaultLimit = 20

  private let core: StudyCore

  init(_ core: StudyCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.GetDueCards.self, list)
    routes.on(StudyAPI.GetDueCounts.self, count)
    routes.on(StudyAPI.GetCardSchedule.self, schedule)
  }

  private struct Found: Sendable {
    var counts = DueCounts.Counts()
    var memories: [(card: CardID, memory: CardMemory)] = []
    var records: [StoredRecord] = []
    var settings: SchedulerSettings
  }

  private func list(_ request: StudyAPI.GetDueCards, _ call: Call) async throws -> DueCards {
    let (user, now, limit) = (try call.user.id, core.time.now(), request.limit?.value ?? Self.defaultLimit)
    let found = try await core.database.read { [core] db -> Found in
      guard let membership = try VisibleSets.find(request.id, of: user, in: db) else { throw Problem(.notFound) }
      let settings = try SchedulerSettings.of(user, core.records, in: db)
      let today = try LocalToday(request.utcOffsetMinutes, of: user, settings, at: now, in: db)
      let due = try DueSets([membership], of: user, today, settings, in: db)
      var found = Found(counts: due.counts(of: request.id), settings: settings)
      let states = try CardStateStore.due(in: request.id, of: user, until: now, limit: Self.maxCompared, db)
      found.memories = Self.order(states, at: now).prefix(limit).map { ($0.card, $0.memory) }
      found.records = try RecordStore.find(found.memories.map { RecordID(trusted: $0.card.rawValue) }, in: db)
      let new = try Self.newCards(
        of: request.id, for: user, limit: min(limit - found.memories.count, found.counts.new), in: db)
      found.memories += new.map { (CardID(trusted: $0.id.rawValue), CardMemory(cardID: $0.id.rawValue)) }
      found.records += new
      return found
    }
    let records = Dictionary(found.records.map { ($0.id.rawValue, $0) }) { first, _ in first }
    return DueCards(
      counts: found.counts,
      cards: try found.memories.compactMap { card, memory in
        try records[card.rawValue].map {
          try dueCard(CardSchedule(memory, card: card, set: request.id), memory, $0, found.settings, at: now)
        }
      })
  }

  private func dueCard(
    _ schedule: CardSchedule, _ memory: CardMemory, _ record: StoredRecord, _ settings: SchedulerSettings,
    at now: Timestamp
  ) throws -> DueCard {
    DueCard(
      schedule: schedule, fields: try core.records.wire(record).fields ?? SyncFields(),
      intervals: RatingIntervals(settings.scheduler.preview(memory, at: now.milliseconds), at: now.milliseconds))
  }

  /// Cards in learning by time, then the others by how long they are overdue in relation to their intervals.
  static func order(_ states: [StoredCardState], at now: Timestamp) -> [StoredCardState] {
    func overdue(_ state: StoredCardState) -> Double {
      guard state.memory.state == .review, let due = state.memory.due, let last = state.memory.lastReview else {
        return .infinity
      }
      return Double(now.milliseconds - due) / Double(max(due - last, 1))
    }
    let keyed = states.map { (state: $0, overdue: overdue($0)) }
    return keyed.sorted { one, other in
      if one.overdue != other.overdue { return one.overdue > other.overdue }
      let dues = (one.state.memory.due ?? 0, other.state.memory.due ?? 0)
      return dues.0 != dues.1 ? dues.0 < dues.1 : one.state.card.rawValue < other.state.card.rawValue
    }.map(\.state)
  }

  /// Cards of a set that a user has not reviewed yet, in the order of the set.
  private static func newCards(of set: StudySetID, for user: UserID, limit: Int, in db: any Connection) throws
    -> [StoredRecord]
  {
    guard limit > 0 else { return [] }
    return try RecordStore.list(
      """
      space_id = \(set.space) AND collection = \(SyncCollection.cards) AND deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM card_states s WHERE s.user_id = \(user) AND s.card_id = sync_records.id)
      """, "position, id", limit: limit, in: db)
  }

  private func count(_ request: StudyAPI.GetDueCounts, _ call: Call) async throws -> DueCounts {
    let (user, now) = (try call.user.id, core.time.now())
    return try await core.database.read { [core] db in
      let settings = try SchedulerSettings.of(user, core.records, in: db)
      let today = try LocalToday(request.utcOffsetMinutes, of: user, settings, at: now, in: db)
      return try DueSets(VisibleSets.list(of: user, in: db), of: user, today, settings, in: db).all
    }
  }

  private func schedule(_ request: StudyAPI.GetCardSchedule, _ call: Call) async throws -> DueCard {
    let (user, now) = (try call.user.id, core.time.now())
    let (record, state, settings) = try await core.database.read { [core] db in
      guard let record = try RecordStore.find(RecordID(trusted: request.id.rawValue), in: db),
        record.collection == .cards, record.deletedAt == nil,
        try VisibleSets.find(StudySetID(trusted: record.space.rawValue), of: user, in: db) != nil
      else { throw Problem(.notFound) }
      let state = try CardStateStore.find([request.id], of: user, in: db)[request.id]
      return (record, state, try SchedulerSettings.of(user, core.records, in: db))
    }
    let memory = state?.memory ?? CardMemory(cardID: request.id.rawValue)
    let schedule = CardSchedule(memory, card: request.id, set: StudySetID(trusted: record.space.rawValue))
    return try dueCard(schedule, memory, record, settings, at: now)
  }
}

extension RatingIntervals {
  fileprivate init(_ preview: RatingPreview, at now: Int64) {
    func seconds(_ memory: CardMemory) -> Int64 { ((memory.due ?? now) - now) / 1000 }
    self.init(
      again: seconds(preview.again), hard: seconds(preview.hard), good: seconds(preview.good),
      easy: seconds(preview.easy))
  }
}
