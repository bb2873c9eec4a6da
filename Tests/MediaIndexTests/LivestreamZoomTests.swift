import Contracts
import CurlClient
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// Meetings at Zoom, with a stand-in that enforces Zoom's rules.
@Suite(.serialized)
struct LivestreamZoomTests {
  // MARK: creating

  @Test(arguments: TestDatabase.allCases)
  func aMeetingIsCreatedInTheBackground(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let created = try await host.create("Yoga", by: ada)
      #expect(created.state == .creating)
      #expect(try await problemCode { _ = try await host.get(created.id, by: bob) } == "livestream-not-found")
      try await host.work()
      let seen = try await host.get(created.id, by: bob)
      #expect(seen.state == .scheduled)
      let meeting = try #require(try await host.zoom.meetings.first)
      #expect(seen.joinURL?.rawValue.hasPrefix("https://us05web.zoom.us/j/\(meeting.id)?pwd=") == true)
      #expect(meeting.topic == "Yoga")
      #expect(meeting.startTime == "2026-01-01T01:00:00Z")
      #expect(meeting.agenda == "quintet:\(created.id)\nAll levels.")
      let changes = try await host.test.recorded(RealtimeEvent.self, by: MediaAPI.self)
      #expect(changes.map { $0.data["state"]?.string } == ["scheduled"])
    }
  }

  @Test(arguments: TestDatabase.allCases, ["lost", "500", "garbage"])
  func anAttemptWithoutAResultLeadsToOneMeeting(_ database: TestDatabase, _ fault: String) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let created = try await host.create("Yoga", by: ada)
      try await host.zoom.fault(fault, on: "create")
      try await host.work()
      #expect(try await host.get(created.id, by: ada).state == .creating)
      // Nothing is looked for before Zoom can have finished.
      try await host.work()
      #expect(try await host.zoom.count("list") == 0)
      try await host.advance(31)
      try await host.work()
      #expect(try await host.get(created.id, by: ada).state == .scheduled)
      #expect(try await host.zoom.meetings.count == 1)
      #expect(try await host.zoom.count("create") == (fault == "500" ? 2 : 1))
    }
  }

  @Test func theMeetingIsFoundAmongManyPages() async throws {
    try await LivestreamHost.run { host async throws in
      let ada = try await host.user("ada")
      try await host.zoom.control(["add": 700])
      let created = try await host.create("Yoga", by: ada)
      try await host.zoom.fault("lost", on: "create")
      try await host.work()
      try await host.advance(31)
      try await host.work()
      #expect(try await host.get(created.id, by: ada).state == .scheduled)
      #expect(try await host.zoom.count("list") == 3)
      #expect(try await host.zoom.meetings.count == 701)
    }
  }

  /// Every step after which the process may be killed, followed by what a new process does.
  @Test(arguments: TestDatabase.allCases, [0, 1, 2, 3])
  func killedAfterAnyStepThereIsOneMeeting(_ database: TestDatabase, _ steps: Int) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let created = try await host.create("Yoga", by: ada)
      let workflow = try #require(try Self.workflow(of: host))
      if steps > 0 {
        let beginning = try await workflow.begin(created.id)
        guard case .attempt(let attempt)? = beginning else { throw TestKitError("no attempt has begun") }
        if steps > 1 {
          let result = try await workflow.perform(attempt)
          if steps > 2 { _ = try await workflow.record(result, of: attempt) }
        }
      }
      for _ in 0..<3 {
        try await host.advance(31)
        try await host.work()
      }
      #expect(try await host.get(created.id, by: ada).state == .scheduled)
      let marker = LivestreamTransitions.marker(of: created.id)
      #expect(try await host.zoom.meetings.map { $0.agenda.hasPrefix(marker) } == [true])
      #expect(try await host.zoom.count("create") == 1)
    }
  }

  private static func workflow(of host: LivestreamHost) throws -> MeetingWorkflow? {
    try host.plugin.features.compactMap { ($0 as? Livestreams)?.workflow }.first
  }

  @Test(arguments: TestDatabase.allCases)
  func whatZoomRefusesFails(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database, settings: ["zoom.users": "nobody"]) { host async throws in
      let ada = try await host.user("ada")
      let created = try await host.create("Yoga", by: ada)
      try await host.work()
      let seen = try await host.get(created.id, by: ada)
      #expect(seen.state == .failed)
      #expect(seen.failure == .refused)
      #expect(try await host.zoom.meetings.isEmpty)
    }
  }

  @Test func withoutZoomUntilTheEndItFails() async throws {
    try await LivestreamHost.run { host async throws in
      let ada = try await host.user("ada")
      try await host.zoom.control(["scopes": []])
      let created = try await host.create("Yoga", by: ada, startsIn: 0)
      try await host.work()
      #expect(try await host.get(created.id, by: ada).state == .creating)
      try await host.advance(3601)
      try await host.work()
      let seen = try await host.get(created.id, by: ada)
      #expect(seen.state == .failed)
      #expect(seen.failure == .providerUnavailable)
    }
  }

  @Test func aScopeThatIsAddedLaterHelps() async throws {
    try await LivestreamHost.run { host async throws in
      let ada = try await host.user("ada")
      try await host.zoom.control(["scopes": ["meeting:read:meeting:admin"]])
      let created = try await host.create("Yoga", by: ada)
      try await host.work()
      try await host.zoom.control([
        "scopes": ["meeting:write:meeting:admin"], "revoke": true,
      ])
      try await host.advance(6)
      try await host.work()
      #expect(try await host.get(created.id, by: ada).state == .scheduled)
    }
  }

  // MARK: limits

  @Test(arguments: TestDatabase.allCases)
  func aDaysMeetingsAreLimited(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let day = ZoomRequestStore.day(of: host.now)
      try await host.database.write { tx in
        _ = try tx.execute("INSERT INTO zoom_requests (zoom_user, day, count) VALUES ('me', \(day), 99)")
      }
      let last = try await host.create("Yoga", by: ada)
      let refusal = try await problem { _ = try await host.create("Yoga", by: ada) }
      #expect(refusal?.code == "too-many-requests")
      #expect(refusal?.retryAfter == 86_400)
      try await host.work()
      #expect(try await host.get(last.id, by: ada).state == .scheduled)
      try await host.advance(86_400)
      #expect(try await host.create("Yoga", by: ada).state == .creating)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func noUserCanTakeAllMeetingsOfADay(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      for _ in 0..<10 { _ = try await host.create("Yoga", by: ada) }
      // Past the limit of an hour.
      try await host.advance(3600)
      let refusal = try await problem { _ = try await host.create("Yoga", by: ada) }
      #expect(refusal?.code == "too-many-requests")
      #expect(refusal?.detail == "A user can create 10 live streams at Zoom a day.")
      #expect(try await host.create("Yoga", by: bob).state == .creating)
      let link = try await host.create("Yoga", by: ada, link: "https://example.com/live")
      #expect(link.state == .scheduled)
    }
  }

  /// Anyone can make accounts.
  @Test(arguments: TestDatabase.allCases)
  func newAccountsLeaveMeetingsForOthers(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      try await host.advance(8 * 86_400)
      for (name, count) in [("bob", 10), ("cleo", 10), ("dan", 5)] {
        let user = try await host.user(name)
        for _ in 0..<count { _ = try await host.create("Yoga", by: user) }
      }
      let eve = try await host.user("eve")
      let refusal = try await problem { _ = try await host.create("Yoga", by: eve) }
      #expect(refusal?.code == "too-many-requests")
      #expect(try await host.create("Yoga", by: eve, link: "https://example.com/live").state == .scheduled)
      #expect(try await host.create("Yoga", by: ada).state == .creating)
    }
  }

  @Test func severalUsersOfZoomShareTheMeetings() async throws {
    try await LivestreamHost.run(settings: ["zoom.users": "host-1,host-2"]) { host async throws in
      let ada = try await host.user("ada")
      for number in 0..<4 { _ = try await host.scheduled("Yoga \(number)", by: ada) }
      #expect(try await host.zoom.meetings.map(\.host).counts == ["host-1": 2, "host-2": 2])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theRateOfThePlanIsKept(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database, settings: ["zoom.plan": "free"]) { host async throws in
      try await host.zoom.control(["plan": "free"])
      let ada = try await host.user("ada")
      for number in 0..<9 { _ = try await host.create("Yoga \(number)", by: ada) }
      for _ in 0..<30 where try await host.zoom.meetings.count < 9 {
        try await host.work()
        try await host.advance(1)
      }
      #expect(try await host.zoom.meetings.count == 9)
      #expect(try await host.zoom.count("limited") == 0)
    }
  }

  @Test func zoomsOwnLimitIsWaitedFor() async throws {
    try await LivestreamHost.run { host async throws in
      let ada = try await host.user("ada")
      let created = try await host.create("Yoga", by: ada)
      try await host.zoom.control(["faults": [["on": "create", "kind": "429", "after": "20"]]])
      try await host.work()
      try await host.advance(19)
      try await host.work()
      #expect(try await host.zoom.count("create") == 1)
      try await host.advance(2)
      try await host.work()
      #expect(try await host.get(created.id, by: ada).state == .scheduled)
      #expect(try await host.zoom.meetings.count == 1)
    }
  }

  @Test func pausesAreSecondsOrTimes() {
    let now = Timestamp(microseconds: 1_767_225_600_000_000)
    #expect(ZoomClient.pause("7", at: now) == 7)
    #expect(ZoomClient.pause("2026-01-01T00:01:30Z", at: now) == 90)
    #expect(ZoomClient.pause("2020-01-01T00:00:00Z", at: now) == 1)
    #expect(ZoomClient.pause("soon", at: now) == 60)
    #expect(ZoomClient.pause(nil, at: now) == 60)
  }

  // MARK: tokens

  @Test func aTokenServesUntilItsEnd() async throws {
    try await LivestreamHost.run { host async throws in
      let ada = try await host.user("ada")
      _ = try await host.scheduled("One", by: ada)
      try await host.advance(3000)
      _ = try await host.scheduled("Two", by: ada)
      #expect(try await host.zoom.count("token") == 1)
      try await host.advance(600)
      _ = try await host.scheduled("Three", by: ada)
      #expect(try await host.zoom.count("token") == 2)
    }
  }

  @Test func aTokenThatZoomEndsIsReplaced() async throws {
    try await LivestreamHost.run { host async throws in
      let ada = try await host.user("ada")
      _ = try await host.scheduled("One", by: ada)
      try await host.zoom.control(["revoke": true])
      #expect(try await host.scheduled("Two", by: ada).state == .scheduled)
      #expect(try await host.zoom.count("token") == 2)
    }
  }

  @Test func callersShareOneRequestForAToken() async throws {
    try await LivestreamHost.run { host async throws in
      let tokens = ZoomTokens(
        http: host.zoom.http, origin: host.zoom.origin,
        credentials: .init(accountID: "account", clientID: "client", clientSecret: "secret"),
        time: host.test.time.source)
      try await host.zoom.control(["hold": true])
      let callers = Task { try await concurrently(0..<8) { _ in try await tokens.current() } }
      try await eventually("a token is asked for") { try await host.zoom.count("token") == 1 }
      try await host.zoom.control(["hold": false])
      let received = try await callers.value
      #expect(Set(received).count == 1)
      #expect(try await host.zoom.count("token") == 1)
    }
  }

  // MARK: starting and ending

  @Test(arguments: TestDatabase.allCases)
  func theStartLinkIsForTheHostAndNeverStored(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let created = try await host.scheduled("Yoga", by: ada)
      #expect(
        try await problemCode { _ = try await bob.client.send(MediaAPI.StartLivestream(id: created.id)) }
          == "livestream-not-found")
      let first = try await ada.client.send(MediaAPI.StartLivestream(id: created.id)).startURL
      try await host.advance(7300)
      let second = try await ada.client.send(MediaAPI.StartLivestream(id: created.id)).startURL
      #expect(first.contains("zak="))
      #expect(first != second)
      let row = try #require(try await host.row(created.id))
      let content = try LivestreamStore(keys: host.test.platform.dataKeys).content(row)
      #expect(content.joinURL?.rawValue.contains("/j/") == true)
      let stored = try await host.database.read { db in
        try db.values("SELECT payload FROM jobs", as: String.self)
          + db.values("SELECT data FROM outbox", as: String.self)
      }
      #expect(stored.filter { $0.contains("zak") }.isEmpty)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func endingRemovesTheMeeting(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let created = try await host.scheduled("Yoga", by: ada)
      let meeting = try #require(try await host.zoom.meetings.first)
      try await host.zoom.set("started", of: meeting.id)
      _ = try await ada.client.send(MediaAPI.EndLivestream(id: created.id))
      try await host.zoom.fault("500", on: "delete")
      try await host.work()
      try await host.advance(6)
      try await host.work()
      #expect(try await host.zoom.meetings.isEmpty)
      #expect(try await host.row(created.id)?.meeting == .removed)
    }
  }

  @Test(arguments: TestDatabase.allCases, [false, true])
  func whatIsEndedWhileItIsCreatedLeavesNoMeeting(_ database: TestDatabase, _ isAttempted: Bool) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let created = try await host.create("Yoga", by: ada)
      if isAttempted {
        try await host.zoom.fault("lost", on: "create")
        try await host.work()
      }
      _ = try await ada.client.send(MediaAPI.EndLivestream(id: created.id))
      for _ in 0..<2 {
        try await host.work()
        try await host.advance(31)
      }
      #expect(try await host.zoom.meetings.isEmpty)
      #expect(try await host.zoom.count("create") == (isAttempted ? 1 : 0))
      #expect(try await host.get(created.id, by: ada).state == .ended)
    }
  }

  // MARK: the stand-in

  /// A client of the real API finds nothing unusual in the stand-in.
  @Test func aClientOfZoomUnderstandsTheStandIn() async throws {
    try await LivestreamHost.run { host async throws in
      let output = try await Command.run([Python.path(), LivestreamHost.path("zoom_client.py"), host.zoom.origin])
      let expected: JSONValue = [
        "created": 201, "isListed": true, "topic": "Yoga", "hasStartURL": true, "invalid": 300, "deleted": 204,
        "again": 3001,
      ]
      #expect(try WireJSON.decode(JSONValue.self, from: output.utf8) == expected)
    }
  }
}
