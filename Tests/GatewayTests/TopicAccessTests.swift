import AuthService
import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import GatewayService

/// The rights to follow topics, and that streams lose topics when rights end.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct TopicAccessTests {
  private enum Change: CaseIterable {
    case none
    /// The service reports that the right of one user has ended.
    case endsForUser
    /// The service reports that everyone's right has ended.
    case endsForAll
    /// The service reports nothing; the gateway asks again.
    case endsSilently
    case anotherLosesIt
  }

  /// Role × kind × change: a stream receives a topic's events exactly while its user may follow it.
  @Test func noRoleHearsWhatItMayNot() async throws {
    try await TestPlatform.rooms { test, web in
      let roles: [[Role]] = [[.guest], [.user], [.support], [.administrator, .user]]
      let (realtime, rooms) = (try test.realtime, try test.rooms)
      var number = 0
      for role in roles {
        for kind in ["room", "lounge", "square"] {
          for isMember in [false, true] {
            for change in Change.allCases {
              number += 1
              let topic = Topic(kind, "m\(number)")
              rooms.rights.setStaff([.support, .administrator])
              let (user, another) = (try await test.person(role), try await test.person(role))
              if isMember { for person in [user, another] { rooms.rights.join(topic, person.id) } }
              let isStaff = role.contains(.support) || role.contains(.administrator)
              let mayFollow = kind == "square" || (kind == "room" ? isMember : isStaff)
              let what: Testing.Comment = "\(role) \(kind) \(isMember) \(change)"
              let (stream, opened) = try await web.reader(user).follow([topic])
              #expect(opened.topics == (mayFollow ? [topic] : []), what)
              try await test.events.send(TopicEvent(topic, "before", [:]))
              try await test.events.send(RealtimeEvent(to: user.id, "mark"))
              #expect(
                try await stream.events(until: "mark").map(\.name) == (mayFollow ? ["before"] : []) + ["mark"], what)

              try await perform(change, topic, user.id, another.id, test, realtime)
              let loses = mayFollow && ![Change.none, .anotherLosesIt].contains(change)
              if loses {
                let now = try await stream.topics()
                #expect(now.topics.isEmpty, what)
                #expect(now.refused == [RefusedTopic(topic, .notAllowed)], what)
              }
              let hears = mayFollow && !loses
              try await test.events.send(TopicEvent(topic, "after", [:]))
              try await test.events.send(RealtimeEvent(to: user.id, "mark"))
              #expect(try await stream.events(until: "mark").map(\.name) == (hears ? ["after"] : []) + ["mark"], what)
              // Nor does a stream that resumes receive what followed the end of the right.
              let (again, _) = try await web.reader(user).follow([topic], lastSeen: stream.lastSeen.map { $0 - 2 })
              #expect(try await again.events(until: "mark").map(\.name) == (hears ? ["after"] : []) + ["mark"], what)
            }
          }
        }
      }
    }
  }

  private func perform(
    _ change: Change, _ topic: Topic, _ user: UserID, _ another: UserID, _ test: TestPlatform, _ realtime: Realtime
  ) async throws {
    let rights = try test.rooms.rights
    func end(_ person: UserID) {
      rights.leave(topic, person)
      if topic.kind == "lounge" { rights.setStaff([]) }
      if topic.kind == "square" { rights.close(topic) }
    }
    switch change {
    case .none: break
    case .endsForUser:
      end(user)
      try await test.rooms.record(TopicAccessEnded([topic], for: user))
    case .endsForAll:
      end(user)
      rights.close(topic)
      try await test.rooms.record(TopicAccessEnded([topic], for: nil))
    case .endsSilently:
      end(user)
      for turn in 0..<StreamHub.turnCount {
        await realtime.access.review(realtime.hub.followers(inTurn: turn), in: realtime.hub)
      }
    case .anotherLosesIt:
      rights.leave(topic, another)
      try await test.events.send(TopicAccessEnded([topic], for: another))
    }
  }

  /// The service answers that the user may, and the right ends before the answer arrives.
  @Test func aRightThatEndsWhileItIsCheckedIsNotLost() async throws {
    try await TestPlatform.rooms { test, web in
      let user = try await test.person()
      let (rights, realtime) = (try test.rooms.rights, try test.realtime)
      rights.join(room(0), user.id)
      let answer = rights.hold()
      let reader = web.reader(user)
      let opening = Task { try await reader.follow([room(0)]).1 }
      try await eventually("the service is asked") { rights.calls == 1 }
      rights.leave(room(0), user.id)
      try await test.events.send(TopicAccessEnded([room(0)], for: user.id))
      try await eventually("the gateway has read the end") { realtime.hub.number == 1 }
      answer.finish()
      let opened = try await opening.value
      #expect(opened.topics.isEmpty)
      #expect(opened.refused == [RefusedTopic(room(0), .notAllowed)])
      // The outdated answer is not used again.
      #expect(try await reader.follow([room(0)]).1.topics.isEmpty)
    }
  }

  /// A user who left and came back does not catch up on what happened in between.
  @Test(arguments: TestDatabase.allCases)
  func whatHappenedWithoutAUserIsNotCaughtUpOn(_ kind: TestDatabase) async throws {
    try await TestPlatform.rooms(database: kind) { test, web in
      let user = try await test.person()
      let rights = try test.rooms.rights
      for number in 0..<2 { rights.join(room(number), user.id) }
      try await test.events.send(RealtimeEvent(to: user.id, "one"))
      try await test.events.send(TopicAccessEnded([room(0)], for: user.id))
      try await test.events.send(TopicEvent(room(0), "secret", [:]))
      try await test.events.send(TopicEvent(room(1), "known", [:]))
      try await eventually("the gateway has read the log") { try test.realtime.hub.number == 4 }
      let (stream, opened) = try await web.reader(user).follow([room(0), room(1)], lastSeen: 1)
      #expect(opened.topics == [room(0), room(1)])
      let resync = try await stream.next()
      #expect(resync == .init("event: resync\ndata: {\"user\":false,\"topics\":[\"room:n0\"]}"))
      #expect(try await stream.next().name == "known")
      try await test.events.send(TopicEvent(room(0), "new", [:]))
      #expect(try await stream.next().name == "new")
    }
  }

  @Test func answersAreKeptUntilTheRightEnds() async throws {
    // Time stands still: answers are kept for a minute.
    try await TestPlatform.rooms(time: ManualTime(TimeSource.system.now())) { test, web in
      let user = try await test.person()
      let rights = try test.rooms.rights
      for number in 0..<3 { rights.join(room(number), user.id) }
      let topics = [room(0), room(1), room(2)]
      #expect(try await web.reader(user).follow(topics).1.topics == topics)
      // The service is not needed again until the right ends.
      rights.setDown(true)
      for _ in 0..<5 { #expect(try await web.reader(user).follow(topics).1.topics == topics) }
      try await test.events.send(TopicAccessEnded([room(1)], for: nil))
      try await eventually("the gateway has read the end") { try test.realtime.hub.number == 1 }
      let opened = try await web.reader(user).follow(topics).1
      #expect(opened.topics == [room(0), room(2)])
      #expect(opened.refused == [RefusedTopic(room(1), .unavailable)])
    }
  }

  /// While a service is down, streams keep what they follow, and new topics are refused for now.
  @Test func aServiceThatIsDownTakesNothingAway() async throws {
    try await TestPlatform.rooms { test, web in
      let user = try await test.person()
      let (rights, realtime) = (try test.rooms.rights, try test.realtime)
      for number in 0..<2 { rights.join(room(number), user.id) }
      let (stream, opened) = try await web.reader(user).follow([room(0)])
      rights.setDown(true)
      for turn in 0..<StreamHub.turnCount {
        await realtime.access.review(realtime.hub.followers(inTurn: turn), in: realtime.hub)
      }
      let answer = try await user.client.send(
        GatewayAPI.FollowTopics(stream: opened.stream, topics: [room(0), room(1)])
      )
      #expect(answer.refused == [RefusedTopic(room(1), .unavailable)])
      try await test.events.send(TopicEvent(room(0), "still.here", [:]))
      #expect(try await stream.events(until: "still.here").map(\.name) == ["topics", "still.here"])
      rights.setDown(false)
      let later = try await user.client.send(
        GatewayAPI.FollowTopics(stream: opened.stream, topics: [room(0), room(1)])
      )
      #expect(later.topics == [room(0), room(1)])
    }
  }

  /// A right ends at one gateway; the streams of the other lose the topic.
  @Test func rightsEndAtEveryGateway() async throws {
    try await TwoGateways.run([AuthPlugin.self, RoomsPlugin.self]) { first, second in
      let square = Topic("square", "main")
      let session = try await first.test.guest()
      let reader = StreamReader(client: second.web.http, url: second.web.url, token: session.accessToken)
      let (stream, opened) = try await reader.follow([square])
      #expect(opened.topics == [square])
      try await first.test.events.send(TopicAccessEnded([square], for: session.user.id))
      #expect(try await stream.topics().topics.isEmpty)
    }
  }

  @Test func onlyTheGatewayAsks() async throws {
    try await TestPlatform.rooms { test, _ in
      let question = TopicsAPI.Authorize(user: test.ids.make(), roles: [.user], topics: [Topic("square", "x")])
      let others = APIClient(transport: test.platform.transport(to: "rooms"))
      let refused = try await problem { _ = try await others.send(question) }
      #expect(refused?.is(.tokenMissing) == true)
    }
  }

  // MARK: what is known

  @Test func knownRightsExpireAndAreBounded() {
    let (user, now) = (UserID(trusted: "u"), Timestamp(microseconds: 0))
    let reader = TopicAccessCache.Reader(user: user, roles: [.user])
    var known = TopicAccessCache(maxAllowed: 10, maxEnds: 4)
    for number in 0..<25 { known.allow(room(number), to: reader, until: now.advanced(bySeconds: 60), at: now) }
    #expect(known.count <= 10)
    #expect(known.isAllowed(room(24), to: reader, at: now))
    #expect(!known.isAllowed(room(24), to: .init(user: user, roles: [.guest]), at: now))
    #expect(!known.isAllowed(room(24), to: reader, at: now.advanced(bySeconds: 60)))
  }

  @Test func endsAreKnownForAWhile() {
    let (ada, bob) = (UserID(trusted: "a"), UserID(trusted: "b"))
    var known = TopicAccessCache(maxAllowed: 10, maxEnds: 4)
    known.end(TopicAccessEnded([room(1)], for: ada), at: 10)
    #expect(known.change(of: room(1), for: ada, since: 9) == .ended)
    #expect(known.change(of: room(1), for: ada, since: 10) == .unchanged)
    #expect(known.change(of: room(1), for: bob, since: 9) == .unchanged)
    #expect(known.change(of: room(2), for: ada, since: 9) == .unchanged)
    for number in 11...14 { known.end(TopicAccessEnded([room(3)], for: nil), at: Int64(number)) }
    // The oldest are forgotten, and answers from before then are not trusted.
    #expect(known.change(of: room(1), for: ada, since: 9) == .unknown)
    #expect(known.change(of: room(1), for: ada, since: 11) == .unchanged)
    #expect(known.change(of: room(3), for: bob, since: 13) == .ended)
  }
}
