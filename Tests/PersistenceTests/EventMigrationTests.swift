import Contracts
import Logging
import Synchronization
import TestKit
import Testing

@testable import Persistence

/// What the previous version has left in the outbox, and what its processes write while both run.
@Suite(.serialized)
struct EventMigrationTests {
  private static let earlier = PlatformMigrations.all.filter { migration in
    !EventMigrations.all.contains { $0.name == migration.name }
  }

  private let logger = Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }

  /// As the previous version records an event.
  private func insert(_ number: Int, _ subject: String, isDistributed: Bool, in tx: Transaction) throws {
    let event = Happened(subject: subject, number: number)
    try tx.execute(
      """
      INSERT INTO outbox (id, type, subject, data, traceparent, recorded_at, is_distributed)
      VALUES (\("e\(number)"), \(Happened.type), \(subject), \(json: event), NULL, \(tx.now), \(isDistributed))
      """
    )
  }

  private func insertDelivery(of number: Int, _ subject: String, isDead: Bool = false, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO outbox_deliveries (subscriber, event_id, subject, attempts, due_at, is_dead)
      VALUES ('x', \("e\(number)"), \(subject), 3, \(tx.now), \(isDead))
      """
    )
  }

  @Test(arguments: TestDatabase.allCases)
  func pendingAndDeadEventsAreCarriedOver(on kind: TestDatabase) async throws {
    let time = ManualTime()
    try await kind.run(time: time.source) { database async throws in
      try await database.migrate(Self.earlier, logger: logger)
      try await database.write { [self] tx in
        try tx.execute(
          "INSERT INTO event_subscriptions VALUES ('x', 'http://x', \(json: [Happened.type]), \(tx.now))")
        for number in 0..<8 { try insert(number, "s\(number % 2)", isDistributed: number < 7, in: tx) }
        try insertDelivery(of: 0, "s0", isDead: true, in: tx)
        for number in [2, 4] { try insertDelivery(of: number, "s0", in: tx) }
        try insertDelivery(of: 3, "s1", in: tx)
      }
      try await database.migrate(PlatformMigrations.all, logger: logger)
      // A process of the previous version goes on for a while.
      try await database.write { [self] tx in try insert(8, "s0", isDistributed: false, in: tx) }

      let test = OutboxFixture(database: database, outbox: Outbox(database: database), time: time)
      try await test.outbox.subscribe(test.subscription)
      #expect(try await test.outbox.deadLetters().map(\.eventID) == ["e0"])
      var numbers: [String: [Int]] = [:]
      for event in try await test.deliverAll() {
        numbers[event.subject, default: []].append(try #require(try event.number))
      }
      // It had received 1, 5 and 6 before.
      #expect(numbers == ["s0": [2, 4, 8], "s1": [3, 7]])
      #expect(try await test.outbox.counts().waiting == 0)
      // A new subscriber receives everything that is retained.
      let late = EventSubscription(subscriber: "late", url: "http://late", types: [Happened.type])
      try await test.outbox.subscribe(late)
      #expect(try await test.deliverAll(to: late).count == 9)
    }
  }

  private final class Signal: Sendable {
    let isGiven = Atomic(false)
  }

  /// The positions of history take long in a large outbox, to which every request writes.
  @Test func eventsAreRecordedWhileHistoryGetsItsPositions() async throws {
    try await TestDatabase.postgresql.run { database async throws in
      try await database.migrate(Self.earlier + EventMigrations.all.prefix(2), logger: logger)
      try await database.write { [self] tx in
        for number in 0..<3 { try insert(number, "s", isDistributed: true, in: tx) }
      }
      let release = Signal()
      async let held: Void = database.write(.readCommitted) { tx in
        _ = try tx.all("SELECT id FROM outbox WHERE id = 'e1' FOR UPDATE") { _ in }
        while !release.isGiven.load(ordering: .relaxed) { _ = try tx.all("SELECT pg_sleep(0.02)") { _ in } }
      }
      async let migrated = database.migrate(PlatformMigrations.all, logger: logger)
      try await attempt {
        try await eventually("the migration waits for a row") {
          try await database.read { db in
            try db.exists(
              """
              SELECT 1 FROM pg_stat_activity
              WHERE query LIKE 'UPDATE outbox SET position = h.place%' AND wait_event_type = 'Lock'
              """)
          }
        }
        try await database.write { [self] tx in try insert(3, "s", isDistributed: false, in: tx) }
        #expect(try await database.read { db in try db.count("SELECT COUNT(*) FROM outbox") } == 4)
      } finally: {
        release.isGiven.store(true, ordering: .relaxed)
      }
      try await held
      #expect(try await migrated == EventMigrations.all.dropFirst(2).map(\.name))
      let positions = try await database.read { db in
        try db.values("SELECT position FROM outbox ORDER BY id", as: Int?.self)
      }
      #expect(positions == [1, 2, 3, nil])
    }
  }
}
