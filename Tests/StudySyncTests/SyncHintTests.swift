import Contracts
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// Hints that there is something to synchronize.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct SyncHintTests {
  @Test(arguments: TestDatabase.allCases)
  func onlyThoseWithAnotherDeviceAreNotified(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      var phone = host.device(1, of: ada)
      let set = phone.newID()
      try await phone.sync([phone.operation(.sets, set, ["title": "Latin"])])
      #expect(try await host.hints().isEmpty)
      var (desktop, tablet) = (host.device(2, of: ada), host.device(3, of: bob))
      try await desktop.sync()
      try await tablet.sync()
      try await phone.sync([phone.operation(.sets, set, ["description": "x"])])
      #expect(try await host.hints().map(\.user) == [ada.id.rawValue])
      #expect(try await host.hints().map(\.device) == [phone.id.rawValue])

      // A member's device, which does not learn of whose device it was.
      try await host.grant(.viewer, to: bob, in: set)
      try await phone.sync([phone.operation(.sets, set, ["description": "y"])])
      let hints = try await host.hints().dropFirst()
      #expect(Set(hints.map(\.user)) == [ada.id.rawValue, bob.id.rawValue])
      #expect(hints.first { $0.user == bob.id.rawValue }?.device == nil)
      // Without a change, there is nothing to say.
      try await phone.sync([phone.operation(.sets, "no-id", ["description": "z"])])
      #expect(try await host.hints().count == 3)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aHintReachesTheStreamOfAnotherDevice(_ database: TestDatabase) async throws {
    let unlimited = ["limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1"]
    try await TestPlatform.listen(StudyHost.plugins, settings: unlimited, database: database) {
      test, web async throws in
      let ada = TestUser(try await web.client.signUp("ada"), web.client)
      let time = ManualTime(TimeSource.system.now())
      var (phone, desktop) = (RawDevice(1, of: ada, time: time), RawDevice(2, of: ada, time: time))
      try await desktop.sync()
      let stream = try RawConnection(to: web.url)
      stream.send(
        """
        GET /v1/events?topics=sync:\(ada.id) HTTP/1.1\r
        Host: test\r
        Accept: text/event-stream\r
        Authorization: Bearer \(ada.token)\r
        \r

        """)
      _ = await stream.receive(until: "event: topics")
      try await phone.sync([phone.operation(.sets, phone.newID(), ["title": "Latin"])])
      let received = await stream.receive(until: "event: changed")
      #expect(received.contains("event: changed"))
      #expect(try await desktop.sync().changes.count == 1)
    }
  }
}
