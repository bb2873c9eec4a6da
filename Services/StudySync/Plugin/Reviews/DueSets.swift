import Contracts
import Persistence
import StudyModel
import SyncMerge

/// How many cards of each set are due for a user.
struct DueSets {
  private var totals: [StudySetID: DueCounts.Counts] = [:]
  /// In the order of the memberships.
  private let sets: [StudySetID]
  private let newCards: Int

  /// - Parameter memberships: In ``VisibleSets``.
  init(
    _ memberships: [Membership], of user: UserID, _ today: LocalToday, _ settings: SchedulerSettings,
    in db: any Connection
  ) throws {
    let spaces = memberships.map(\.space)
    sets = spaces.map { StudySetID(trusted: $0.id.rawValue) }
    let learned = try StudyDayStore.newCards(of: user, on: Int64(today.day.number), in: db)
    newCards = max(settings.newCardsPerDay - learned, 0)
    let counts = try CardStateStore.counts(of: user, in: sets, at: today.now, until: today.end, db)
    for (set, space) in zip(sets, spaces) {
      let due = counts[set] ?? CardStateStore.DueTotals()
      let unseen = max(space.checksums[.cards].count - due.reviewed, 0)
      totals[set] = DueCounts.Counts(
        learning: due.learning, review: due.review, new: min(unseen, newCards), laterToday: due.laterToday)
    }
  }

  func counts(of set: StudySetID) -> DueCounts.Counts { totals[set] ?? DueCounts.Counts() }

  var total: DueCounts.Counts {
    var sum = DueCounts.Counts()
    for counts in totals.values {
      sum.learning += counts.learning
      sum.review += counts.review
      sum.new += counts.new
      sum.laterToday += counts.laterToday
    }
    sum.new = min(sum.new, newCards)
    return sum
  }

  var all: DueCounts {
    let due = sets.filter { counts(of: $0) != DueCounts.Counts() }
    return DueCounts(total: total, sets: due.map { DueCounts.OfSet(set: $0, counts: counts(of: $0)) })
  }
}
