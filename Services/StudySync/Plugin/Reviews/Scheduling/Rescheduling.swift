import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle
import StudyModel

/// Replays logs in the background: those of reviews that came too late to be counted at once, and all of a user's cards
/// after the settings have changed. Logs are read outside the writer, in pages, however long they are; a card that was
/// reviewed meanwhile is replayed again.
struct Rescheduling: Feature {
  struct Work: Codable, Sendable {
    var user: UserID
    /// The last card that has been replayed with the settings `scheduler`.
    var after: CardID?
    var scheduler: Int64?
  }

  static let kind = "reschedule"
  /// Each batch reads the whole log.
  private static let batchSize = 500
  /// A job that has read more is continued by another one, so that users take turns.
  private static let maxRead = 20_000
  private static let pageSize = 50_000
  /// Cards with at most so many reviews are read together.
  private static let maxShort = 100

  private let database: any Database
  private let records: RecordStore
  private let jobs: DurableJobs<Work>

  var workers: [any Service] { [jobs] }

  init(_ core: StudyCore) throws {
    let (database, records) = (core.database, core.records)
    (self.database, self.records) = (database, records)
    let pending = PendingJobs<Work>(Self.kind, core.environment)
    jobs = try DurableJobs(Self.kind, core.environment) { work, job in
      try await Run(database: database, records: records, pending: pending).perform(work, job)
    }
  }

