import Contracts
import Persistence
import StudyModel
import SyncMerge

/// How a user gets on with a set.
struct SetProgress: Sendable {
  var mastery = CardMastery()
  /// Answers in quizzes.
  var quizzes = AnswerScore()
  var milliseconds: Int64 = 0
  var reviews = 0
  var lastStudiedAt: Timestamp?

  /// The progress of users with sets, in a fixed number of queries; it reads every card that the users have reviewed. A
  /// user whom the result does not contain has studied none of the sets. It is not checked whether users see the sets.
  static func of(
    _ users: [UserID], in sets: [StudySetID], _ records: RecordStore, at now: Timestamp, _ db: any Connection
  )
    throws -> [UserID: [StudySetID: SetProgress]]
  {
    let schedulers = try schedulers(of: users, records, in: db)
    let cards = try cardCounts(of: sets, in: db)
    let states = try CardStateStore.list(of: users, in: sets, db)
    var progress: [UserID: [StudySetID: SetProgress]] = [:]
    for (user, ofUser) in Dictionary(grouping: states, by: \.user) {
      let scheduler = schedulers[user] ?? Scheduler(weights: .default)
      for (set, ofSet) in Dictionary(grouping: ofUser, by: \.state.set) {
        progress[user, default: [:]][set, default: SetProgress()].mastery = CardMastery(
          ofSet.map(\.state.memory), cards: cards[set] ?? 0, scheduler, at: now)
      }
    }
    for (user, set, score) in try StudyDayStore.scores(of: users, in: sets, .quiz, db) {
      progress[user, default: [:]][set, default: unseen(cards[set])].quizzes = score
    }
    for (user, set, total) in try SetActivityStore.list(of: users, in: sets, db) {
      var ofSet = progress[user]?[set] ?? unseen(cards[set])
      (ofSet.milliseconds, ofSet.reviews, ofSet.lastStudiedAt) = (total.milliseconds, total.reviews, total.lastAt)
      progress[user, default: [:]][set] = ofSet
    }
    return progress
  }

  private static func unseen(_ cards: Int?) -> Self { SetProgress(mastery: CardMastery(new: cards ?? 0)) }

  private static func schedulers(of users: [UserID], _ records: RecordStore, in db: any Connection) throws
    -> [UserID: Scheduler]
  {
    let stored = try RecordStore.find(users.map(\.settingsRecord), in: db)
    let settings = try stored.filter { $0.deletedAt == nil }.map { record in
      (UserID(trusted: record.id.wire), SchedulerSettings(try records.open(record)).scheduler)
    }
    return Dictionary(settings) { first, _ in first }
  }

  static func cardCounts(of sets: [StudySetID], in db: any Connection) throws -> [StudySetID: Int] {
    guard !sets.isEmpty else { return [:] }
    let rows = try db.all("SELECT id, checksums FROM spaces WHERE id IN \(list: sets)") { row in
      let id: StudySetID = try row["id"]
      let checksums: SpaceChecksums = try row[json: "checksums"]
      return (id, checksums[.cards].count)
    }
    return Dictionary(rows) { first, _ in first }
  }
}

extension CardMastery {
  /// - Parameters:
  ///   - memories: Of the cards that were reviewed.
  ///   - cards: All cards; those that were not reviewed are new.
  init(_ memories: [CardMemory], cards: Int, _ scheduler: Scheduler, at now: Timestamp) {
    let mastery = Mastery(memories, scheduler: scheduler, at: now.milliseconds)
    let all = max(cards, memories.count)
    self.init(
      value: all == 0 ? 0 : mastery.value * Double(memories.count) / Double(all),
      new: all - memories.count + (mastery.counts[.new] ?? 0), learning: mastery.counts[.learning] ?? 0,
      young: mastery.counts[.young] ?? 0, mature: mastery.counts[.mature] ?? 0)
  }
}
