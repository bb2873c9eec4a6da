import Contracts
import Persistence
import StudyModel
import TestKit
import Testing

@testable import StudySyncService

/// The local day is fixed when the study happens; later travel changes nothing.
@Suite(.serialized)
struct StatisticsStreakTests {
  private struct Study {
    let at: Timestamp
    let offset: Int

    init(_ text: String, _ offset: Int) throws {
      (at, self.offset) = (try #require(Timestamp(text)), offset)
    }
  }

  private static func calendar(_ now: String, offset: Int?, _ studies: [Study], rolloverHour: Int64? = nil) async throws
    -> StudyCalendarPage
  {
    let time = ManualTime(try #require(Timestamp(now)))
    var page: StudyCalendarPage?
    try await StudyHost.run(time: time) { host async throws in
      var device = host.device(1, of: try await host.user("ada"))
      if let rolloverHour { try await device.send([device.settings(["rolloverHour": .integer(rolloverHour)])]) }
      var operations: [SyncOperation] = []
      for study in studies {
        var operation = device.session(.cards, at: study.at, milliseconds: 60_000, offset: study.offset)
        if let rolloverHour {
          operation.fields?.members.append(.init(name: "rolloverHour", value: .integer(rolloverHour)))
        }
        operations.append(operation)
      }
      // Sent in another order than they happened.
      try await device.send(operations.reversed())
      page = try await device.user.client.send(
        StudyAPI.GetStudyCalendar(utcOffsetMinutes: offset.map { UTCOffsetMinutes(checked: $0) }))
    }
    return try #require(page)
  }

  @Test func aFlightEastDoesNotBreakAStreak() async throws {
    // Sunday and Monday evening in Los Angeles, Wednesday morning in Auckland.
    let page = try await Self.calendar(
      "2026-03-10T22:00:00Z", offset: 780,
      [
        try Study("2026-03-09T03:00:00Z", -420), try Study("2026-03-10T03:00:00Z", -420),
        try Study("2026-03-10T20:00:00Z", 780),
      ])
    #expect(page.days.map(\.date.description) == ["2026-03-08", "2026-03-09", "2026-03-11"])
    #expect(page.today.description == "2026-03-11")
    #expect(page.streak == StudyStreak(current: 3, longest: 3, includesToday: true))
  }

  @Test func aFlightWestDoesNotBreakAStreak() async throws {
    // Tuesday and Wednesday morning in Auckland, then Tuesday evening in Los Angeles, where it is still Tuesday.
    let page = try await Self.calendar(
      "2026-03-11T04:00:00Z", offset: -420,
      [
        try Study("2026-03-09T20:00:00Z", 780), try Study("2026-03-10T20:00:00Z", 780),
        try Study("2026-03-11T03:00:00Z", -420),
      ])
    #expect(page.today.description == "2026-03-10")
    #expect(page.streak.current == 2)
    #expect(page.streak.includesToday)
    #expect(page.days.map(\.milliseconds) == [120_000])
  }

  @Test func studyAfterMidnightBelongsToTheEvening() async throws {
    let page = try await Self.calendar(
      "2026-05-03T12:00:00Z", offset: 0,
      [
        try Study("2026-05-01T22:00:00Z", 0), try Study("2026-05-03T03:59:00Z", 0),
        try Study("2026-05-03T04:00:00Z", 0),
      ])
    #expect(page.days.map(\.date.description) == ["2026-05-01", "2026-05-02", "2026-05-03"])
    #expect(page.streak.current == 3)
  }

  @Test func theDayBeginsWhenTheUserWants() async throws {
    let page = try await Self.calendar(
      "2026-05-03T00:30:00Z", offset: 0,
      [try Study("2026-05-01T22:00:00Z", 0), try Study("2026-05-03T00:10:00Z", 0)], rolloverHour: 0)
    #expect(page.days.map(\.date.description) == ["2026-05-01", "2026-05-03"])
    #expect(page.today.description == "2026-05-03")
    #expect(page.streak == StudyStreak(current: 1, longest: 1, includesToday: true))
  }

  @Test func summerTimeNeitherBreaksNorSavesAStreak() async throws {
    // Berlin moves its clocks on 2026-03-29.
    let kept = try await Self.calendar(
      "2026-03-30T20:00:00Z", offset: nil,
      [
        try Study("2026-03-28T20:00:00Z", 60), try Study("2026-03-29T19:00:00Z", 120),
        try Study("2026-03-30T19:00:00Z", 120),
      ])
    #expect(kept.streak.current == 3)
    let broken = try await Self.calendar(
      "2026-03-30T20:00:00Z", offset: nil,
      [try Study("2026-03-28T20:00:00Z", 60), try Study("2026-03-30T19:00:00Z", 120)])
    #expect(broken.streak == StudyStreak(current: 1, longest: 1, includesToday: true))
  }

  @Test func todayIsWhereTheUserStudiedLast() async throws {
    let studies = [try Study("2026-05-01T21:00:00Z", 600)]
    #expect(try await Self.calendar("2026-05-01T22:00:00Z", offset: nil, studies).today.description == "2026-05-02")
    #expect(try await Self.calendar("2026-05-01T22:00:00Z", offset: 0, studies).today.description == "2026-05-01")
  }
}
