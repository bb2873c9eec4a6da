import Contracts
import Persistence
import StudyModel

/// Counts new reviews in a transaction: reviews that are later than all of their card's advance its state, others make
/// the card's log be replayed. Replaying reads a bounded number of reviews; what exceeds it is deferred to
/// ``Rescheduling``, because the only writer must not wait.
struct ScheduleUpdate {
  /// How many reviews a transaction may read.
  static let maxReplayed = 5000

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
        card: last.card, set: last.set, memory: memory, lastID: last.review.id,
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
    var rest = Self.maxReplayed
    var replayed: [(state: StoredCardState, reviews: [LoggedReview])] = []
    for card in cards.sorted(by: { $0.state.memory.reps < $1.state.memory.reps }) {
      rest -= card.state.memory.reps + card.reviews.count
      if rest >= 0 {
        replayed.append(card)
      } else if card.state.precedes(card.reviews[0].review) {
        // Only the settings have changed since: the whole log is replayed with them soon.
        advance(card.state, card.reviews)
      } else {
        postpone(card.state, card.reviews)
      }
    }
    let logs = try ReviewLog.reviews(of: replayed.map(\.state.card), of: user, in: db)
    for (state, new) in replayed {
      let log = (logs[state.card] ?? []).sorted(by: LoggedReview.precedes)
      guard let last = log.last else { continue }
      let ids = Set(new.map(\.review.id))
      tallies.add(log.filter { !ids.contains($0.review.id) }, isRemoved: true)
      tallies.add(log)
      states.append(
        StoredCardState(
          card: state.card, set: last.set,
          memory: settings.scheduler.replay(log.map(\.review), cardID: state.card.rawValue), lastID: last.review.id,
          scheduler: settings.fingerprint, revision: state.revision + 1))
    }
  }
}
