import Contracts
import Logging
import TestKit

@testable import Persistence

struct Happened: Event {
  static let type = "app.quintet.test.happened"
  var subject: String
  var number: Int
}

/// Something that is soon forgotten.
struct Flickered: Event {
  static let type = "app.quintet.test.flickered"
  static var retentionSeconds: Double { 3600 }
  var subject: String
  var number: Int
}

/// An outbox with one relay, by hand.
struct OutboxFixture {
  let database: any Database
  let outbox: Outbox
  let time: ManualTime
  /// Subscribes to ``Happened``.
  let subscription = EventSubscription(subscriber: "x", url: "http://x", types: [Happened.type])

  static func run(on kind: TestDatabase, _ body: (OutboxFixture) async throws -> Void) async throws {
    let time = ManualTime()
    try await kind.run(time: time.source) { database async throws in
      try await database.migrate(PlatformMigrations.all, logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() })
      let fixture = OutboxFixture(database: database, outbox: Outbox(database: database), time: time)
      try await fixture.outbox.subscribe(fixture.subscription)
      try await body(fixture)
    }
  }

  func record(_ subject: String, _ numbers: Int...) async throws {
    try await database.write { tx in
      for number in numbers { try tx.record(Happened(subject: subject, number: number)) }
    }
  }

  /// One round: settles, and claims what is next.
  func exchange(
    _ settled: [SettledBatch] = [], with subscription: EventSubscription? = nil, claim: String = "relay",
    capacity: Outbox.Capacity = .init(lanes: EventLane.count)
  ) async throws -> [EventBatch] {
    while try await outbox.assignPositions().isMoreWaiting {}
    return try await outbox.exchange(
      settled, with: subscription ?? self.subscription, claim: claim, capacity: capacity, at: time.source.now()
    ).batches
  }

  /// Delivers everything that is due; returns the events in the order of their lanes.
  func deliverAll(to subscription: EventSubscription? = nil, claim: String = "relay") async throws -> [StoredEvent] {
    var (delivered, settled): ([StoredEvent], [SettledBatch]) = ([], [])
    repeat {
      let batches = try await exchange(settled, with: subscription, claim: claim)
      delivered += batches.flatMap(\.events)
      settled = batches.map(Self.delivered)
    } while !settled.isEmpty
    return delivered
  }

  static func delivered(_ batch: EventBatch) -> SettledBatch {
    SettledBatch(batch, batch.events.map { _ in .delivered })
  }

  func count(_ sql: SQL) async throws -> Int { try await database.read { db in try db.count(sql) } }
}

extension StoredEvent {
  /// The number of a test's event.
  var number: Int? {
    get throws { try WireJSON.decode(Happened.self, from: data.utf8).number }
  }
}
