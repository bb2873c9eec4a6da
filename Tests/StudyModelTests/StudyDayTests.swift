import Foundation
import TestKit
import Testing

@testable import StudyModel

struct StudyDayTests {
  @Test func calendarIsThatOfFoundation() throws {
    var random = SeededGenerator()
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for _ in 0..<1000 {
      let day = StudyDay(number: .random(in: -20_000...60_000, using: &random))
      let parts = calendar.dateComponents(
        [.year, .month, .day, .weekday], from: Date(timeIntervalSince1970: Double(day.number) * 86_400))
      let (year, month, date) = day.calendar
      #expect([year, month, date] == [parts.year, parts.month, parts.day], "\(random)")
      #expect(day.weekday % 7 + 1 == parts.weekday, "\(random)")
      #expect(StudyDay(year: year, month: month, day: date) == day, "\(random)")
    }
  }

  @Test func daysThatDoNotExistAreNone() {
    #expect(StudyDay(year: 2026, month: 2, day: 29) == nil)
    #expect(StudyDay(year: 2028, month: 2, day: 29)?.description == "2028-02-29")
    #expect(StudyDay(year: 2026, month: 13, day: 1) == nil)
    #expect(StudyDay(year: 10_000, month: 1, day: 1) == nil)
  }

  @Test func studyAfterMidnightBelongsToTheEvening() {
    // 2026-01-02 03:59 and 04:00 in UTC+2.
    let time = newYear + day + (2 * 60 - 1) * 60_000
    #expect(StudyDay(at: time, utcOffsetMinutes: 120).description == "2026-01-01")
    #expect(StudyDay(at: time + 60_000, utcOffsetMinutes: 120).description == "2026-01-02")
    #expect(StudyDay(at: time, utcOffsetMinutes: 120, rolloverHour: 0).description == "2026-01-02")
  }

  @Test func startIsTheFirstMomentOfTheDay() {
    var random = SeededGenerator()
    for _ in 0..<1000 {
      let offset = Int.random(in: -720...840, using: &random)
      let rollover = Int.random(in: 0...23, using: &random)
      let studied = StudyDay(
        at: .random(in: -10_000_000_000_000...10_000_000_000_000, using: &random), utcOffsetMinutes: offset,
        rolloverHour: rollover)
      let start = studied.start(utcOffsetMinutes: offset, rolloverHour: rollover)
      #expect(StudyDay(at: start, utcOffsetMinutes: offset, rolloverHour: rollover) == studied, "\(random)")
      #expect(StudyDay(at: start - 1, utcOffsetMinutes: offset, rolloverHour: rollover) < studied, "\(random)")
    }
  }

  @Test func extremeClocksAreDays() {
    for time in [Int64.min, .max] {
      for offset in [Int.min, .max] {
        let studied = StudyDay(at: time, utcOffsetMinutes: offset, rolloverHour: offset)
        #expect(studied.advanced(by: 1) > studied)
        #expect(!studied.description.isEmpty)
      }
    }
    #expect(StudyDay(number: .max).calendar.month > 0)
  }
}
