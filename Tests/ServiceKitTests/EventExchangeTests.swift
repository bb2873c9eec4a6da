import Contracts
import Logging
import Observability
import Synchronization
import TestKit
import Testing

@testable import Events
@testable import Persistence
@testable import ServiceKit

private struct Noted: Event {
  static let type = "app.quintet.test.noted"
  var subject: String
  var number: Int
}

private enum NotaryAPI: ServiceAPI {
  static let name = "notary"
  static let summary = "Notes numbers"
  static let endpoints: [any Endpoint.Type] = []
}

private struct Notary: ServicePlugin, Feature {
  static let manifest = Manifest(name: NotaryAPI.name, api: NotaryAPI.self, emits: [Noted.self])
  init(environment: ServiceEnvironment) {}
}

private enum ArchiveAPI: ServiceAPI {
  static let name = "archive"
  static let summary = "Keeps notes"
  static let endpoints: [any Endpoint.Type] = []
}

/// Keeps what is noted; negative numbers only once they are allowed. No unique constraint: only the inbox prevents
/// duplicates.
private struct Archive: ServicePlugin, Feature {
  static let manifest = Manifest(
    name: ArchiveAPI.name, api: ArchiveAPI.self, consumes: [.init(from: NotaryAPI.self, [Noted.self])],
    migrations: [
      Migration(
        "archive-001", why: "notes",
        [
          "CREATE TABLE notes (subject TEXT NOT NULL, number BIGINT NOT NULL, place BIGINT NOT NULL)",
          "CREATE TABLE permissions (negative BIGINT NOT NULL)",
        ])
    ])

  init(environment: ServiceEnvironment) {}

  func register(in routes: inout Routes) {
    routes.on(Noted.self) { event, tx in
      let isAllowed = try event.number >= 0 || tx.exists("SELECT 1 FROM permissions")
      guard isAllowed else { throw Problem(.notFound) }
      let place = try tx.count("SELECT COUNT(*) FROM notes")
      try tx.execute("INSERT INTO notes VALUES (\(event.subject), \(event.number), \(place))")
    }
  }
}

private enum DoorAPI: ServiceAPI {
  static let name = "door"
  static let summary = "In front of the others, as several services in one process need it"
  static let endpoints: [any Endpoint.Type] = []
}

private struct Door: ServicePlugin, Feature {
  static let manifest = Manifest(name: DoorAPI.name, api: DoorAPI.self, isEdge: true)
  init(environment: ServiceEnvironment) {}
}

/// Events between services: what is applied, what waits, and what does not have to.
@Suite(.serialized)
struct EventExchangeTests {
  private static let plugins: [any ServicePlugin.Type] = [Door.self, Notary.self, Archive.self]
  private static let auth = ["services.auth.url": "http://127.0.0.1:1"]

  private func notes(_ test: TestPlatform, of subject: String) async throws -> [Int] {
    let database = try #require(test.platform.database(of: ArchiveAPI.name))
    return try await database.read { db in
      try db.values("SELECT number FROM notes WHERE subject = \(subject) ORDER BY place", as: Int.self)
    }
  }

  private func allow(_ test: TestPlatform) async throws {
    let database = try #require(test.platform.database(of: ArchiveAPI.name))
    try await database.write { tx in _ = try tx.execute("INSERT INTO permissions VALUES (1)") }
  }

  private func event(_ id: String, _ subject: String, _ number: Int) throws -> CloudEvent {
    CloudEvent(
      id: id, source: "/notary", type: Noted.type, subject: subject, time: Timestamp(microseconds: 0),
      traceparent: nil, data: try JSONValue(Noted(subject: subject, number: number)))
  }

