import Contracts
import Logging
import Synchronization
import TestKit
import Testing

@testable import Persistence

/// Every test runs on both databases.
@Suite(.serialized)
struct DatabaseTests {
  private static let counters: SQL =
    "CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL, note TEXT, data TEXT)"

  @Test(arguments: TestDatabase.allCases)
  func parallelIncrementsAllCount(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      try await database.write { tx in
        try tx.execute(Self.counters)
        try tx.execute("INSERT INTO counters (name, value) VALUES ('hits', 0)")
      }
      // Read, then write: this requires serializable transactions.
      _ = try await concurrently(0..<200) { _ in
        try await retryingConflicts {
          try await database.write { tx in
            let value = try tx.value("SELECT value FROM counters WHERE name = 'hits'", as: Int.self) ?? 0
            try tx.execute("UPDATE counters SET value = \(value + 1) WHERE name = 'hits'")
          }
        }
      }
      let value = try await database.read { db in
        try db.value("SELECT value FROM counters", as: Int.self)
      }
      #expect(value == 200)
    }
  }

  /// Each commit of a fast writer would abort the slow one, until it has no attempts left.
  @Test(arguments: TestDatabase.allCases)
  func aSlowWriterIsNotStarvedByFastOnes(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      try await database.write { tx in
        try tx.execute(Self.counters)
        try tx.execute("INSERT INTO counters (name, value) VALUES ('hits', 0)")
      }
      @Sendable func increment(afterCountingTo steps: Int) async throws {
        try await database.write { tx in
          let value = try tx.value("SELECT value FROM counters WHERE name = 'hits'", as: Int.self) ?? 0
          _ = try tx.count(
            "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(steps)) SELECT COUNT(*) FROM n"
          )
          try tx.execute("UPDATE counters SET value = \(value + 1) WHERE name = 'hits'")
        }
      }
      let isSlowOneDone = Mutex(false)
      let counts = try await concurrently(0..<6) { number in
        if number == 0 {
          try await increment(afterCountingTo: 100_000)
          isSlowOneDone.withLock { $0 = true }
          return 1
        }
        var count = 0
        while !isSlowOneDone.withLock({ $0 }) {
          try await increment(afterCountingTo: 0)
          count += 1
        }
        return count
      }
      let value = try await database.read { db in try db.value("SELECT value FROM counters", as: Int.self) }
      #expect(value == counts.reduce(0, +))
    }
  }

  /// Two transactions see no row and insert it; the second one, repeated after a conflict, finds it.
  @Test func aUniqueViolationAfterAConflictIsRepeatedOnce() async throws {
    try await TestDatabase.postgresql.run { database async throws in
      try await database.write { tx in
        try tx.execute(Self.counters)
        try tx.execute("INSERT INTO counters (name, value) VALUES ('hits', 1)")
      }
      let attempts = Counter()
      try await database.write { tx in
        attempts.add()
        if attempts.value == 1 { throw DatabaseError(.conflict, "a conflict") }
        let name = attempts.value == 2 ? "hits" : "other hits"
        try tx.execute("INSERT INTO counters (name, value) VALUES (\(name), 2)")
      }
      #expect(attempts.value == 3)
      let lasting = Counter()
      let error = await #expect(throws: DatabaseError.self) {
        try await database.write { tx in
          lasting.add()
          if lasting.value == 1 { throw DatabaseError(.conflict, "a conflict") }
          try tx.execute("INSERT INTO counters (name, value) VALUES ('hits', 2)")
        }
      }
      guard case .uniqueViolation = error?.kind else {
        Issue.record("the write ended with \(String(describing: error))")
        return
      }
      #expect(lasting.value == 3)
      let stored = try await database.read { db in
        try db.values("SELECT name FROM counters ORDER BY name", as: String.self)
      }
      #expect(stored == ["hits", "other hits"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func rowsTakeEffectInTheirOrder(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      let rows = (0..<77).map { number -> [SQLValue] in
        ["n\(number)".sqlValue, number.sqlValue, number == 0 ? .null : "noted".sqlValue]
      }
      try await database.write { tx in
        try tx.execute(Self.counters)
        let (start, update): (StaticString, StaticString) = (
          "INSERT INTO counters (name, value, note) VALUES",
          "ON CONFLICT (name) DO UPDATE SET value = counters.value + excluded.value, note = excluded.note"
        )
        try tx.execute(start, rows: rows, update)
        try tx.execute(start, rows: [rows[1], ["n2".sqlValue, 5.sqlValue, .null]], update)
        try tx.execute(start, rows: [], update)
      }
      let (sum, unnoted) = try await database.read { db in
        (
          try db.count("SELECT CAST(SUM(value) AS BIGINT) FROM counters"),
          try db.values("SELECT name FROM counters WHERE note IS NULL ORDER BY name", as: String.self)
        )
      }
      #expect(sum == (0..<77).reduce(0, +) + 1 + 5)
      #expect(unnoted == ["n0", "n2"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func failureLeavesNothing(on kind: TestDatabase) async throws {
    struct Stop: Error {}
    try await kind.run { database async throws in
      try await database.write { tx in try tx.execute(Self.counters) }
      // Transactions beside a failing one commit.
      _ = try await concurrently(0..<30) { number in
        try? await retryingConflicts {
          try await database.write { tx in
            try tx.execute("INSERT INTO counters (name, value) VALUES (\("n\(number)"), 1)")
            if number % 3 == 0 { throw Stop() }
          }
        }
      }
      let names = try await database.read { db in
        try db.values("SELECT name FROM counters", as: String.self)
      }
      #expect(names.count == 20)
      #expect(!names.contains("n0"))
    }
  }

  /// On PostgreSQL, all but the first may fail because the row is there, although none of them had seen it.
  @Test("M6: of transactions that insert a row unless it exists, none fails", arguments: TestDatabase.allCases)
  func firstInsertsDoNotCollide(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      try await database.write { tx in try tx.execute(Self.counters) }
      for round in 0..<20 {
        let inserted = try await concurrently(0..<8) { _ in
          try await retryingConflicts {
            try await database.write { tx in
              guard try !tx.exists("SELECT 1 FROM counters WHERE name = \("n\(round)")") else { return 0 }
              try tx.execute("INSERT INTO counters (name, value) VALUES (\("n\(round)"), 1)")
              return 1
            }
          }
        }
        #expect(inserted.reduce(0, +) == 1)
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func namesBrokenConstraints(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      try await database.write { tx in
        try tx.execute(
          "CREATE TABLE people (id BIGINT PRIMARY KEY, email TEXT NOT NULL, age BIGINT CHECK (age > 0), UNIQUE (email))"
        )
        try tx.execute("CREATE TABLE pets (owner BIGINT NOT NULL REFERENCES people (id))")
        try tx.execute("INSERT INTO people VALUES (1, 'a', 1)")
      }
      func failure(_ sql: SQL) async -> DatabaseError? {
        await #expect(throws: DatabaseError.self) { try await database.write { tx in try tx.execute(sql) } }
      }
      let unique = await failure("INSERT INTO people VALUES (2, 'a', 1)")
      #expect(unique?.isUniqueViolation(of: "people.email") == true)
      #expect(await failure("INSERT INTO people VALUES (1, 'b', 1)")?.isUniqueViolation(of: "people.id") == true)
      #expect(await failure("INSERT INTO people VALUES (3, 'c', -1)")?.kind == .checkViolation)
      #expect(await failure("INSERT INTO people (id, age) VALUES (4, 1)")?.kind == .notNullViolation)
      #expect(await failure("INSERT INTO pets VALUES (99)")?.kind == .foreignKeyViolation)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func valuesRoundTrip(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      try await database.write { tx in try tx.execute(Self.counters) }
      let hostile = "'; DROP TABLE counters; -- \" \\ é漢😀 $1 ?"
      let id = IDGenerator().make(UserID.self)
      try await database.write { tx in
        try tx.execute(
          "INSERT INTO counters (name, value, note, data) VALUES (\(hostile), \(Int64.min), \(String?.none), \(id))"
        )
      }
      let row = try await database.read { db in
        try db.first(
          "SELECT name, value, note, data FROM counters WHERE name = \(hostile) AND value IN \(list: [Int64.min, 1, 2])"
        ) {
          row -> (String, Int64, String?, UserID) in
          (try row["name"], try row["value"], try row["note"], try row["data"])
        }
      }
      #expect(row?.0 == hostile)
      #expect(row?.1 == .min)
      #expect(row?.2 == nil)
      #expect(row?.3 == id)
      let none = try await database.read { db in
        try db.values("SELECT name FROM counters WHERE name IN \(list: [String]())", as: String.self)
      }
      #expect(none.isEmpty)
      await #expect(throws: DatabaseError.self) {
        try await database.read { db in try db.value("SELECT note FROM counters", as: String.self) }
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func readsDoNotWrite(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      try await database.write { tx in try tx.execute(Self.counters) }
      await #expect(throws: DatabaseError.self) {
        try await database.read { db in try db.execute("INSERT INTO counters (name, value) VALUES ('x', 1)") }
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func migratesOnceAndRefusesEditedSteps(on kind: TestDatabase) async throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    try await kind.run { database async throws in
      let first = Migration("001", why: "a", ["CREATE TABLE a (id BIGINT PRIMARY KEY)"])
      let second = Migration("002", why: "b", ["CREATE TABLE b (id BIGINT PRIMARY KEY)"])
      #expect(try await database.migrate([first], logger: logger) == ["001"])
      #expect(try await database.migrate([first, second], logger: logger) == ["002"])
      #expect(try await database.migrate([first, second], logger: logger) == [])
      let edited = Migration("001", why: "a", ["CREATE TABLE a (id TEXT PRIMARY KEY)"])
      let error = await #expect(throws: DatabaseError.self) {
        try await database.migrate([edited, second], logger: logger)
      }
      #expect(error?.kind == .invalidMigration)
      #expect(error?.detail.contains("001") == true)
      // A migration that fails halfway is rolled back.
      let broken = Migration("003", why: "c", ["CREATE TABLE c (id BIGINT)", "CREATE TABLE a (id BIGINT)"])
      await #expect(throws: DatabaseError.self) { try await database.migrate([first, second, broken], logger: logger) }
      await #expect(throws: DatabaseError.self) {
        try await database.read { db in try db.all("SELECT id FROM c") { _ in } }
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func idempotencyKeysGiveOneEffectAndOneAnswer(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      try await database.migrate(PlatformMigrations.all, logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() })
      try await database.write { tx in try tx.execute(Self.counters) }
      @Sendable func place(_ request: IdempotentRequest?) async throws -> Int {
        try await retryingConflicts {
          try await database.write { tx in
            try tx.idempotent(request) {
              let count = try tx.count("SELECT COUNT(*) FROM counters")
              try tx.execute("INSERT INTO counters (name, value) VALUES (\("order \(count)"), 1)")
              return count
            }
          }
        }
      }
      let request = IdempotentRequest(caller: "ada", key: "k1", fingerprint: "f")
      let answers = Set(try await concurrently(0..<20) { _ in try await place(request) })
      #expect(answers == [0])
      #expect(try await place(IdempotentRequest(caller: "bob", key: "k1", fingerprint: "f")) == 1)
      let reused = await #expect(throws: Problem.self) {
        try await place(IdempotentRequest(caller: "ada", key: "k1", fingerprint: "g"))
      }
      #expect(reused?.is(.idempotencyKeyReused) == true)
      // A request that takes several transactions: claimed, in progress, completed.
      let long = IdempotentRequest(caller: "ada", key: "k2", fingerprint: "f")
      #expect(try await database.write { tx in try tx.claim(long) as Int? } == nil)
      let running = await #expect(throws: Problem.self) {
        try await database.write { tx in try tx.claim(long) as Int? }
      }
      #expect(running?.is(.requestInProgress) == true)
      try await database.write { tx in try tx.complete(long, with: 7) }
      #expect(try await database.write { tx in try tx.claim(long) as Int? } == 7)
    }
  }
}
