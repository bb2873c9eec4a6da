import AuthService
import Contracts
import CurlClient
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import GatewayService

/// Streams that follow topics, over sockets.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct TopicTests {
  /// Members of rooms 0 to `count`.
  private static func member(of count: Int, _ test: TestPlatform) async throws -> TestUser {
    let user = try await test.person()
    for number in 0..<count { try test.rooms.rights.join(room(number), user.id) }
    return user
  }

  @Test(arguments: TestDatabase.allCases)
  func followersHearWhatServicesRecord(_ database: TestDatabase) async throws {
    try await TestPlatform.rooms(database: database) { test, web in
      let (ada, bob) = (try await Self.member(of: 1, test), try await test.person())
      let (stream, followed) = try await web.reader(ada).follow([room(0), Topic("room", "n1"), Topic("nothing", "x")])
      #expect(followed.topics == [room(0)])
      #expect(
        followed.refused == [RefusedTopic(room(1), .notAllowed), RefusedTopic(Topic("nothing", "x"), .notAllowed)]
      )
      let (foreign, _) = try await web.reader(bob).follow([room(0)])
      try await test.rooms.record(TopicEvent(room(0), "painted", ["color": "blue"]))
      let event = try await stream.next()
      #expect(event.name == "painted")
      #expect(event.data == #"{"color":"blue"}"#)
      // One row, whoever follows.
      #expect(try await test.log(of: .topic(room(0))).count == 1)
      try await test.events.send(RealtimeEvent(to: bob.id, "for.bob"))
      #expect(try await foreign.next().name == "for.bob")
    }
  }

  @Test func whatIsAlsoForUsersComesOnce() async throws {
    try await TestPlatform.rooms { test, web in
      let user = try await Self.member(of: 1, test)
      let (follower, _) = try await web.reader(user).follow([room(0)])
      let (other, _) = try await web.reader(user).follow()
      for _ in 0..<3 { try await test.events.send(TopicEvent(room(0), "sent", [:], alsoTo: [user.id])) }
      try await test.events.send(RealtimeEvent(to: user.id, "last"))
      for stream in [follower, other] {
        let events = try await stream.events(until: "last")
        #expect(events.map(\.name) == ["sent", "sent", "sent", "last"])
      }
      // The same when they were missed.
      let (late, _) = try await web.reader(user).follow([room(0)], lastSeen: 0)
      #expect(try await late.events(until: "last").map(\.id) == [1, 2, 3, 4])
    }
  }

  @Test(arguments: [
    "topics=Room:1", "topics=room", "topics=room:1:2:3", "topics=room:%20", "topics=room:a,room:b%2Fc",
    "topics=" + (0...50).map { "room:n\($0)" }.joined(separator: ","),
  ])
  func malformedTopicsAreRefused(query: String) async throws {
    try await TestPlatform.rooms { test, _ in
      let user = try await test.person()
      let response = try await test.send(.get, "/v1/events?\(query)", by: user)
      #expect(response.status == 422)
      #expect(String(decoding: response.body, as: UTF8.self).contains("query.topics"))
    }
  }

  @Test func topicsChangeWhileTheStreamIsOpen() async throws {
    try await TestPlatform.rooms { test, web in
      let user = try await Self.member(of: 3, test)
      let (stream, opened) = try await web.reader(user).follow([room(0), room(1)])
      let answer = try await user.client.send(
        GatewayAPI.FollowTopics(stream: opened.stream, topics: [room(1), room(2), room(7)])
      )
      #expect(answer.topics == [room(1), room(2)])
      #expect(answer.refused == [RefusedTopic(room(7), .notAllowed)])
      for number in [0, 1, 2, 7] { try await test.events.send(TopicEvent(room(number), "in.\(number)", [:])) }
      try await test.events.send(RealtimeEvent(to: user.id, "last"))
      #expect(try await stream.events(until: "last").map(\.name) == ["topics", "in.1", "in.2", "last"])
    }
  }

  @Test func onlyTheOwnStreamCanBeChanged() async throws {
    try await TestPlatform.rooms { test, web in
      let (ada, bob) = (try await Self.member(of: 1, test), try await Self.member(of: 1, test))
      let (stream, opened) = try await web.reader(ada).follow()
      let change = GatewayAPI.FollowTopics(stream: opened.stream, topics: [room(0)])
      #expect(try await problem { _ = try await bob.client.send(change) }?.code == "stream-not-found")
      let unknown = GatewayAPI.FollowTopics(stream: test.ids.make(), topics: [])
      #expect(try await problem { _ = try await ada.client.send(unknown) }?.code == "stream-not-found")
      let many = GatewayAPI.FollowTopics(stream: opened.stream, topics: (0...50).map { room($0) })
      #expect(try await problem { _ = try await ada.client.send(many) }?.code == "invalid-request")
      // A closed stream is unknown soon after.
      try test.realtime.hub.drain()
      _ = try await stream.readToEnd()
      try await eventually("the stream is forgotten") {
        try await problem { _ = try await ada.client.send(change) }?.code == "stream-not-found"
      }
    }
  }

  /// The stream is held by one gateway, and its topics are changed through the other.
  @Test func topicsChangeThroughAnotherGateway() async throws {
    try await TwoGateways.run([AuthPlugin.self]) { first, second in
      let session = try await first.test.guest()
      let reader = StreamReader(client: second.web.http, url: second.web.url, token: session.accessToken)
      let (stream, opened) = try await reader.follow([room(0)])
      #expect(opened.refused == [RefusedTopic(room(0), .notAllowed)])
      let answer = try await first.web.client.with(accessToken: session.accessToken).send(
        GatewayAPI.FollowTopics(stream: opened.stream, topics: [room(1)])
      )
      #expect(answer.stream == opened.stream)
      #expect(answer.refused == [RefusedTopic(room(1), .notAllowed)])
      // A refused topic is reported, and not stored for all gateways.
      #expect(try await stream.topics() == FollowedTopics(stream: opened.stream, topics: [], refused: []))
    }
  }

  /// The log of a topic is bounded; streams that missed more receive `resync` for that topic only.
  @Test(arguments: TestDatabase.allCases)
  func whatIsNoLongerStoredHasToBeLoadedAgain(_ kind: TestDatabase) async throws {
    try await TestPlatform.rooms(database: kind) { test, web in
      let user = try await Self.member(of: 2, test)
      let database = try test.database(of: GatewayAPI.self)
      try await database.write { tx in
        try EventLogStore.insert(TopicEvent(room(1), "quiet", [:]), in: tx)
        for _ in 0..<1000 { try EventLogStore.insert(TopicEvent(room(0), "noisy", [:]), in: tx) }
        try EventLogStore.insert(RealtimeEvent(to: user.id, "last"), in: tx)
      }
      try await eventually("the gateway has read the log") { try test.realtime.hub.number == 1002 }
      let kept = try await test.log(of: .topic(room(0)))
      #expect((EventLogStore.keptPerTopic...2 * EventLogStore.keptPerTopic).contains(kept.count))
      #expect(kept.map(\.number) == Array((1002 - Int64(kept.count))...1001))
      let oldest = try #require(kept.first).number
      let (behind, _) = try await web.reader(user).follow([room(0), room(1)], lastSeen: 0)
      let events = try await behind.events(until: "last")
      #expect(events.map(\.name) == ["resync", "quiet", "last"])
      #expect(events.first?.data == #"{"user":false,"topics":["room:n0"]}"#)
      // A stream that has missed only what is stored gets it.
      let (near, _) = try await web.reader(user).follow([room(0), room(1)], lastSeen: oldest - 1)
      #expect(try await near.events(until: "last").map(\.id) == kept.map(\.number) + [1002])
      // New events follow in both cases.
      try await test.events.send(TopicEvent(room(0), "new", [:]))
      #expect(try await behind.next().name == "new")
      #expect(try await near.next().name == "new")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func signalsReachFollowersAndAreNotStored(_ kind: TestDatabase) async throws {
    try await TestPlatform.rooms(database: kind) { test, web in
      let (ada, bob) = (try await Self.member(of: 1, test), try await Self.member(of: 1, test))
      let stranger = try await test.person()
      let (adas, _) = try await web.reader(ada).follow([room(0)])
      let (bobs, _) = try await web.reader(bob).follow([room(0)])
      let (foreign, _) = try await web.reader(stranger).follow([room(0)])
      // Streams receive signals as soon as they are up to date.
      try await test.events.send(TopicEvent(room(0), "first", [:]))
      #expect(try await adas.next().name == "first")
      #expect(try await bobs.next().name == "first")
      let rooms = test.platform.client(of: GatewayAPI.self, as: "rooms")
      _ = try await rooms.send(SignalsAPI.Send(room(0), "typing", ["by": "ada"], from: ada.id))
      let signal = try await bobs.next()
      #expect(signal == .init("event: typing\ndata: {\"by\":\"ada\"}"))
      for user in [ada, bob, stranger] { try await test.events.send(RealtimeEvent(to: user.id, "last")) }
      #expect(try await adas.events(until: "last").map(\.name) == ["last"])
      #expect(try await foreign.events(until: "last").map(\.name) == ["last"])
      let names = try await test.database(of: GatewayAPI.self).read { db in
        try db.values("SELECT name FROM realtime_log ORDER BY number", as: String.self)
      }
      #expect(names == ["first", "last", "last", "last"])
    }
  }

  /// Events between two changes belong to the first one, also when a gateway reads all of them at once.
  @Test(arguments: TestDatabase.allCases)
  func changesInQuickSuccessionLoseNothing(_ kind: TestDatabase) async throws {
    try await TestPlatform.rooms(database: kind) { test, web in
      let user = try await Self.member(of: 3, test)
      let (stream, opened) = try await web.reader(user).follow()
      let number = try test.realtime.hub.number
      @Sendable func change(_ topics: [Topic]) -> TopicsChange {
        TopicsChange(topics: topics, refused: [], checkedAt: number)
      }
      try await test.database(of: GatewayAPI.self).write { tx in
        try EventLogStore.insert(TopicEvent(room(0), "early", [:]), in: tx)
        try EventLogStore.insert(change([room(0)]), of: opened.stream, in: tx)
        try EventLogStore.insert(TopicEvent(room(0), "first", [:]), in: tx)
        try EventLogStore.insert(change([room(0), room(1)]), of: opened.stream, in: tx)
        try EventLogStore.insert(TopicEvent(room(1), "second", [:]), in: tx)
        try EventLogStore.insert(change([room(2)]), of: opened.stream, in: tx)
        try EventLogStore.insert(TopicEvent(room(1), "late", [:]), in: tx)
      }
      try await test.events.send(RealtimeEvent(to: user.id, "last"))
      let names = try await stream.events(until: "last").map(\.name)
      #expect(names == ["topics", "first", "topics", "second", "topics", "last"])
    }
  }

  /// The log has a bounded number of entries of a stream, and none of what the user asked for in vain.
  @Test(arguments: TestDatabase.allCases)
  func aUserCannotFloodTheLog(_ kind: TestDatabase) async throws {
    // Time stands still, so that no further change is allowed while the calls take time.
    try await TestPlatform.rooms(database: kind, time: ManualTime(TimeSource.system.now())) { test, web in
      let user = try await Self.member(of: 1, test)
      let (stream, opened) = try await web.reader(user).follow()
      let change = GatewayAPI.FollowTopics(stream: opened.stream, topics: [room(0), room(8)])
      var (accepted, refused) = (0, Problem?.none)
      while refused == nil, accepted < 500 {
        refused = try await problem {
          let answer = try await user.client.send(change)
          #expect(answer.refused == [RefusedTopic(room(8), .notAllowed)])
        }
        if refused == nil { accepted += 1 }
      }
      #expect((30..<500).contains(accepted))
      #expect(refused?.code == "too-many-requests")
      #expect(refused?.retryAfter.map { (1...60).contains($0) } == true)
      let stored = try await test.log(of: .stream(opened.stream))
      #expect(stored.count == EventLogStore.changesPerStream)
      #expect(stored.filter { $0.data.contains(room(8).rawValue) }.isEmpty)
      // Other sessions are not concerned.
      let another = try await Self.member(of: 1, test)
      let (_, others) = try await web.reader(another).follow()
      let own = GatewayAPI.FollowTopics(stream: others.stream, topics: [room(0)])
      #expect(try await another.client.send(own).topics == [room(0)])
      // Nothing is left of closed streams.
      try test.realtime.hub.drain()
      _ = try await stream.readToEnd()
      try await eventually("the log has nothing of the stream") {
        try await test.log(of: .stream(opened.stream)).isEmpty
      }
    }
  }

  @Test func aLongListOfTopicsIsRefusedBeforeItIsRead() async throws {
    try await TestPlatform.rooms { test, web in
      let user = try await test.person()
      let (_, opened) = try await web.reader(user).follow()
      let topics = Array(repeating: #""a:b""#, count: 10_900).joined(separator: ",")
      let path = "/v1/events/\(opened.stream)/topics"
      #expect(try await test.send(.put, path, "{\"topics\":[\(topics)]}", by: user).status == 413)
      // The longest possible list is not too large.
      let longest = (10..<60).map { Topic("room", String(repeating: "x", count: 93) + "\($0)") }
      let change = GatewayAPI.FollowTopics(stream: opened.stream, topics: longest)
      #expect(try await user.client.send(change).refused.count == 50)
    }
  }

  @Test func topicsAreOfOneForm() throws {
    for text in ["room:1", "a:B", "user:018f-x:videos", "a:-"] {
      #expect(throws: Never.self) { try Topic(validating: text) }
    }
    let malformed = [
      "", "a", "a:", ":ab", "room", "a:b:", "a::b", "a:b:c:d", "Room:1", "r2:1", "r-x:1", "a:b c", "a:b\nc", "a:b_c",
      "ä:bc",
      "a:bé", "a:" + String(repeating: "x", count: 99),
    ]
    for text in malformed { #expect(throws: ValueError.self, "\(text)") { try Topic(validating: text) } }
  }

  /// A service sends only what concerns its own topics, whatever it calls itself.
  @Test func servicesSendForTheirOwnTopicsOnly() async throws {
    try await TestPlatform.rooms { test, _ in
      let user: UserID = test.ids.make()
      for (topic, code) in [(room(0), "forbidden"), (Topic("nothing", "x"), "unavailable")] {
        let codes = [
          try await problem { try await test.events.send(TopicEvent(topic, "sent", [:]), as: "auth") },
          try await problem { try await test.events.send(TopicAccessEnded([topic], for: nil), as: "auth") },
          try await problem {
            let auth = test.platform.client(of: GatewayAPI.self, as: "auth")
            _ = try await auth.send(SignalsAPI.Send(topic, "typing", [:], from: user))
          },
        ].map { $0?.code }
        #expect(codes == Array(repeating: code, count: 3))
      }
      let mixed = TopicAccessEnded([room(0), Topic("nothing", "x")], for: nil)
      #expect(try await problem { try await test.events.send(mixed) } != nil)
      let stored = try await test.database(of: GatewayAPI.self).read { db in
        try db.count("SELECT COUNT(*) FROM realtime_log")
      }
      #expect(stored == 0)
    }
  }

  @Test(arguments: ["", "a\ndata: b", "a\r", "a b", "é", String(repeating: "x", count: 101)])
  func namesOfSignalsCannotEndTheirFrames(name: String) async throws {
    try await TestPlatform.rooms { test, _ in
      let rooms = test.platform.client(of: GatewayAPI.self, as: "rooms")
      let refused = try await problem {
        _ = try await rooms.send(SignalsAPI.Send(room(0), name, [:], from: test.ids.make()))
      }
      #expect(refused?.code == "invalid-request")
      #expect(refused?.errors?.map(\.location) == ["body.name"])
    }
  }

  @Test func onlyServicesSendSignals() async throws {
    try await TestPlatform.rooms { test, _ in
      let user = try await test.person()
      let body = #"{"topic":"room:n0","name":"typing","data":{},"sender":"\#(user.id)"}"#
      #expect(try await test.send(.post, "/internal/v1/signals", body, by: user).status == 401)
    }
  }

  @Test func signalsReachTheStreamsOfOtherGateways() async throws {
    try await withRedis { redis in
      try await TwoGateways.run([AuthPlugin.self, RoomsPlugin.self], settings: ["redis.url": redis]) { first, second in
        let square = Topic("square", "main")
        let session = try await first.test.guest()
        let reader = StreamReader(client: second.web.http, url: second.web.url, token: session.accessToken)
        // The second gateway knows the kinds of topics once it follows one.
        let (stream, opened) = try await reader.follow([square])
        #expect(opened.topics == [square])
        try await first.test.events.send(TopicEvent(square, "first", [:]))
        #expect(try await stream.next().name == "first")
        let rooms = first.test.platform.client(of: GatewayAPI.self, as: "rooms")
        let sender: UserID = first.test.ids.make()
        _ = try await rooms.send(SignalsAPI.Send(square, "waving", [:], from: sender))
        #expect(try await stream.next().name == "waving")
      }
    }
  }

  /// Some hundred times: the connection is cut, and the app resumes; each topic's events come once and in order.
  @Test func nothingIsLostWhenConnectionsAreCut() async throws {
    try await TestPlatform.rooms { test, web in
      let user = try await Self.member(of: 5, test)
      let reader = web.reader(user)
      let topics = (0..<5).map { room($0) }
      let total = 2000
      let events = test.events
      let producer = Task {
        var generator = SeededGenerator()
        for number in 0..<total {
          let content: JSONValue = ["number": .integer(Int64(number))]
          let topic = topics[Int.random(in: 0..<topics.count, using: &generator)]
          if Bool.random(using: &generator) {
            try await events.send(TopicEvent(topic, "counted", content, alsoTo: [user.id]))
          } else {
            try await events.send(TopicEvent(topic, "counted", content))
          }
        }
      }
      var generator = SeededGenerator()
      var (lastSeen, received, cuts) = (Int64(0), [Int64](), 0)
      while received.count < total {
        let stream = try await reader.open(topics, lastSeen: lastSeen)
        var left = Int.random(in: 0...12, using: &generator)
        while left > 0, received.count < total {
          let event = try await stream.next()
          guard event.name == "counted" else {
            #expect(event.name == "topics", "\(generator)")
            continue
          }
          let content = try WireJSON.decode(JSONValue.self, from: event.data.utf8)
          if case .integer(let number)? = content["number"] { received.append(number) }
          left -= 1
        }
        // Also what an id without an event says.
        lastSeen = stream.lastSeen ?? lastSeen
        cuts += 1
      }
      try await producer.value
      #expect(received == Array(0..<Int64(total)), "\(generator)")
      #expect(cuts > 200, "\(generator)")
    }
  }
}
