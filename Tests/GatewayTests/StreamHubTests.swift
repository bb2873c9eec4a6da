import Contracts
import Foundation
import HTTPServing
import Logging
import NIOCore
import Observability
import Persistence
import ServiceKit
import Synchronization
import TestKit
import Testing

@testable import GatewayService

/// The log and the streams of one process, without sockets.
@Suite(.timeLimit(.minutes(60)))
struct StreamHubTests {
  /// Records what is written to a stream.
  private final class Output: StreamOutput {
    private struct State {
      var text = ""
      var isOpen = true
      var actions: [@Sendable () -> Void] = []
      /// The bytes written since the reader has taken what was there.
      var (unsent, maxUnsent) = (0, 0)
    }

    private let state = Mutex(State())

    var text: String { state.withLock { $0.text } }
    var isOpen: Bool { state.withLock { $0.isOpen } }

    func write(_ bytes: ByteBuffer) {
      state.withLock { state in
        guard state.isOpen else { return }
        state.text += String(buffer: bytes)
        state.unsent += bytes.readableBytes
        state.maxUnsent = max(state.maxUnsent, state.unsent)
      }
    }

    var maxUnsent: Int { state.withLock { $0.maxUnsent } }

    func end() {
      let actions = state.withLock { state in
        state.isOpen = false
        defer { state.actions = [] }
        return state.actions
      }
      for action in actions { action() }
    }

    func whenDrained(_ action: @escaping @Sendable () -> Void) {
      state.withLock { $0.unsent = 0 }
      action()
    }

    func whenClosed(_ action: @escaping @Sendable () -> Void) {
      let isOpen = state.withLock { state in
        if state.isOpen { state.actions.append(action) }
        return state.isOpen
      }
      if !isOpen { action() }
    }

    /// The complete frames.
    var frames: [OpenedStream.Frame] { text.components(separatedBy: "\n\n").dropLast().map { .init($0) } }
    var events: [OpenedStream.Frame] {
      frames.filter { frame in frame.name.map { !["topics", "resync"].contains($0) } ?? false }
    }
  }

  private struct NoOwners: TopicOwners {
    let isIncomplete = false
    func service(ofTopic kind: Substring) -> String? { nil }
  }

  /// Fails every call; these tests ask no service.
  private struct NoTransport: Transport {
    func send(_ request: WireRequest, headers: [(name: String, value: String)]) async throws(CallError) -> WireResponse
    {
      throw .notSent("no service")
    }
  }

  private struct Fixture: Sendable {
    let database: any Database
    let time: ManualTime
    let access: TopicAccess
    let hub: StreamHub
    let tail: EventTail
    let streams: EventStreams
    let ids = IDGenerator()

    init(_ database: any Database, maxCount: Int = 1000, folder: String) async throws {
      let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      (self.database, time) = (database, ManualTime())
      try await database.migrate(PlatformMigrations.all + GatewayMigrations.all, logger: quiet)
      let tokens = TokenVerifier(time: time.source) { JSONWebKeySet(keys: []) }
      access = TopicAccess(owners: NoOwners(), time: time.source, logger: quiet) { _ in
        APIClient(transport: NoTransport())
      }
      hub = StreamHub(maxCount: maxCount, access: access, tokens: tokens, metrics: Metrics())
      tail = EventTail(database, hub: hub, logger: quiet)
      streams = EventStreams(
        hub: hub, access: access, opener: StreamOpener(database, logger: quiet), tail: tail, database: database,
        tokens: tokens, ids: ids, keys: try DataKeys.forTests(folder)
      )
      try await tail.begin()
    }

    func viewer(_ user: UserID? = nil) -> UserCaller {
      UserCaller(
        id: user ?? ids.make(), sessionID: ids.make(), app: .web, scopes: [], roles: [.user],
        expiresAt: time.source.now().advanced(bySeconds: 3600)
      )
    }

    func open(_ viewer: UserCaller, _ topics: [Topic] = [], lastSeen: Int64? = nil) -> (EventStream, Output) {
      let output = Output()
      let stream = EventStream(ids.make(), viewer, output)
      streams.begin(stream, TopicsChange(topics: topics, refused: [], checkedAt: hub.number), lastSeen: lastSeen)
      return (stream, output)
    }

