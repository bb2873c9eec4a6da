import Contracts
import Persistence
import StudyModel

/// Counts new reviews in a transaction: reviews that are later than all of their card's advance its state, others make
/// the card's reviews be counted anew. They are found by reading the user's log; in a long one, that is left to
/// ``Rescheduling``, because the only writer must not wait.
struct ScheduleUpdate {
  /// Entries of a log that a transaction may read.
  static let maxRead = 10_000

  private(set) var states: [StoredCardState] = []
  private(set) var tallies = ReviewTallies()
  /// Reviews that are not counted yet.
  private(set) var deferred: [LoggedReview] = []
  private let settings: SchedulerSettings

  init(_ reviews: [LoggedReview], of user: UserID, _ settings: SchedulerSettings, in db: any Connection) throws {
    self.settings = settings
    let byCard = Dictionary(grouping: reviews, by: \.card).mapValues { $0.sorted(by: LoggedReview.precedes) }
    let known = try CardStateStore.find(Array(byCard.keys), of: user, in: db)
    var late: [(state: StoredCardState, reviews: [LoggedReview])] = []
    for (card, reviews) in byCard {
      guard let state = known[card] else {
        advance(nil, reviews)
        continue
      }
      if state.isDeferred {
        postpone(state, reviews)
      } else if state.scheduler == settings.fingerprint, state.precedes(reviews[0].review) {
        advance(state, reviews)
      } else {
        late.append((state, reviews))
      }
    }
    try replay(late, of: user, in: db)
  }

  /// - Parameter state: `nil` for a new card.
  private mutating func advance(_ state: StoredCardState?, _ reviews: [LoggedReview]) {
    guard let last = reviews.last else { return }
    var memory = state?.memory ?? CardMemory(cardID: last.card.rawValue)
    tallies.add(reviews, after: memory.lastReview)
    for review in reviews {
      memory = settings.scheduler.review(memory, rating: review.review.rating, at: review.review.reviewedAt)
    }
    states.append(
      StoredCardState(
        card: last.card, set: last.set, storedSet: state?.storedSet, memory: memory, lastID: last.review.id,
        scheduler: state?.scheduler ?? settings.fingerprint, revision: (state?.revision ?? 0) + 1))
  }

  private mutating func postpone(_ state: StoredCardState, _ reviews: [LoggedReview]) {
    var state = state
    (state.scheduler, state.revision) = (0, state.revision + 1)
    states.append(state)
    deferred += reviews
  }

  private mutating func replay(
    _ cards: [(state: StoredCardState, reviews: [LoggedReview])], of user: UserID, in db: any Connection
  ) throws {
    guard !cards.isEmpty else { return }
    guard try LogStore.lastNumber(of: user, in: db) <= Self.maxRead else {
      for (state, reviews) in cards {
        // The settings of a card whose review is not late have changed: all of its reviews are counted with them soon.
        if state.precedes(reviews[0].review) { advance(state, reviews) } else { postpone(state, reviews) }
      }
      return
    }
    let logs = try ReviewLog.reviews(of: cards.map(\.state.card), of: user, in: db)
    for (state, new) in cards {
      let log = (logs[state.card] ?? []).sorted(by: LoggedReview.precedes)
      guard let last = log.last else { continue }
      let ids = Set(new.map(\.review.id))
      tallies.add(log.filter { !ids.contains($0.review.id) }, isRemoved: true)
      tallies.add(log)
      states.append(
        StoredCardState(
          card: state.card, set: last.set, storedSet: state.storedSet,
          memory: settings.scheduler.replay(log.map(\.review), cardID: state.card.rawValue), lastID: last.review.id,
          scheduler: settings.fingerprint, revision: state.revision + 1))
    }
  }
}
