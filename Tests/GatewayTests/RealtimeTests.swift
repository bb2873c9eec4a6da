import AuthService
import Contracts
import CurlClient
import Foundation
import HTTPTypes
import NIOCore
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import GatewayService

/// Streams of users' events: no event is lost or repeated when a connection breaks. A stream that lost an event would be
/// waited for forever without a limit.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct RealtimeTests {
  private func run(
    time: ManualTime? = nil, _ body: (TestPlatform, TestPlatform.Web) async throws -> Void
  ) async throws {
    let settings = ["limits.read": "0/1"]
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], settings: settings, time: time, body)
  }

  private static func reader(_ session: Authentication, _ web: TestPlatform.Web) -> StreamReader {
    StreamReader(client: web.http, url: web.url, token: session.accessToken)
  }

  @Test func tenThousandMessagesThroughADyingConnection() async throws {
    try await run { test, web in
      let session = try await test.guest()
      let reader = Self.reader(session, web)
      let (total, events, user) = (10_000, test.events, session.user.id)
      let producer = Task {
        // Every seventh event is delivered twice, as an at-least-once relay may do.
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<total {
            if number >= 32 { try await group.next() }
            group.addTask {
              let event = RealtimeEvent(to: user, "test.counted", ["number": .integer(Int64(number))])
              try await events.send(event, id: "\(number)")
              if number.isMultiple(of: 7) { try await events.send(event, id: "\(number)") }
            }
          }
          try await group.waitForAll()
        }
      }
      var lastSeen: Int64 = 0
      var numbers: Set<String> = []
      var received = 0
      var generator = SeededGenerator()
      while received < total {
        let stream = try await reader.open(lastSeen: lastSeen)
        // Each connection ends after a random number of events, with more in flight.
        var left = Int.random(in: 1...400, using: &generator)
        while left > 0, received < total {
          let event = try await stream.next()
          guard event.name == "test.counted", let id = event.id else { continue }
          #expect(id == lastSeen + 1, "\(generator)")
          (lastSeen, received, left) = (id, received + 1, left - 1)
          numbers.insert(event.data)
        }
      }
      try await producer.value
      #expect(numbers.count == total, "\(generator)")
      #expect(lastSeen == Int64(total), "\(generator)")
    }
  }

  /// More than may wait for a reader: it arrives page by page, on one connection.
  @Test func aMegabyteThatWasMissedComesThroughOneConnection() async throws {
    try await run { test, web in
      let session = try await test.guest()
      let (user, total) = (session.user.id, 2000)
      let content: JSONValue = ["text": .string(String(repeating: "x", count: 500))]
      try await test.database(of: GatewayAPI.self).write { tx in
        for _ in 0..<total { try EventLogStore.insert(RealtimeEvent(to: user, "missed", content), in: tx) }
      }
      try await eventually("the gateway has read the log") { try test.realtime.hub.number == Int64(total) }
      let stream = try await Self.reader(session, web).open(lastSeen: 0)
      var numbers: [Int64] = []
      while numbers.count < total {
        let event = try await stream.next()
        if event.name == "missed", let id = event.id { numbers.append(id) }
      }
      #expect(numbers == Array(1...Int64(total)))
    }
  }

  @Test func everyStreamOfTheUserAndNoOneElsesHears() async throws {
    try await run { test, web in
      let (ada, bob) = (try await test.guest(), try await test.guest())
      // Settings changed on one device are sent to the user's other devices.
      let streams = try await (0..<3).asyncMap { _ in try await Self.reader(ada, web).follow().0 }
      let (foreign, _) = try await Self.reader(bob, web).follow()
      let me = test.client.with(accessToken: ada.accessToken)
      var settings = UserSettings()
      settings.darkMode = true
      _ = try await me.send(AuthAPI.PutSettings(settings))
      for stream in streams {
        let event = try await stream.next()
        #expect(event.name == "settings.changed")
        #expect(event.data == #"{"version":1}"#)
      }
      try await test.events.send(RealtimeEvent(to: bob.user.id, "for.bob"))
      #expect(try await foreign.next().name == "for.bob")
    }
  }

  @Test func whoWasAwayTooLongReadsAnew() async throws {
    try await run { test, web in
      let session = try await test.guest()
      let reader = Self.reader(session, web)
      for _ in 1...3 { try await test.events.send(RealtimeEvent(to: session.user.id, "old")) }
      try await eventually("the events are known") { try test.realtime.hub.number == 3 }
      func first(_ lastSeen: Int64) async throws -> OpenedStream.Frame {
        let (stream, _) = try await reader.follow(lastSeen: lastSeen)
        return try await stream.next()
      }
      #expect(try await first(1) == .init("id: 2\nevent: old\ndata: {}"))
      // An id beyond the last event belongs to another database.
      let all = #"{"user":true,"topics":[]}"#
      #expect(try await first(99) == .init("id: 3\nevent: resync\ndata: \(all)"))
      let database = try test.database(of: GatewayAPI.self)
      try await database.write { try $0.execute("UPDATE realtime_log SET created_at = 0 WHERE number < 3") }
      let later = Timestamp(microseconds: 1)
      #expect(try await database.write { try EventLogStore.purge(before: later, in: $0) } == false)
      #expect(try await first(1) == .init("id: 3\nevent: resync\ndata: \(all)"))
      #expect(try await first(2) == .init("id: 3\nevent: old\ndata: {}"))
    }
  }

  @Test func streamsAreForSignedInPeopleWhileTheyAre() async throws {
    try await run { test, web in
      for (headers, status) in [
        ([:], 401), ([.authorization: "Bearer x"], 401),
      ] as [(HTTPFields, Int)] {
        let answer = try await web.http.send(ClientRequest(origin: web.url, target: "/v1/events", headers: headers))
        #expect(answer.status == status)
      }
      let session = try await test.guest()
      var headers: HTTPFields = [.authorization: "Bearer \(session.accessToken)"]
      headers[try #require(HTTPField.Name("Last-Event-ID"))] = "yesterday"
      let wrong = try await web.http.send(ClientRequest(origin: web.url, target: "/v1/events", headers: headers))
      #expect(wrong.status == 400)
      // The stream ends with its session.
      let (stream, _) = try await Self.reader(session, web).follow()
      _ = try await test.client.with(accessToken: session.accessToken).send(AuthAPI.LogOut(scope: .local))
      #expect(try await stream.readToEnd().last?.name == "session.ended")
    }
  }

  @Test func oneUserCannotHoldAllStreams() async throws {
    try await run { test, web in
      let session = try await test.guest()
      let reader = Self.reader(session, web)
      // A HEAD request opens no stream.
      for _ in 0..<30 {
        let headers: HTTPFields = [.authorization: "Bearer \(session.accessToken)"]
        let head = ClientRequest(.head, origin: web.url, target: "/v1/events", headers: headers)
        #expect(try await web.http.send(head).status == 200)
      }
      let (oldest, _) = try await reader.follow()
      let streams = try await (0..<20).asyncMap { _ in try await reader.follow().0 }
      // One stream too many ends the oldest, not the newest.
      _ = try await oldest.readToEnd()
      try await test.events.send(RealtimeEvent(to: session.user.id, "still.here"))
      for stream in streams { #expect(try await stream.next().name == "still.here") }
    }
  }

  /// A stream that is cut off before its first event resumes where it started.
  @Test func aNewStreamReportsWhereItBegins() async throws {
    try await run { test, web in
      let session = try await test.guest()
      let reader = Self.reader(session, web)
      for _ in 1...2 { try await test.events.send(RealtimeEvent(to: session.user.id, "before")) }
      // The gateway notices new events soon after it has confirmed them.
      try await eventually("the events are known") { try test.realtime.hub.number == 2 }
      let first = try #require(try await reader.open().nextFrame())
      #expect(first.id == 2)
      #expect(first.name == nil)
      try await test.events.send(RealtimeEvent(to: session.user.id, "between"))
      let (stream, _) = try await reader.follow(lastSeen: 2)
      #expect(try await stream.next() == .init("id: 3\nevent: between\ndata: {}"))
    }
  }

  @Test func appsOfOneGatewayComeBackAtDifferentTimes() async throws {
    try await run { test, web in
      let session = try await test.guest()
      var pauses: Set<Int> = []
      for _ in 0..<10 {
        let headers: HTTPFields = [.authorization: "Bearer \(session.accessToken)"]
        let response = try await web.http.send(
          ClientRequest(origin: web.url, target: "/v1/events", headers: headers, delivery: .streaming)
        )
        guard case .stream(let stream) = response.body else { throw TestKitError("no stream") }
        var text = ""
        for try await chunk in stream {
          text += String(buffer: chunk)
          if text.contains("\n\n") { break }
        }
        let pause = try #require(text.firstMatch(of: /retry: (\d+)\n/).flatMap { Int($0.1) })
        #expect((1000...5000).contains(pause))
        pauses.insert(pause)
      }
      #expect(pauses.count > 1)
    }
  }

  @Test func aStoppingGatewayEndsItsStreams() async throws {
    try await run { test, web in
      let session = try await test.guest()
      let (stream, _) = try await Self.reader(session, web).follow()
      try test.realtime.drain()
      _ = try await stream.readToEnd()
      await #expect(throws: TestKitError.self) { try await Self.reader(session, web).open() }
    }
  }

  /// Open streams are among the data of a user, and deleted with them.
  @Test(arguments: TestDatabase.allCases)
  func exportAndErasureCoverEventsAndStreams(_ kind: TestDatabase) async throws {
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], database: kind) { test, web in
      let session = try await test.guest()
      let user = session.user.id
      let (stream, followed) = try await Self.reader(session, web).follow()
      try await test.events.send(RealtimeEvent(to: user, "private", ["order": "1"]))
      #expect(try await stream.next().name == "private")
      let (gateway, database) = (try test.plugin(GatewayPlugin.self), try test.database(of: GatewayAPI.self))
      let export = try await gateway.export(user, from: database)
      #expect(export["events"]?.elements.map { $0["event"]?.string } == ["private"])
      #expect(export["streams"]?.elements.map { $0["id"]?.string } == [followed.stream.rawValue])
      try await database.write { try gateway.eraseAll(of: user, in: $0) }
      let rest = try await gateway.export(user, from: database)
      #expect(rest["events"] == .array([]))
      #expect(rest["streams"] == .array([]))
    }
  }

  /// Two gateways share a database: an event delivered to one wakes the streams of the other.
  @Test func gatewaysWakeEachOthersStreams() async throws {
    try await withRedis { redis in
      try await TwoGateways.run(settings: ["redis.url": redis]) { first, second in
        let session = try await first.test.guest()
        let (stream, _) = try await Self.reader(session, second.web).follow()
        // Each event is delivered to one gateway and read at the other before the next one is sent.
        for number in 1...20 {
          try await first.test.events.send(RealtimeEvent(to: session.user.id, "number.\(number)"))
          #expect(try await stream.next().name == "number.\(number)")
        }
      }
    }
  }

  /// Without Redis, a gateway looks for the events that others have stored.
  @Test func gatewaysFindEachOthersEvents() async throws {
    try await TwoGateways.run { first, second in
      let session = try await first.test.guest()
      let (stream, _) = try await Self.reader(session, second.web).follow()
      try await first.test.events.send(RealtimeEvent(to: session.user.id, "here"))
      #expect(try await stream.next().name == "here")
    }
  }
}

