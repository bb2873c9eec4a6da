import TestKit
import Testing

@testable import StudyModel

struct StreakTests {
  private static let today = StudyDay(number: 20_000)

  private static func streak(_ daysAgo: [Int], excused: [Int] = []) -> Streak {
    Streak(
      days: daysAgo.map { today.advanced(by: -$0) }, excused: Set(excused.map { today.advanced(by: -$0) }), today: today
    )
  }

  private static let rows: [([Int], Int, Int)] = [
    ([], 0, 0), ([0], 1, 1), ([1], 1, 1), ([2], 0, 1), ([0, 1, 2], 3, 3), ([1, 2, 3], 3, 3), ([0, 2, 3, 4], 1, 3),
    ([2, 3, 4], 0, 3), ([0, 0, 1, 1], 2, 2),
  ]

  @Test(arguments: rows)
  func countsDaysInARow(daysAgo: [Int], current: Int, longest: Int) {
    let streak = Self.streak(daysAgo.reversed())
    #expect(streak.current == current)
    #expect(streak.longest == longest)
    #expect(streak.includesToday == daysAgo.contains(0))
  }

  @Test func clockOfTheFutureDoesNotCount() {
    #expect(Self.streak([0, 1, -400, -401, -402]).longest == 2)
    #expect(Self.streak([0, 1, -400]).current == 2)
  }

  @Test func studyOnTheDayAfterAFlightWestCounts() {
    // Studied on Tuesday in Auckland; now it is Monday in Los Angeles.
    #expect(Self.streak([-1, 0, 1]).current == 3)
    #expect(Self.streak([-1, 0, 1]).longest == 3)
  }

  @Test func excusedDaysConnect() {
    #expect(Self.streak([0, 2, 3], excused: [1]).current == 3)
    #expect(Self.streak([2, 3], excused: [1]).current == 2)
    #expect(Self.streak([0, 3, 4], excused: [1]).current == 1)
  }

  private static func session(_ id: Int, at time: Int64, _ offset: Int) -> StudySession {
    StudySession(
      id: "\(id)", activity: "cards", startedAt: time, utcOffsetMinutes: offset,
      day: StudyDay(at: time, utcOffsetMinutes: offset), milliseconds: 60_000)
  }

  /// Studies every 20 to 23 hours while traveling; a study's local day never changes afterwards.
  @Test func travelNeverBreaksAStreak() {
    var random = SeededGenerator()
    for _ in 0..<500 {
      var calendar = StudyCalendar()
      var time = newYear
      var offset = 0
      for index in 0..<60 {
        if Int.random(in: 0..<5, using: &random) == 0 { offset = .random(in: -11...13, using: &random) * 60 }
        calendar.add(Self.session(index, at: time, offset))
        let streak = calendar.streak(at: time, utcOffsetMinutes: offset)
        #expect(streak.current == calendar.days.count, "\(random)")
        time += .random(in: 20...23, using: &random) * 3_600_000
      }
    }
  }

  @Test func flightEastExcusesTheDayItTook() {
    // Monday 20:00 in Los Angeles, then Wednesday 09:00 in Auckland, 16 hours later.
    let monday = newYear + 5 * day + 4 * 3_600_000
    let arrival = monday + 16 * 3_600_000
    var calendar = StudyCalendar([Self.session(1, at: monday, -480)])
    let studied = StudyDay(at: monday, utcOffsetMinutes: -480)
    #expect(StudyDay(at: arrival, utcOffsetMinutes: 780) == studied.advanced(by: 2))
    #expect(calendar.streak(at: arrival, utcOffsetMinutes: 780).current == 1)
    #expect(calendar.streak(at: arrival + day, utcOffsetMinutes: 780).current == 0)
    calendar.add(Self.session(2, at: arrival, 780))
    #expect(calendar.streak(at: arrival, utcOffsetMinutes: 780).current == 2)
  }

  @Test func missedDayIsNotExcusedByTravel() {
    // Two days without study, of which the flight took only hours.
    let calendar = StudyCalendar([Self.session(1, at: newYear, -480), Self.session(2, at: newYear + 2 * day, 780)])
    #expect(calendar.streak(at: newYear + 2 * day, utcOffsetMinutes: 780).current == 1)
  }

  @Test func summerTimeNeitherBreaksNorExcuses() {
    // Berlin, 28 to 30 March 2026, at 23:30 local time each day; the clock goes forward on the 29th.
    let evening = newYear + 86 * day + (23 * 60 + 30 - 60) * 60_000
    let sessions = [
      Self.session(1, at: evening, 60), Self.session(2, at: evening + day - 3_600_000, 120),
      Self.session(3, at: evening + 2 * day - 3_600_000, 120),
    ]
    #expect(sessions.map(\.day.description) == ["2026-03-28", "2026-03-29", "2026-03-30"])
    let now = sessions[2].startedAt
    #expect(StudyCalendar(sessions).streak(at: now, utcOffsetMinutes: 120).current == 3)
    #expect(StudyCalendar([sessions[0], sessions[2]]).streak(at: now, utcOffsetMinutes: 120).current == 1)
  }
}