    /// Opens a stream and waits until it is up to date.
    func follow(_ viewer: UserCaller, _ topics: [Topic] = []) async throws -> (EventStream, Output) {
      let (stream, output) = open(viewer, topics)
      // A signal is written only to streams that are up to date.
      try await eventually("the stream is up to date") {
        stream.signal(ByteBuffer(string: "event: ping\n\n"))
        return output.text.contains("ping")
      }
      return (stream, output)
    }

    func readAll() async throws { while try await tail.readOnce() {} }
  }

  private static func run(
    _ kind: TestDatabase = .sqlite, maxCount: Int = 1000, _ body: (Fixture) async throws -> Void
  ) async throws {
    try await TemporaryFolder.run { folder async throws in
      try await kind.run { try await body(Fixture($0, maxCount: maxCount, folder: folder)) }
    }
  }

  /// Ten thousand streams are cut and resumed while events are stored and read: what each of forty apps receives in all
  /// is exactly what the log has for it, in order.
  @Test func nothingIsLostDoubledOrOutOfOrder() async throws {
    try await Self.run(maxCount: 100_000) { fixture in
      let topics = (0..<16).map { room($0) }
      let users = (0..<40).map { _ in fixture.viewer() }
      let finished = Counter()
      let generator = SeededGenerator()
      let seed = generator.seed
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          defer { finished.add() }
          var random = generator
          for _ in 0..<1500 {
            let events = (0..<Int.random(in: 1...5, using: &random)).map { _ in
              (
                topics.randomElement(using: &random), users.randomElement(using: &random)?.id,
                Int.random(in: 0..<4, using: &random)
              )
            }
            try await fixture.database.write { tx in
              for case (let topic?, let user?, let kind) in events {
                switch kind {
                case 0: try EventLogStore.insert(RealtimeEvent(to: user, "own", [:]), in: tx)
                case 1: try EventLogStore.insert(TopicEvent(topic, "both", [:], alsoTo: [user]), in: tx)
                default: try EventLogStore.insert(TopicEvent(topic, "said", [:]), in: tx)
                }
              }
            }
          }
        }
        group.addTask {
          while finished.value == 0 {
            try await fixture.readAll()
            await Task.yield()
          }
          try await fixture.readAll()
        }
        for (index, viewer) in users.enumerated() {
          group.addTask {
            var random = generator
            for _ in 0..<index { _ = random.next() }
            let followed = Array(topics.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random)))
            var received: [Int64] = []
            var lastSeen: Int64 = 0
            for cut in 0..<250 {
              let (stream, output) = fixture.open(viewer, followed, lastSeen: lastSeen)
              // The cut comes at any time: before the stream has begun, among missed events, or among new ones.
              for _ in 0..<Int.random(in: 0...400, using: &random) { await Task.yield() }
              if cut == 249 {
                while finished.value == 0 { try await Task.sleep(for: .milliseconds(20)) }
                try await eventually("the app is up to date") {
                  let expected = try await Self.expected(viewer.id, followed, after: lastSeen, fixture)
                  return output.events.compactMap(\.id).last == expected.last
                }
              }
              stream.end()
              received += output.events.compactMap(\.id)
              lastSeen = output.frames.compactMap(\.id).last ?? lastSeen
              #expect(!output.frames.contains { $0.name == "resync" }, "QUINTET_SEED=\(seed)")
            }
            let expected = try await Self.expected(viewer.id, followed, after: 0, fixture)
            #expect(received == expected, "QUINTET_SEED=\(seed)")
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// The numbers of the events that an app has to receive.
  private static func expected(_ user: UserID, _ topics: [Topic], after: Int64, _ fixture: Fixture) async throws
    -> [Int64]
  {
    let subjects = [LoggedEvent.Subject.user(user)] + topics.map { .topic($0) }
    let events = try await fixture.database.read { db in
      try EventLogStore.list(of: subjects, after: after, through: .max, limit: 100_000, in: db)
    }
    return events.map(\.number).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  @Test(arguments: TestDatabase.allCases)
  func numbersFollowTheOrderOfCommits(_ kind: TestDatabase) async throws {
    try await Self.run(kind) { fixture in
      let seen = Task {
        var numbers: [Int64] = []
        var last: Int64 = 0
        while numbers.count < 300 {
          let events = try await fixture.database.read { [last] db in
            try EventLogStore.list(after: last, through: .max, in: db)
          }
          numbers += events.map(\.number)
          last = events.last?.number ?? last
          await Task.yield()
        }
        return numbers
      }
      _ = try await concurrently(0..<8) { worker in
        for _ in 0..<40 {
          let user: UserID = fixture.ids.make()
          try await retryingConflicts {
            try await fixture.database.write { tx in
              try EventLogStore.insert(RealtimeEvent(to: user, "worker.\(worker)", [:]), in: tx)
            }
          }
        }
      }
      // A reader that asks for what comes after the last number misses nothing.
      #expect(Array(try await seen.value.prefix(300)) == Array(1...300))
    }
  }

  @Test func keepAlivesComeInTurnsAndMoveTheStreamOn() async throws {
    try await Self.run { fixture in
      let viewers = (0..<40).map { _ in fixture.viewer() }
      var outputs: [Output] = []
      for viewer in viewers { outputs.append(try await fixture.follow(viewer).1) }
      let stranger: UserID = fixture.ids.make()
      try await fixture.database.write { tx in
        for _ in 0..<7 { try EventLogStore.insert(RealtimeEvent(to: stranger, "other", [:]), in: tx) }
      }
      try await fixture.readAll()
      fixture.hub.keepAlive(0)
      // Of the streams of 60 seconds, those of 0, 20 and 40: the first and the twenty-first.
      #expect(outputs.indices.filter { outputs[$0].text.contains(": alive") } == [0, 20])
      for second in 1..<StreamHub.keepAliveSeconds { fixture.hub.keepAlive(second) }
      for output in outputs {
        #expect(output.text.components(separatedBy: ": alive").count == 2)
        // The app resumes after events of others, and has missed nothing.
        #expect(output.frames.compactMap(\.id).last == 7)
      }
    }
  }

  @Test func streamsEndWithTheirTokens() async throws {
    try await Self.run { fixture in
      let (_, output) = try await fixture.follow(fixture.viewer())
      for second in 0..<StreamHub.keepAliveSeconds { fixture.hub.keepAlive(second) }
      #expect(output.isOpen)
      fixture.time.advance(seconds: 3601)
      for second in 0..<StreamHub.keepAliveSeconds { fixture.hub.keepAlive(second) }
      #expect(!output.isOpen)
      try await eventually("the stream is gone") { fixture.hub.count == 0 }
    }
  }

  @Test func aStreamIsFullWhenTheProcessIs() async throws {
    try await Self.run(maxCount: 2) { fixture in
      for _ in 0..<2 { _ = try await fixture.follow(fixture.viewer()) }
      #expect(throws: Problem.self) { try fixture.hub.checkRoom() }
    }
  }

  /// Streams that are opened while the process stops end at once.
  @Test func aDrainingHubOpensNothing() async throws {
    try await Self.run { fixture in
      let (_, open) = try await fixture.follow(fixture.viewer())
      fixture.hub.drain()
      #expect(!open.isOpen)
      let (_, late) = fixture.open(fixture.viewer())
      #expect(!late.isOpen)
    }
  }

  /// A stream whose events pile up before it is up to date ends; the app reads the rest when it is back.
  @Test func whatWaitsIsBounded() async throws {
    try await Self.run { fixture in
      let output = Output()
      let viewer = fixture.viewer()
      let stream = EventStream(fixture.ids.make(), viewer, output)
      #expect(fixture.hub.open(stream, TopicsChange(topics: [], refused: [], checkedAt: 0)) != nil)
      let events = (1...1001).map { LoggedEvent(number: $0, subject: .user(viewer.id), name: "x", data: "{}") }
      fixture.hub.dispatch(Array(events.prefix(1000)), through: 1000)
      #expect(output.isOpen)
      fixture.hub.dispatch([events[1000]], through: 1001)
      #expect(!output.isOpen)
      #expect(output.events.isEmpty)
    }
  }

  /// A page is written when the reader has taken the one before, and no page is too large to wait for the reader.
  @Test(arguments: [(2000, 500), (300, 5000), (3, 200_000)])
  func aLongAbsenceIsCaughtUpWithoutOverloadingTheReader(_ count: Int, _ bytes: Int) async throws {
    try await Self.run { fixture in
      let viewer = fixture.viewer()
      let content: JSONValue = ["text": .string(String(repeating: "x", count: bytes))]
      try await fixture.database.write { tx in
        for _ in 0..<count { try EventLogStore.insert(RealtimeEvent(to: viewer.id, "missed", content), in: tx) }
      }
      try await fixture.readAll()
      let (_, output) = fixture.open(viewer, lastSeen: 0)
      try await eventually("the stream is up to date") { output.events.count == count }
      #expect(output.events.compactMap(\.id) == Array(1...Int64(count)))
      #expect(output.maxUnsent < max(OpenResponse.unsentLimit, bytes + 1024))
    }
  }

  /// However often rights end, a stream that resumes looks at those of its user and topics, and misses no other topic.
  @Test(arguments: TestDatabase.allCases)
  func endsOfOtherTopicsConcernNoStream(_ kind: TestDatabase) async throws {
    try await Self.run(kind) { fixture in
      let (viewer, other) = (fixture.viewer(), fixture.viewer())
      try await fixture.database.write { tx in
        try EventLogStore.insert(TopicEvent(room(0), "said", [:]), in: tx)
        for _ in 0..<1100 { try EventLogStore.insert(TopicAccessEnded([room(1)], for: other.id), in: tx) }
        try EventLogStore.insert(TopicAccessEnded([room(0)], for: other.id), in: tx)
        try EventLogStore.insert(TopicAccessEnded([room(2)], for: nil), in: tx)
      }
      let (topics, ids) = (Set([room(0), room(1), room(2)]), (viewer.id, other.id))
      try await fixture.database.read { db in
        let rows = try db.count("SELECT COUNT(*) FROM realtime_ends")
        #expect(rows == 3)
        #expect(try TopicEndStore.interrupted(topics, of: ids.0, after: 0, in: db) == [room(2)])
        #expect(try TopicEndStore.interrupted(topics, of: ids.1, after: 0, in: db) == topics)
        #expect(try TopicEndStore.interrupted(topics, of: ids.1, after: 1101, in: db) == [room(0), room(2)])
        #expect(try TopicEndStore.interrupted(topics, of: ids.1, after: 1103, in: db) == [])
      }
      try await fixture.readAll()
      let (_, output) = fixture.open(viewer, [room(0)], lastSeen: 0)
      try await eventually("the stream has what it missed") { output.text.contains("said") }
      #expect(!output.text.contains("resync"))
    }
  }

  /// A gateway that was held up reads a topic of which the log has lost the oldest events.
  @Test func aTailThatFellBehindNotifiesItsStreams() async throws {
    try await Self.run { fixture in
      let (_, follower) = try await fixture.follow(fixture.viewer(), [room(0), room(1)])
      let (_, other) = try await fixture.follow(fixture.viewer(), [room(1)])
      try await fixture.database.write { tx in
        for _ in 0..<600 { try EventLogStore.insert(TopicEvent(room(0), "noisy", [:]), in: tx) }
      }
      try await fixture.readAll()
      let resync = follower.frames.filter { $0.name == "resync" }
      #expect(resync.first?.data == #"{"user":false,"topics":["room:n0"]}"#)
      #expect(!other.text.contains("resync"))
      #expect(follower.events.compactMap(\.id).last == 600)
    }
  }

  @Test func aStreamThatMissedTooMuchLoadsEverything() async throws {
    try await Self.run { fixture in
      try await fixture.database.write { try $0.execute("UPDATE realtime_state SET last = 50, floor = 40") }
      try await fixture.tail.begin()
      let (_, output) = fixture.open(fixture.viewer(), [room(3)], lastSeen: 39)
      try await eventually("the stream is up to date") { output.text.contains("resync") }
      #expect(
        output.frames.first { $0.name == "resync" }
          == .init("id: 50\nevent: resync\ndata: {\"user\":true,\"topics\":[\"room:n3\"]}")
      )
    }
  }
}
