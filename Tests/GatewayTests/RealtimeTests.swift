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

/// Streams of server-sent events: no event is lost or repeated when a connection breaks. A stream that lost an event
/// would be waited for forever without a limit.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct RealtimeTests {
  /// Reads a stream as an app does.
  private struct Reader {
    struct Event: Equatable {
      var id: Int64
      var name: String
      var data: String
    }

    let client: CurlClient
    let url: String
    let token: String

    func open(lastSeen: Int64?) async throws -> ResponseStream {
      var headers: HTTPFields = [.authorization: "Bearer \(token)", .accept: "text/event-stream"]
      if let lastSeen, let name = HTTPField.Name("Last-Event-ID") { headers[name] = "\(lastSeen)" }
      let response = try await client.execute(
        ClientRequest(
          origin: url,
          target: "/v1/events",
          headers: headers,
          delivery: .streaming,
          timeouts: .init(firstByte: Waiting.limit, total: nil)
        )
      )
      guard response.status == 200, case .stream(let stream) = response.body else {
        throw TestKitError("the stream request returned \(response.status)")
      }
      return stream
    }

    /// Opens a stream and waits for its first frame, which fixes its position.
    func openAndBegin() async throws -> ResponseStream {
      let stream = try await open(lastSeen: nil)
      for try await chunk in stream where String(buffer: chunk).contains("retry:") { break }
      return stream
    }

    /// Reads events until `isEnough` returns true, then ends the connection.
    func read(lastSeen: Int64?, until isEnough: (Event) throws -> Bool) async throws {
      let stream = try await open(lastSeen: lastSeen)
      var rest = ""
      for try await chunk in stream {
        rest += String(buffer: chunk)
        while let end = rest.range(of: "\n\n") {
          let frame = String(rest[..<end.lowerBound])
          rest = String(rest[end.upperBound...])
          guard let event = Self.parse(frame) else { continue }
          if try isEnough(event) { return }
        }
      }
      throw TestKitError("the stream ended early")
    }

    static func parse(_ frame: String) -> Event? {
      var fields: [String: String] = [:]
      for line in frame.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
        if parts.count == 2 { fields[parts[0]] = parts[1].trimmingCharacters(in: .whitespaces) }
      }
      guard let id = fields["id"].flatMap({ Int64($0) }), let name = fields["event"] else { return nil }
      return Event(id: id, name: name, data: fields["data"] ?? "")
    }
  }

  private func run(
    time: ManualTime? = nil,
    _ body: (Platform, _ url: String, CurlClient) async throws -> Void
  ) async throws {
    let settings = ["limits.read": "0/1"]
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], settings: settings, time: time) { test, web in
      try await body(test.platform, web.url, web.http)
    }
  }

  /// Delivers an event to the gateway as auth's relay does.
  private static func deliver(_ event: RealtimeEvent, to platform: Platform, number: Int) async throws {
    let data = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(event))
    _ = try await platform.client(of: GatewayAPI.self, as: "auth").send(
      EventsAPI.Deliver(
        body: CloudEvent(
          id: "\(event.userID)-\(number)",
          source: "/auth",
          type: RealtimeEvent.type,
          subject: event.subject,
          time: Timestamp(microseconds: 0),
          traceparent: nil,
          data: data
        )
      )
    )
  }

  private static func guest(_ platform: Platform) async throws -> Authentication {
    try await platform.client().send(AuthAPI.SignInAsGuest())
  }

  @Test func tenThousandMessagesThroughADyingConnection() async throws {
    try await run { platform, url, client async throws in
      let session = try await Self.guest(platform)
      let reader = Reader(client: client, url: url, token: session.accessToken)
      let total = 10_000
      // No event has been sent yet, so the stream starts at 0.
      let producer = Task {
        // Every seventh event is delivered twice, as an at-least-once relay may do.
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<total {
            if number >= 32 { try await group.next() }
            group.addTask {
              let event = RealtimeEvent(to: session.user.id, "test.counted", ["number": .integer(Int64(number))])
              try await Self.deliver(event, to: platform, number: number)
              if number.isMultiple(of: 7) { try await Self.deliver(event, to: platform, number: number) }
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
        // Each connection ends after a random number of events, with more in flight.
        var left = Int.random(in: 1...400, using: &generator)
        try await reader.read(lastSeen: lastSeen) { event in
          #expect(event.id == lastSeen + 1, "\(generator)")
          lastSeen = event.id
          numbers.insert(event.data)
          received += 1
          left -= 1
          return left == 0 || received == total
        }
      }
      try await producer.value
      #expect(numbers.count == total, "\(generator)")
      #expect(lastSeen == Int64(total), "\(generator)")
    }
  }

  @Test func everyStreamOfTheUserAndNobodyElsesHears() async throws {
    try await run { platform, url, client async throws in
      let ada = try await Self.guest(platform)
      let bob = try await Self.guest(platform)
      // Settings changed on one device are sent to the user's other devices.
      let streams = try await (0..<3).asyncMap { _ in
        try await Reader(client: client, url: url, token: ada.accessToken).openAndBegin()
      }
      let foreign = try await Reader(client: client, url: url, token: bob.accessToken).openAndBegin()
      let me = platform.client().with(accessToken: ada.accessToken)
      var settings = UserSettings()
      settings.darkMode = true
      _ = try await me.send(AuthAPI.PutSettings(settings))
      for stream in streams {
        var text = ""
        for try await chunk in stream {
          text += String(buffer: chunk)
          if text.contains("settings.changed") && text.hasSuffix("}\n\n") { break }
        }
        #expect(text.contains("event: settings.changed\ndata: {\"version\":1}\n\n"), "\(text)")
      }
      try await Self.deliver(RealtimeEvent(to: bob.user.id, "for.bob"), to: platform, number: 1)
      var text = ""
      for try await chunk in foreign {
        text += String(buffer: chunk)
        if text.contains("for.bob") { break }
      }
      #expect(!text.contains("settings.changed"))
    }
  }

  @Test func whoWasAwayTooLongReadsAnew() async throws {
    try await run(time: ManualTime()) { platform, url, client async throws in
      let session = try await Self.guest(platform)
      for number in 1...3 {
        try await Self.deliver(RealtimeEvent(to: session.user.id, "old"), to: platform, number: number)
      }
      let reader = Reader(client: client, url: url, token: session.accessToken)
      func first(_ lastSeen: Int64?) async throws -> Reader.Event? {
        var found: Reader.Event?
        try await reader.read(lastSeen: lastSeen) { event in
          found = event
          return true
        }
        return found
      }
      #expect(try await first(1) == .init(id: 2, name: "old", data: "{}"))
      // An ID beyond the last event belongs to another database.
      #expect(try await first(99) == .init(id: 3, name: "resync", data: "{}"))
      let database = try #require(platform.database(of: "gateway"))
      _ = try await database.write { tx in try tx.execute("DELETE FROM realtime_events WHERE sequence < 3") }
      #expect(try await first(1) == .init(id: 3, name: "resync", data: "{}"))
      #expect(try await first(2) == .init(id: 3, name: "old", data: "{}"))
    }
  }

  @Test(
    arguments: [
      (nil, 7, 3, EventStream.Start.after(7)), (7, 7, 3, .after(7)), (2, 7, 3, .after(2)), (1, 7, 3, .resync(7)),
      (9, 7, 3, .resync(7)), (0, 0, nil, .after(0)), (5, 7, nil, .resync(7)), (nil, 0, nil, .after(0)),
    ] as [(Int64?, Int64, Int64?, EventStream.Start)]
  )
  func streamsBeginWhereTheAppLeftOff(seen: Int64?, last: Int64, oldest: Int64?, start: EventStream.Start) {
    #expect(EventStream.start(lastSeen: seen, last: last, oldest: oldest) == start)
  }

  @Test func streamsAreForSignedInPeopleWhileTheyAre() async throws {
    try await run { platform, url, client async throws in
      for (headers, status) in [
        ([:], 401), ([.authorization: "Bearer x"], 401),
      ] as [(HTTPFields, Int)] {
        let answer = try await client.execute(ClientRequest(origin: url, target: "/v1/events", headers: headers))
        #expect(answer.status == status)
      }
      let session = try await Self.guest(platform)
      let wrong = try await client.execute(
        ClientRequest(
          origin: url,
          target: "/v1/events",
          headers: [
            .authorization: "Bearer \(session.accessToken)", HTTPField.Name("Last-Event-ID") ?? .accept: "yesterday",
          ]
        )
      )
      #expect(wrong.status == 400)
      // The stream ends with its session.
      let stream = try await Reader(client: client, url: url, token: session.accessToken).openAndBegin()
      let me = platform.client().with(accessToken: session.accessToken)
      _ = try await me.send(AuthAPI.LogOut(scope: .local))
      var text = ""
      for try await chunk in stream { text += String(buffer: chunk) }
      #expect(text.contains("event: session.ended"))
    }
  }

  @Test func oneUserCannotHoldAllStreams() async throws {
    try await run { platform, url, client async throws in
      let session = try await Self.guest(platform)
      let reader = Reader(client: client, url: url, token: session.accessToken)
      // A HEAD request opens no stream.
      for _ in 0..<30 {
        let head = ClientRequest(
          .head,
          origin: url,
          target: "/v1/events",
          headers: [.authorization: "Bearer \(session.accessToken)"]
        )
        #expect(try await client.execute(head).status == 200)
      }
      let oldest = try await reader.openAndBegin()
      var streams: [ResponseStream] = []
      for _ in 0..<20 { streams.append(try await reader.openAndBegin()) }
      // One stream too many ends the oldest, not the newest.
      for try await _ in oldest {}
      try await Self.deliver(RealtimeEvent(to: session.user.id, "still.here"), to: platform, number: 1)
      for stream in streams {
        var text = ""
        for try await chunk in stream {
          text += String(buffer: chunk)
          if text.contains("event: still.here\n") { break }
        }
        #expect(text.contains("event: still.here\n"))
      }
    }
  }

  /// A stream that is cut off before its first event resumes where it started.
  @Test func aNewStreamTellsWhereItBegins() async throws {
    try await run { platform, url, client async throws in
      let session = try await Self.guest(platform)
      for number in 1...2 {
        try await Self.deliver(RealtimeEvent(to: session.user.id, "before"), to: platform, number: number)
      }
      let reader = Reader(client: client, url: url, token: session.accessToken)
      var first = ""
      for try await chunk in try await reader.open(lastSeen: nil) {
        first += String(buffer: chunk)
        if first.contains("\n\n") { break }
      }
      #expect(first == "id: 2\nretry: 2000\n\n")
      try await Self.deliver(RealtimeEvent(to: session.user.id, "between"), to: platform, number: 3)
      try await reader.read(lastSeen: 2) { event in
        #expect(event == .init(id: 3, name: "between", data: "{}"))
        return true
      }
    }
  }

  /// Two gateways share a database: an event delivered to one wakes the streams of the other.
  @Test func gatewaysWakeEachOthersStreams() async throws {
    let database = try await TestDatabase.postgresql.settings()
    try await withRedis { redis in
      // Both gateways call the same auth service.
      let usual = database.merging(["limits.read": "0/1", "redis.url": redis]) { $1 }
      try await TestPlatform.listen([AuthPlugin.self], settings: usual) { _, auth in
        let settings = usual.merging(["services.auth.url": auth.url]) { $1 }
        try await TestPlatform.listen([GatewayPlugin.self], settings: settings) { first, _ in
          try await TestPlatform.listen([GatewayPlugin.self], settings: settings) { _, second in
            let session = try await first.client.send(AuthAPI.SignInAsGuest())
            let reader = Reader(client: second.http, url: second.url, token: session.accessToken)
            let stream = try await reader.open(lastSeen: 0)
            var text = ""
            for number in 0...20 {
              // Each event is delivered to one gateway and read at the other before the next one is sent.
              for try await chunk in stream {
                text += String(buffer: chunk)
                if text.contains(number == 0 ? "retry:" : "event: number.\(number)\n") { break }
              }
              let event = RealtimeEvent(to: session.user.id, "number.\(number + 1)")
              try await Self.deliver(event, to: first.platform, number: number + 1)
            }
            let ids = text.matches(of: /id: (\d+)\nevent: number/).compactMap { Int($0.1) }
            #expect(ids == Array(1...20))
          }
        }
      }
    }
  }
}
