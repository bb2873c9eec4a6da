import Contracts
import Persistence
import ServiceKit
import StudyModel
import SyncMerge

/// The study statistics of users, read from totals that are kept with the log.
struct Statistics: Feature {
  private static let forecastDays = 30

  private let core: StudyCore

  init(_ core: StudyCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.GetStudyStatistics.self, statistics)
    routes.on(StudyAPI.GetStudyCalendar.self, calendar)
  }

  var records: RecordStore { core.records }

  /// Makes a user's statistics anew from the log.
  func rebuild(for user: UserID) async throws { try await StatisticsRebuild.run(for: user, core) }

  private struct Found: Sendable {
    var settings: SchedulerSettings
    var today: LocalToday
    var range: StudyDayRange
    var days: [StudyDayStore.Day]
    var sets: [StudySetID]
    var progress: [StudySetID: SetProgress]
    var memories: [CardMemory]
    var cards: Int
  }

  private func statistics(_ request: StudyAPI.GetStudyStatistics, _ call: Call) async throws -> StudyStatistics {
    let (caller, user, now) = (try call.user, try call.user.id, core.time.now())
    let found = try await core.database.read { [core] db in
      let settings = try SchedulerSettings.of(user, core.records, in: db)
      let today = try LocalToday(request.utcOffsetMinutes, of: user, settings, at: now, in: db)
      let range = try StudyDayRange(from: request.from, to: request.to, today: today.day)
      try range.require(for: caller, core.restricted, today: today.day)
      let visible = try VisibleSets.list(of: user, in: db).map(\.space)
      let spaces = visible.filter { request.set == nil || $0.id == request.set?.space }
      if request.set != nil, spaces.isEmpty { throw Problem(.notFound) }
      let sets = spaces.map { StudySetID(trusted: $0.id.rawValue) }
      return Found(
        settings: settings, today: today, range: range,
        days: try StudyDayStore.list(
          of: user, from: range.numbers.lowerBound, through: range.numbers.upperBound, set: request.set, in: db),
        sets: sets, progress: try SetProgress.of([user], in: sets, core.records, at: now, db)[user] ?? [:],
        memories: try CardStateStore.list(of: [user], in: sets, db).map(\.state.memory),
        cards: spaces.reduce(0) { $0 + $1.checksums[.cards].count })
    }
    return Self.response(found, at: now)
  }

  private static func response(_ found: Found, at now: Timestamp) -> StudyStatistics {
    var (functions, young, mature): ([StudyFunction: StudyStatistics.OfFunction], AnswerScore, AnswerScore) =
      ([:], AnswerScore(), AnswerScore())
    for row in found.days {
      var total =
        functions[row.function]
        ?? .init(function: row.function, milliseconds: 0, count: 0, score: AnswerScore())
      total.milliseconds += row.total.milliseconds
      total.count += row.total.entries
      total.score += AnswerScore(answers: row.total.answers, correct: row.total.correct)
      functions[row.function] = total
      young += AnswerScore(answers: row.total.reviews.young, correct: row.total.reviews.youngRecalled)
      mature += AnswerScore(answers: row.total.reviews.mature, correct: row.total.reviews.matureRecalled)
    }
    let forecast = DueForecast(
      due: found.memories.map(\.due), days: forecastDays, at: now.milliseconds,
      utcOffsetMinutes: found.today.utcOffsetMinutes, rolloverHour: found.today.rolloverHour)
    let ofFunctions = StudyFunction.allCases.compactMap { functions[$0] }
    return StudyStatistics(
      from: found.range.from, to: found.range.to, milliseconds: ofFunctions.reduce(0) { $0 + $1.milliseconds },
      functions: ofFunctions, days: StudyDayTotals.list(found.days), young: young, mature: mature,
      forecast: forecast.counts,
      mastery: CardMastery(found.memories, cards: found.cards, found.settings.scheduler, at: now),
      sets: sets(found))
  }

  private static func sets(_ found: Found) -> [StudyStatistics.OfSet] {
    let studied = found.sets.compactMap { set in found.progress[set].map { (set: set, progress: $0) } }
    let sorted = studied.sorted { one, other in
      let times = (one.progress.lastStudiedAt?.microseconds ?? .min, other.progress.lastStudiedAt?.microseconds ?? .min)
      return times.0 != times.1 ? times.0 > times.1 : one.set.rawValue < other.set.rawValue
    }
    return sorted.map { set, progress in
      StudyStatistics.OfSet(
        set: set, milliseconds: progress.milliseconds, reviews: progress.reviews,
        lastStudiedAt: progress.lastStudiedAt, quizzes: progress.quizzes, mastery: progress.mastery)
    }
  }

  private func calendar(_ request: StudyAPI.GetStudyCalendar, _ call: Call) async throws -> StudyCalendarPage {
    let (caller, user, now) = (try call.user, try call.user.id, core.time.now())
    return try await core.database.read { [core] db in
      let settings = try SchedulerSettings.of(user, core.records, in: db)
      let today = try LocalToday(request.utcOffsetMinutes, of: user, settings, at: now, in: db)
      let range = try StudyDayRange(from: request.from, to: request.to, today: today.day)
      try range.require(for: caller, core.restricted, today: today.day)
      let days = try StudyDayStore.list(
        of: user, from: range.numbers.lowerBound, through: range.numbers.upperBound, in: db)
      return StudyCalendarPage(
        from: range.from, to: range.to, today: CalendarDate(today.day) ?? CalendarDate(now),
        days: StudyDayTotals.list(days), streak: try StudyStreak.of(user, today, in: db))
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let days = try StudyDayStore.list(of: user, from: .min, through: .max, in: db)
    return [("studyDays", try JSONValue(StudyDayTotals.list(days)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try StudyDayStore.delete(of: user, in: tx)
    try SetActivityStore.delete(of: user, in: tx)
  }
}
