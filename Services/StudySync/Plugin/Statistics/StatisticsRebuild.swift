import Contracts
import Persistence
import StudyModel

/// Makes a user's statistics anew from the log, should they ever differ from it. Reads outside the writer; begins again
/// when the user has studied meanwhile.
enum StatisticsRebuild {
  private static let pageSize = 5000
  private static let maxAttempts = 10

  static func run(for user: UserID, _ core: StudyCore) async throws {
    for _ in 0..<maxAttempts {
      let (totals, last) = try await totals(of: user, core)
      let isDone = try await core.database.write { tx in
        guard try lastSequence(of: user, in: tx) == last else { return false }
        let totals = totals.keeping(try VisibleSets.known(totals.named, to: user, in: tx))
        try StudyDayStore.delete(of: user, in: tx)
        try SetActivityStore.delete(of: user, in: tx)
        try StudyDayStore.add(totals, of: user, in: tx)
        try SetActivityStore.add(totals, of: user, in: tx)
        return true
      }
      if isDone { return }
    }
    throw Problem(.overloaded, retryAfter: 60)
  }

  /// The totals, and the number of the last entry in them.
  private static func totals(of user: UserID, _ core: StudyCore) async throws -> (StudyTotals, Int64) {
    let first = try await core.database.read { db in try lastSequence(of: user, in: db) }
    var (totals, sequence) = (StudyTotals(), Int64(0))
    while true {
      let (page, after) = (pageSize, sequence)
      let entries = try await core.database.read { db in
        try LogStore.changes(of: user, after: after, limit: page, in: db)
      }
      for stored in entries {
        // Only quizzes have something in their details that counts.
        totals.add(stored.entry.collection == .quizResults ? try core.log.open(stored) : stored.entry)
        sequence = stored.sequence
      }
      if entries.count < pageSize { break }
    }
    totals.add(try await tallies(of: user, core))
    return (totals, sequence == first ? first : -1)
  }

  private static func tallies(of user: UserID, _ core: StudyCore) async throws -> ReviewTallies {
    let deferred = try await core.database.read { db in try DeferredReviewStore.ids(of: user, in: db) }
    var (tallies, last, counted): (ReviewTallies, LoggedReview?, LoggedReview?) = (ReviewTallies(), nil, nil)
    repeat {
      let page = try await core.database.read { [last] db in
        try ReviewLog.reviews(of: user, after: last, limit: pageSize, in: db)
      }
      // Those that are counted later are added then.
      for review in page where !deferred.contains(review.review.id) {
        tallies.add(review, after: counted?.card == review.card ? counted?.review.reviewedAt : nil)
        counted = review
      }
      last = page.count == pageSize ? page.last : nil
    } while last != nil
    return tallies
  }

  private static func lastSequence(of user: UserID, in db: any Connection) throws -> Int64 {
    try db.value("SELECT sequence FROM study_log WHERE user_id = \(user) ORDER BY sequence DESC LIMIT 1") ?? 0
  }
}