  /// Has a user's cards replayed where that is needed; takes the place of what is already waiting.
  static func add(for user: UserID, to jobs: PendingJobs<Work>, in tx: Transaction) throws {
    try jobs.add(Work(user: user), id: "\(kind)-\(user)", person: user, in: tx)
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let states = try CardStateStore.page(of: user, after: nil, limit: .max, in: db)
    return [("cardSchedules", try JSONValue(states.map(\.schedule)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try CardStateStore.delete(of: user, in: tx)
    try DeferredReviewStore.delete(of: user, in: tx)
  }

  // MARK: work

  private struct Run: Sendable {
    let database: any Database
    let records: RecordStore
    let pending: PendingJobs<Work>

    private struct Batch: Sendable {
      var settings: SchedulerSettings
      var states: [StoredCardState]
      var deferred: [CardID: Set<String>]
      /// The last card, when the batch is one of all cards.
      var last: CardID?
    }

    func perform(_ work: Work, _ job: Job) async throws -> DurableJobs<Work>.Outcome {
      var (work, rest) = (work, Rescheduling.maxRead)
      while let batch = try await next(&work) {
        let replayed = try await replay(batch, of: work.user, reading: &rest)
        let count = try await database.write { [work] tx in try Self.store(replayed, batch, of: work.user, in: tx) }
        // All of them were reviewed meanwhile.
        if count == 0 { return .retry() }
        if let last = batch.last { (work.after, work.scheduler) = (last, batch.settings.fingerprint) }
        guard rest <= 0 else { continue }
        try await database.write { [work, pending] tx in
          // Not when another one has taken the place of this job, which begins at the first card.
          guard try job.complete(in: tx) else { return }
          try pending.add(work, person: work.user, in: tx)
        }
        return .done
      }
      return .done
    }

    /// Cards with deferred reviews, else the next that were scheduled with other settings; `nil` when all are up to date.
    private func next(_ work: inout Work) async throws -> Batch? {
      let (batch, restarts) = try await database.read { [work, records] db -> (Batch, Bool) in
        let settings = try SchedulerSettings.of(work.user, records, in: db)
        let deferred = try DeferredReviewStore.list(of: work.user, limit: Rescheduling.batchSize, in: db)
        if !deferred.isEmpty {
          let states = try CardStateStore.find(Array(deferred.keys), of: work.user, in: db)
          return (Batch(settings: settings, states: Array(states.values), deferred: deferred), false)
        }
        func outdated(after card: CardID?) throws -> [StoredCardState] {
          try CardStateStore.outdated(
            settings.fingerprint, of: work.user, after: card, limit: Rescheduling.batchSize, in: db)
        }
        var restarts = work.scheduler != nil && work.scheduler != settings.fingerprint
        var states = try outdated(after: restarts ? nil : work.after)
        if states.isEmpty, work.after != nil, !restarts {
          // Cards that were reviewed while they were replayed.
          (states, restarts) = (try outdated(after: nil), true)
        }
        return (Batch(settings: settings, states: states, deferred: [:], last: states.last?.card), restarts)
      }
      if restarts { (work.after, work.scheduler) = (nil, nil) }
      return batch.states.isEmpty ? nil : batch
    }

    private struct Replayed: Sendable {
      var state: StoredCardState
      var tallies: ReviewTallies
    }

    private func replay(_ batch: Batch, of user: UserID, reading rest: inout Int) async throws -> [Replayed] {
      var replayed: [Replayed] = []
      // Short logs are read together, long ones alone and in pages.
      func isShort(_ state: StoredCardState) -> Bool {
        state.memory.reps + (batch.deferred[state.card]?.count ?? 0) <= Rescheduling.maxShort
      }
      let short = batch.states.filter(isShort)
      let logs = try await database.read { db in try ReviewLog.reviews(of: short.map(\.card), of: user, in: db) }
      for state in short {
        var fold = Fold(state, batch.settings, batch.deferred[state.card] ?? [])
        let log = logs[state.card] ?? []
        fold.add(log)
        rest -= log.count
        if let result = fold.result { replayed.append(result) }
      }
      for state in batch.states where !isShort(state) {
        var fold = Fold(state, batch.settings, batch.deferred[state.card] ?? [])
        var last: LoggedReview?
        repeat {
          let page = try await database.read { [last] db in
            try ReviewLog.reviews(of: state.card, of: user, after: last, limit: Rescheduling.pageSize, in: db)
          }
          fold.add(page)
          rest -= page.count
          last = page.count == Rescheduling.pageSize ? page.last : nil
        } while last != nil
        if let result = fold.result { replayed.append(result) }
      }
      return replayed
    }

    /// Counts a card's reviews one after the other.
    private struct Fold {
      private let state: StoredCardState
      private let settings: SchedulerSettings
      private let deferred: Set<String>
      private var memory: CardMemory
      private var tallies = ReviewTallies()
      private var last: LoggedReview?
      /// The time of the last review that was counted before.
      private var lastCounted: Int64?

      init(_ state: StoredCardState, _ settings: SchedulerSettings, _ deferred: Set<String>) {
        (self.state, self.settings, self.deferred) = (state, settings, deferred)
        memory = CardMemory(cardID: state.card.rawValue)
      }

      mutating func add(_ reviews: [LoggedReview]) {
        for review in reviews {
          if !deferred.isEmpty {
            tallies.add(review, after: memory.lastReview)
            if !deferred.contains(review.review.id) {
              tallies.add(review, after: lastCounted, isRemoved: true)
              lastCounted = review.review.reviewedAt
            }
          }
          memory = settings.scheduler.review(memory, rating: review.review.rating, at: review.review.reviewedAt)
          last = review
        }
      }

      var result: Replayed? {
        guard let last else { return nil }
        return Replayed(
          state: StoredCardState(
            card: state.card, set: last.set, storedSet: state.storedSet, memory: memory, lastID: last.review.id,
            scheduler: settings.fingerprint, revision: state.revision + 1),
          tallies: tallies)
      }
    }

    /// - Returns: How many cards were not reviewed meanwhile.
    private static func store(_ replayed: [Replayed], _ batch: Batch, of user: UserID, in tx: Transaction) throws -> Int
    {
      let current = try CardStateStore.find(replayed.map(\.state.card), of: user, in: tx)
      let unchanged = replayed.filter { current[$0.state.card]?.revision == $0.state.revision - 1 }
      try CardStateStore.put(unchanged.map(\.state), of: user, in: tx)
      let cards = unchanged.map(\.state.card).filter { batch.deferred[$0] != nil }
      try DeferredReviewStore.delete(of: cards, of: user, in: tx)
      var totals = StudyTotals()
      for card in unchanged { totals.add(card.tallies) }
      totals = totals.keeping(try VisibleSets.known(totals.named, to: user, in: tx))
      try StudyDayStore.add(totals, of: user, in: tx)
      return unchanged.count
    }
  }
}
