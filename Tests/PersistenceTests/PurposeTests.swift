import TestKit
import Testing

@testable import Persistence

/// The isolation of transactions of each purpose.
@Suite(.serialized)
struct PurposeTests {
  private static let counters: SQL = "CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL)"

  /// Transactions that read what is committed wait for the hot row: none is repeated, however many there are.
  @Test(arguments: TestDatabase.allCases)
  func guardedUpdatesOfAHotRowAreNotRepeated(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      try await database.write { tx in
        try tx.execute(Self.counters)
        try tx.execute("INSERT INTO counters VALUES ('stock', 50)")
      }
      let runs = Counter()
      let taken = try await concurrently(0..<200) { _ in
        try await database.write(.readCommitted) { tx in
          runs.add()
          return try tx.execute("UPDATE counters SET value = value - 1 WHERE name = 'stock' AND value > 0")
        }
      }
      #expect(runs.value == 200)
      #expect(taken.reduce(0, +) == 50)
      #expect(try await database.read(.snapshot) { db in try db.count("SELECT value FROM counters") } == 0)
    }
  }

  @Test func postgresIsolatesByPurpose() async throws {
    try await TestDatabase.postgresql.run { database async throws in
      let isolation: SQL = "SELECT current_setting('transaction_isolation')"
      var found: [String?] = []
      for purpose in [WritePurpose.serializable, .readCommitted] {
        found.append(try await database.write(purpose) { tx in try tx.value(isolation, as: String.self) })
      }
      for purpose in [ReadPurpose.latest, .snapshot] {
        found.append(try await database.read(purpose) { db in try db.value(isolation, as: String.self) })
      }
      #expect(found == ["serializable", "read committed", "repeatable read", "repeatable read"])
    }
  }

  /// A deferred statement takes effect before the next one, and is rolled back with the rest.
  @Test(arguments: TestDatabase.allCases)
  func laterStatementsKeepTheirOrder(on kind: TestDatabase) async throws {
    struct Stop: Error {}
    try await kind.run { database async throws in
      try await database.write { tx in
        try tx.execute(Self.counters)
        try tx.executeLater("INSERT INTO counters VALUES ('a', 1)")
        try tx.executeLater("UPDATE counters SET value = value + 1 WHERE name = 'a'")
        #expect(try tx.count("SELECT value FROM counters WHERE name = 'a'") == 2)
        try tx.executeLater("UPDATE counters SET value = value * 10")
      }
      await #expect(throws: Stop.self) {
        try await database.write { tx in
          try tx.executeLater("UPDATE counters SET value = 0")
          throw Stop()
        }
      }
      // One that fails fails its transaction, at the latest at the commit.
      let error = await #expect(throws: DatabaseError.self) {
        try await database.write { tx in
          try tx.execute("UPDATE counters SET value = 0")
          try tx.executeLater("INSERT INTO counters VALUES ('a', 1)")
        }
      }
      #expect(error?.isUniqueViolation(of: "counters.name") == true)
      #expect(try await database.read { db in try db.count("SELECT value FROM counters") } == 20)
    }
  }
}
