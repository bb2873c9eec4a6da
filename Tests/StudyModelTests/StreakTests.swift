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

  @Test(arguments: [
    ([], 0, 0), ([0], 1, 1), ([1], 1, 1), ([2], 0, 1), ([0, 1, 2], 3, 3), ([1, 2, 3], 3, 3), ([0, 2, 3, 4], 1, 3),
    ([2, 3, 4], 0, 3), ([0, 0, 1, 1], 2, 2),
  ])
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

  /// Studies every 20 to 23 hours while travelling; a study's local day never changes afterwards.
  @Test func travelNeverBreaksAStreak() {
    var random = SeededGenerator()
    for _ in 0..<500 {
      var calendar = StudyCalendar()
      var time = newYear
      var offset = 0
      var last = StudyDay(at: time, utcOffsetMinutes: offset)
      for index in 0..<60 {
        if Int.random(in: 0..<5, using: &random) == 0 { offset = .random(in: -11...13, using: &random) * 60 }
        let studied = StudyDay(at: time, utcOffsetMinutes: offset)
        calendar.add(
          StudySession(
            id: "\(index)", activity: "cards", day: studied, utcOffsetMinutes: offset, milliseconds: 60_000))
        last = studied
        time += .random(in: 20...23, using: &random) * 3_600_000
      }
      let streak = calendar.streak(today: last, utcOffsetMinutes: offset)
      #expect(streak.current == calendar.days.keys.count { $0 <= last.advanced(by: 1) }, "\(random)")
    }
  }

  @Test func flightEastExcusesTheDayItTook() {
    // Monday 20:00 in Los Angeles, then Wednesday 09:00 in Auckland, 16 hours later.
    let monday = newYear + 5 * day + 4 * 3_600_000
    let arrival = monday + 16 * 3_600_000
    let studied = StudyDay(at: monday, utcOffsetMinutes: -480)
    let wednesday = StudyDay(at: arrival, utcOffsetMinutes: 780)
    #expect(wednesday == studied.advanced(by: 2))
    var calendar = StudyCalendar([
      StudySession(id: "1", activity: "cards", day: studied, utcOffsetMinutes: -480, milliseconds: 1)
    ])
    #expect(calendar.streak(today: wednesday, utcOffsetMinutes: 780).current == 1)
    #expect(calendar.streak(today: wednesday, utcOffsetMinutes: -480).current == 0)
    calendar.add(StudySession(id: "2", activity: "cards", day: wednesday, utcOffsetMinutes: 780, milliseconds: 1))
    #expect(calendar.streak(today: wednesday, utcOffsetMinutes: 780).current == 2)
  }

  @Test func summerTimeNeitherBreaksNorExcuses() {
    // Berlin, 28 to 30 March 2026, at 23:30 local time each day; the clock goes forward on the 29th.
    let evening = newYear + 86 * day + (23 * 60 + 30 - 60) * 60_000
    let times = [(evening, 60), (evening + day - 3_600_000, 120), (evening + 2 * day - 3_600_000, 120)]
    let days = times.map { StudyDay(at: $0.0, utcOffsetMinutes: $0.1) }
    #expect(days.map(\.description) == ["2026-03-28", "2026-03-29", "2026-03-30"])
    #expect(Streak(days: days, today: days[2]).current == 3)
    let calendar = StudyCalendar(
      [0, 2].map {
        StudySession(
          id: "\($0)", activity: "cards", day: days[$0], utcOffsetMinutes: times[$0].1, milliseconds: 1)
      })
    #expect(calendar.streak(today: days[2], utcOffsetMinutes: 120).current == 1)
  }
}
