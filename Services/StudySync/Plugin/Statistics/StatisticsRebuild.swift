import Contracts
import Persistence
import StudyModel

/// Makes a user's statistics anew from the log, should they ever differ from it. Reads outside the writer; begins again
/// when the user has studied meanwhile.
enum StatisticsRebuild {
  private static let pageSize = 5000
  /// Reviews in the order of their cards; each page of them reads the whole log.
  private static let reviewPageSize = 50_000
  private static let maxAttempts = 10

  static func run(for user: UserID, _ core: StudyCore) async throws {
    for _ in 0..<maxAttempts {
      let reading = try await read(user, core)
      if try await core.database.write({ tx in try store(reading, of: user, in: tx) }) { return }
    }
    throw Problem(.overloaded, retryAfter: 60)
  }

  struct Reading: Sendable {
    var totals: StudyTotals
    /// The number of the last entry in them.
    var last: Int64
    /// The reviews that are not in the totals, because they are counted later.
    var deferred: Set<String>
  }

  /// - Returns: `false` when the log has grown, or other reviews have been counted, since it was read.
  static func store(_ reading: Reading, of user: UserID, in tx: Transaction) throws -> Bool {
    guard try LogStore.lastNumber(of: user, in: tx) == reading.last,
      try DeferredReviewStore.ids(of: user, in: tx) == reading.deferred
    else { return false }
    let totals = reading.totals.keeping(try VisibleSets.known(reading.totals.named, to: user, in: tx))
    try StudyDayStore.delete(of: user, in: tx)
    try SetActivityStore.delete(of: user, in: tx)
    try StudyDayStore.add(totals, of: user, in: tx)
    try SetActivityStore.add(totals, of: user, in: tx)
    return true
  }

  static func read(_ user: UserID, _ core: StudyCore) async throws -> Reading {
    let first = try await core.database.read { db in try LogStore.lastNumber(of: user, in: db) }
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
    let deferred = try await core.database.read { db in try DeferredReviewStore.ids(of: user, in: db) }
    totals.add(try await tallies(of: user, except: deferred, core))
    return Reading(totals: totals, last: sequence == first ? first : -1, deferred: deferred)
  }

  private static func tallies(of user: UserID, except deferred: Set<String>, _ core: StudyCore) async throws
    -> ReviewTallies
  {
    var (tallies, last, counted): (ReviewTallies, LoggedReview?, LoggedReview?) = (ReviewTallies(), nil, nil)
    repeat {
      let page = try await core.database.read { [last] db in
        try ReviewLog.reviews(of: user, after: last, limit: reviewPageSize, in: db)
      }
      // Deferred reviews are added when they are counted.
      for review in page where !deferred.contains(review.review.id) {
        tallies.add(review, after: counted?.card == review.card ? counted?.review.reviewedAt : nil)
        counted = review
      }
      last = page.count == reviewPageSize ? page.last : nil
    } while last != nil
    return tallies
  }
}