/// Two gateways in front of the same services, on one PostgreSQL database.
struct TwoGateways {
  let test: TestPlatform
  let web: TestPlatform.Web

  static func run(
    _ services: [any ServicePlugin.Type] = [AuthPlugin.self], settings: [String: String] = [:],
    _ body: (_ first: TwoGateways, _ second: TwoGateways) async throws -> Void
  ) async throws {
    try await TestDatabase.postgresql.withSettings { database in
      let usual = database.merging(["limits.read": "0/1"]) { $1 }.merging(settings) { $1 }
      try await listen(services[...], usual) { all in
        try await TestPlatform.listen([GatewayPlugin.self], settings: all) { first, firstWeb in
          try await TestPlatform.listen([GatewayPlugin.self], settings: all) { second, secondWeb in
            for gateway in [first, second] { try await gateway.client.waitForServices() }
            try await body(
              TwoGateways(test: first, web: firstWeb), TwoGateways(test: second, web: secondWeb)
            )
          }
        }
      }
    }
  }

  /// Runs each service in a host of its own.
  private static func listen(
    _ services: ArraySlice<any ServicePlugin.Type>, _ settings: [String: String],
    _ body: ([String: String]) async throws -> Void
  ) async throws {
    guard let service = services.first else { return try await body(settings) }
    try await TestPlatform.listen([service], settings: settings) { _, web in
      let name = service.manifest.name
      try await listen(services.dropFirst(), settings.merging(["services.\(name).url": web.url]) { $1 }, body)
    }
  }
}
