import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// The deletion of live streams that are over.
@Suite(.serialized)
struct LivestreamCollectorTests {
  private static let link = "https://meet.example.com/yoga"
  private static let day = 86_400.0

  /// Thirty days with two live streams a day, of which some are live for long, have been deleted at Zoom by hand, or were
  /// never created. It makes no difference how often the collector has run.
  @Test(arguments: TestDatabase.allCases, [1, 7])
  func thirtyDaysLeaveWhatIsRecent(_ database: TestDatabase, _ daysBetweenRuns: Int) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var (liveMeeting, live, byDay): (Int64?, LivestreamID?, [Int: [LivestreamID]]) = (nil, nil, [:])
      for day in 0..<30 {
        let known = Set(try await host.zoom.meetings.map(\.id))
        let zoom = try await host.scheduled("Zoom \(day)", by: ada)
        let link = try await host.create("Link \(day)", by: ada, link: Self.link)
        let meeting = try #require(try await host.zoom.meetings.first { !known.contains($0.id) }).id
        switch day {
        case 5:
          // A host who does not stop.
          try await host.zoom.set("started", of: meeting)
          (liveMeeting, live) = (meeting, zoom.id)
        case 9: try await host.zoom.control(["forget": .integer(meeting)])
        default: byDay[day] = [zoom.id, link.id]
        }
        try await host.advance(Self.day)
        if day % daysBetweenRuns == daysBetweenRuns - 1 { try await host.collect() }
      }
      try await host.collect()
      let rows = try await host.database.read { db in
        try db.values("SELECT id FROM livestreams ORDER BY id", as: LivestreamID.self)
      }
      // The planned end of those of the last day is less than a day ago.
      let expected = try #require(live)
      #expect(rows == [expected] + (byDay[29] ?? []))
      #expect(Set(try await host.zoom.meetings.map(\.id)).contains(try #require(liveMeeting)))
      #expect(try await host.get(expected, by: ada).state == .live)
      for (query, count) in [("zoom", 2), ("link", 1)] {
        #expect(try await ada.client.send(MediaAPI.ListLivestreams(query: query)).items.count == count)
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func nothingIsCollectedBeforeItsTime(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database, settings: ["livestreams.graceHours": "2"]) { host async throws in
      let ada = try await host.user("ada")
      let created = try await host.scheduled("Yoga", by: ada)
      // It starts in an hour, lasts an hour, and stays for two.
      try await host.advance(4 * 3600 - 1)
      try await host.collect()
      #expect(try await host.row(created.id)?.state == .scheduled)
      #expect(try await host.zoom.count("delete") == 0)
      try await host.advance(1)
      try await host.collect()
      #expect(try await host.row(created.id) == nil)
      #expect(try await host.zoom.meetings.isEmpty)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aMeetingThatIsGoneCountsAsCollected(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let created = try await host.scheduled("Yoga", by: ada)
      let meeting = try #require(try await host.zoom.meetings.first)
      try await host.zoom.control(["forget": .integer(meeting.id)])
      try await host.advance(2 * Self.day)
      try await host.collect()
      #expect(try await host.row(created.id) == nil)
    }
  }

  @Test(arguments: TestDatabase.allCases, ["500", "lost"])
  func aFailureIsRepeatedLater(_ database: TestDatabase, _ fault: String) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let (first, second) = (try await host.scheduled("One", by: ada), try await host.scheduled("Two", by: ada))
      try await host.advance(2 * Self.day)
      try await host.zoom.fault(fault, on: "delete")
      try await host.collect()
      // The others are not held back.
      _ = try #require(try await host.row(first.id))
      #expect(try await host.row(second.id) == nil)
      try await host.advance(601)
      try await host.collect()
      #expect(try await host.row(first.id) == nil)
      #expect(try await host.zoom.meetings.isEmpty)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theRateOfThePlanIsKept(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database, settings: ["zoom.plan": "free"]) { host async throws in
      let ada = try await host.user("ada")
      for number in 0..<6 {
        _ = try await host.scheduled("Yoga \(number)", by: ada)
        try await host.advance(2)
      }
      try await host.zoom.control(["plan": "free"])
      try await host.advance(2 * Self.day)
      // Two requests a second: one live stream.
      #expect(try await host.plugin.runOnce("livestreams.collect") == 1)
      for _ in 0..<10 {
        try await host.advance(1)
        try await host.collect()
      }
      #expect(try await host.zoom.meetings.isEmpty)
      #expect(try await host.zoom.count("limited") == 0)
    }
  }

  /// An attempt of which the result was never known leaves no meeting behind.
  @Test(arguments: TestDatabase.allCases)
  func meetingsOfUnknownAttemptsAreCollected(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let created = try await host.create("Yoga", by: ada)
      try await host.zoom.fault("lost", on: "create")
      try await host.work()
      #expect(try await host.zoom.meetings.count == 1)
      try await host.advance(3 * Self.day)
      try await host.collect()
      #expect(try await host.zoom.meetings.isEmpty)
      #expect(try await host.row(created.id) == nil)
    }
  }
}
