import Contracts
import Persistence
import PlatformRules
import ServiceKit
import StudyModel

/// The days that a request is about.
struct StudyDayRange: Sendable {
  let first: StudyDay
  let last: StudyDay
  let from: CalendarDate
  let to: CalendarDate

  private static let defaultDays = 30
  private static let maxDays = 3660

  /// - Throws: ``Problem`` 422 for a range that is empty or too long.
  init(from: CalendarDate?, to: CalendarDate?, today: StudyDay) throws {
    last = to?.studyDay ?? today
    first = from?.studyDay ?? last.advanced(by: 1 - Self.defaultDays)
    guard first <= last, first.distance(to: last) <= Self.maxDays, let from = CalendarDate(first),
      let to = CalendarDate(last)
    else {
      let message = "must be a day from `from` to \(Self.maxDays) days after it"
      throw Problem(.invalidRequest, errors: [.init(location: "query.to", message: message)])
    }
    (self.from, self.to) = (from, to)
  }

  /// - Throws: ``Problem`` when the days are of a time that the caller's plan does not include.
  func require(for caller: UserCaller, _ restricted: RestrictedFeatures, today: StudyDay) throws(Problem) {
    guard first.distance(to: today) >= PlanFeatures.freeDays else { return }
    try restricted.require(PlanFeatures.history, of: caller)
  }

  var numbers: ClosedRange<Int64> { Int64(first.number)...Int64(last.number) }
}

extension StudyDayTotals {
  /// Days with study, in order.
  static func list(_ rows: [StudyDayStore.Day]) -> [StudyDayTotals] {
    var days: [StudyDayTotals] = []
    for row in rows {
      guard let date = CalendarDate(StudyDay(number: Int(row.day))) else { continue }
      if days.last?.date != date { days.append(StudyDayTotals(date: date, milliseconds: 0)) }
      days[days.count - 1].add(row)
    }
    return days
  }

  private mutating func add(_ row: StudyDayStore.Day) {
    milliseconds += row.total.milliseconds
    newCards += row.total.reviews.newCards
    // Sessions of a function have no answers.
    let score = AnswerScore(answers: row.total.answers, correct: row.total.correct)
    switch row.function {
    case .review: reviews += score
    case .quiz: quizzes += score
    case .cards, .course: break
    }
  }
}

extension AnswerScore {
  static func += (left: inout Self, right: Self) {
    left.answers += right.answers
    left.correct += right.correct
  }
}

extension StudyStreak {
  static func of(_ user: UserID, _ today: LocalToday, in db: any Connection) throws -> StudyStreak {
    // The first and the last entry of a day are all that the streak needs.
    let sessions = try StudyDayStore.bounds(of: user, in: db).flatMap { day, total in
      [("first", total.firstAt), ("last", total.lastAt)].map { name, at in
        StudySession(
          id: "\(day) \(name)", activity: "", startedAt: at.milliseconds, utcOffsetMinutes: total.lastOffset,
          day: StudyDay(number: Int(day)), milliseconds: 0)
      }
    }
    let streak = StudyCalendar(sessions).streak(
      at: today.now.milliseconds, utcOffsetMinutes: today.utcOffsetMinutes, rolloverHour: today.rolloverHour)
    return StudyStreak(current: streak.current, longest: streak.longest, includesToday: streak.includesToday)
  }
}