  @Test(arguments: TestDatabase.allCases)
  func aBatchHasAResultForEachEvent(on kind: TestDatabase) async throws {
    try await TestPlatform.run(Self.plugins, settings: Self.auth, database: kind) { test in
      let notary = test.platform.client(of: ArchiveAPI.self, as: NotaryAPI.name)
      func deliver(_ events: [CloudEvent]) async throws -> [Int] {
        let response = try await notary.send(EventsAPI.DeliverBatch(body: events))
        #expect(response.results.map(\.id) == events.map(\.id))
        return response.results.map(\.status)
      }
      let all = [try event("1", "a", 1), try event("2", "b", -2), try event("3", "b", 3), try event("4", "a", 4)]
      // The rejected one does not take back the others; what follows it in its subject is not applied before it.
      #expect(try await deliver(all) == [204, 404, 424, 204])
      #expect(try await notes(test, of: "a") == [1, 4])
      #expect(try await notes(test, of: "b").isEmpty)
      try await allow(test)
      for _ in 0..<2 { #expect(try await deliver(all) == [204, 204, 204, 204]) }
      #expect(try await notes(test, of: "a") == [1, 4])
      #expect(try await notes(test, of: "b") == [-2, 3])
      // A single one.
      _ = try await notary.send(EventsAPI.Deliver(body: try event("5", "a", 5)))
      #expect(try await deliver([try event("5", "a", 5)]) == [204])
      #expect(try await notes(test, of: "a") == [1, 4, 5])
      // Of another service.
      var foreign = try event("6", "a", 6)
      foreign.source = "/orders"
      #expect(try await deliver([foreign]) == [403])
    }
  }

  /// From the outbox of one service to the tables of the other, with a poison event, and after a restore.
  @Test(arguments: TestDatabase.allCases)
  func aPoisonEventDelaysItsSubjectOnly(on kind: TestDatabase) async throws {
    try await TestPlatform.listen(Self.plugins, settings: Self.auth, database: kind) { test, _ in
      let notary = try #require(test.platform.database(of: NotaryAPI.name))
      let archive = try #require(test.platform.database(of: ArchiveAPI.name))
      try await notary.write { tx in
        try tx.record(Noted(subject: "poisoned", number: -1))
        for number in 0..<300 { try tx.record(Noted(subject: "s\(number % 20)", number: number)) }
        try tx.record(Noted(subject: "poisoned", number: 2))
      }
      try await eventually("the other subjects are delivered") {
        try await archive.read { db in try db.count("SELECT COUNT(*) FROM notes") } == 300
      }
      for subject in 0..<20 {
        #expect(try await notes(test, of: "s\(subject)") == Array(stride(from: subject, to: 300, by: 20)))
      }
      #expect(try await notes(test, of: "poisoned").isEmpty)
      let outbox = Outbox(database: notary)
      try await eventually("only the rejected subject waits") { try await outbox.counts().waiting == 2 }
      try await allow(test)
      try await eventually("the rejected event is accepted") { try await notes(test, of: "poisoned") == [-1, 2] }
      try await eventually("nothing waits") { try await outbox.counts().waiting == 0 }
      #expect(try await outbox.counts().dead == 0)

      // The consumer is restored from a backup that is empty.
      try await archive.write { tx in
        try tx.execute("DELETE FROM notes")
        try tx.execute("DELETE FROM inbox")
      }
      let replayed = try await test.platform.replayEvents(since: Timestamp(microseconds: 0), to: ArchiveAPI.name)
      #expect(replayed.map(\.service) == [NotaryAPI.name])
      #expect(replayed.map(\.events) == [302])
      try await eventually("everything is delivered again") {
        try await archive.read { db in try db.count("SELECT COUNT(*) FROM notes") } == 302
      }
      #expect(try await notes(test, of: "poisoned") == [-1, 2])
    }
  }

  /// A service that emits nothing also forgets what it has received long ago.
  @Test func theInboxIsPurgedWhereNothingIsEmitted() async throws {
    try await TemporaryFolder.run { folder in
      let settings = Self.auth.merging(["data": folder]) { $1 }
      func received(_ test: TestPlatform) async throws -> [String] {
        let database = try #require(test.platform.database(of: ArchiveAPI.name))
        return try await database.read { db in try db.values("SELECT id FROM inbox ORDER BY id", as: String.self) }
      }
      try await TestPlatform.run(Self.plugins, settings: settings) { test in
        let database = try #require(test.platform.database(of: ArchiveAPI.name))
        let now = TimeSource.system.now()
        try await database.write { tx in
          for (id, days) in [("new", 1.0), ("old", 15)] {
            try tx.execute("INSERT INTO inbox VALUES ('/notary', \(id), \(now.advanced(bySeconds: -days * 86_400)))")
          }
        }
        #expect(try await received(test) == ["new", "old"])
      }
      try await TestPlatform.listen(Self.plugins, settings: settings) { test, _ in
        try await eventually("the old entry is purged") { try await received(test) == ["new"] }
      }
    }
  }
}

/// A transport whose subscribers behave as their names say.
private struct MixedTransport: EventTransport {
  let delivered = Delivered()

  final class Delivered: Sendable {
    private let ids = Mutex<[String: [String]]>([:])
    func add(_ events: [CloudEvent], to subscriber: String) {
      ids.withLock { $0[subscriber, default: []] += events.map(\.id) }
    }
    func ids(of subscriber: String) -> [String] { ids.withLock { $0[subscriber] ?? [] } }
  }

  func deliver(_ events: [CloudEvent], to subscriber: EventSubscription) async -> [EventOutcome] {
    switch subscriber.subscriber {
    case "hung":
      try? await Task.sleep(for: .seconds(3600))
      return []
    case "down": return [.unavailable("refused", retryAfter: nil)]
    default:
      delivered.add(events, to: subscriber.subscriber)
      return events.map { _ in .delivered }
    }
  }
}

@Suite(.serialized)
struct EventRelayTests {
  /// A subscriber that does not answer, and one that is away, delay no one else.
  @Test(arguments: TestDatabase.allCases)
  func aHungSubscriberDelaysNoOneElse(on kind: TestDatabase) async throws {
    try await kind.run { database in
      let logger = Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }
      try await database.migrate(PlatformMigrations.all, logger: logger)
      let outbox = Outbox(database: database)
      for name in ["hung", "down", "well"] {
        try await outbox.subscribe(EventSubscription(subscriber: name, url: "http://\(name)", types: [Noted.type]))
      }
      let transport = MixedTransport()
      let relay = EventRelay(
        source: "notary", database: database, transport: transport, ids: IDGenerator(), time: .system, logger: logger,
        deadLetters: Metrics().counter("dead_total", help: "Dead."))
      let running = Task { try await relay.run() }
      try await attempt {
        for round in 0..<20 {
          try await database.write { tx in
            for number in 0..<100 { try tx.record(Noted(subject: "s\(number % 7)", number: round * 100 + number)) }
          }
        }
        try await eventually("all events are delivered to the subscriber that works") {
          transport.delivered.ids(of: "well").count >= 2000
        }
        try await eventually("its cursors have moved") {
          try await database.read { db in
            try db.count(
              """
              SELECT COUNT(*) FROM event_cursors c JOIN event_lanes l ON l.lane = c.lane
              WHERE c.subscriber = 'well' AND c.position < l.head
              """)
          } == 0
        }
        let ids = transport.delivered.ids(of: "well")
        #expect(ids.count == 2000)
        #expect(Set(ids).count == 2000)
        // Nothing is lost for the others, and nothing was given up.
        let waiting = try await outbox.counts()
        #expect(waiting.waiting == 4000)
        #expect(waiting.dead == 0)
      } finally: {
        running.cancel()
        _ = await running.result
      }
    }
  }
}
