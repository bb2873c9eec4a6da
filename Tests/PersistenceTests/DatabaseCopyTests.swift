import Contracts
import Foundation
import Logging
import Persistence
import Synchronization
import TestKit
import Testing

/// A copy in memory.
private final class Copy: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  struct Output: RowOutput {
    let copy: Copy
    func write(_ more: [UInt8]) { copy.bytes.withLock { $0 += more } }
    func finish() {}
  }

  struct Input: RowInput {
    var rest: ArraySlice<UInt8>
    struct Ended: Error {}

    mutating func read(_ count: Int) throws -> [UInt8] {
      guard rest.count >= count else { throw Ended() }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
  }

  func output() -> Output {
    bytes.withLock { $0 = [] }
    return Output(copy: self)
  }

  func input(lacking missing: Int = 0) -> Input { Input(rest: bytes.withLock { $0.dropLast(missing) }) }
}

/// Copies of databases: the same rows on both sides, whichever the databases are.
struct DatabaseCopyTests {
  private static let first = Migration(
    "001",
    why: "every type, a table that names itself, and tables that name later ones",
    [
      """
      CREATE TABLE values_of_all_types
        (id TEXT PRIMARY KEY, number BIGINT, "order" DOUBLE PRECISION, bytes BYTEA, parent TEXT
         REFERENCES values_of_all_types (id))
      """,
      "CREATE TABLE zebras (id BIGINT PRIMARY KEY)",
      "CREATE TABLE apples (id BIGINT PRIMARY KEY, zebra BIGINT NOT NULL REFERENCES zebras (id))",
      "INSERT INTO zebras VALUES (7)",
    ])
  private static let second = Migration("002", why: "later", ["ALTER TABLE zebras ADD COLUMN name TEXT"])
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private static func fill(_ database: any Database) async throws {
    try await database.migrate([first], logger: logger)
    try await database.write { tx in
      for number in 0..<2500 {
        try tx.execute("INSERT INTO zebras VALUES (\(100 + number))")
        try tx.execute("INSERT INTO apples VALUES (\(number), \(100 + number))")
      }
      let empty: [UInt8] = []
      try tx.execute("INSERT INTO values_of_all_types VALUES ('z', \(Int64.min), 0.1, \([UInt8(0), 255]), NULL)")
      try tx.execute("INSERT INTO values_of_all_types VALUES ('a', \(Int64.max), 3.0, \(empty), 'z')")
      try tx.execute("INSERT INTO values_of_all_types VALUES ('Ä\u{1F600}', NULL, -2.5e-300, NULL, 'Ä\u{1F600}')")
      try tx.execute("INSERT INTO values_of_all_types VALUES ('', 0, NULL, NULL, NULL)")
    }
  }

  @Test(arguments: TestDatabase.allCases, TestDatabase.allCases)
  func rowsAreTheSameInTheOtherDatabase(_ source: TestDatabase, _ target: TestDatabase) async throws {
    let copy = Copy()
    let summary = try await source.run { database in
      try await Self.fill(database)
      let summary = try await database.copyRows { copy.output() }
      let again = try await database.summarized()
      #expect(again == summary)
      return summary
    }
    #expect(summary.tables.map(\.name) == ["apples", "schema_fills", "values_of_all_types", "zebras"])
    #expect(summary.tables.map(\.rows) == [2500, 0, 4, 2501])
    var input = copy.input()
    let read = try TableSummary.tables(of: &input)
    #expect(read == summary.tables)
    try await target.run { database in
      let isStillNew = try await database.isNew()
      #expect(isStillNew)
      try await database.migrate([Self.first, Self.second], asIn: summary, logger: Self.logger)
      let isNew = try await database.isNew()
      #expect(!isNew)
      try await database.replaceRows { copy.input() }
      let loaded = try await database.summarized().tables
      #expect(loaded == summary.tables)
      // Columns that came later than the copy are added to its rows.
      let later = try await database.migrate([Self.first, Self.second], logger: Self.logger)
      #expect(later == ["002"])
      let bytes = try await database.read { db in
        try db.value("SELECT bytes FROM values_of_all_types WHERE id = 'z'", as: [UInt8].self)
      }
      #expect(bytes == [0, 255])
      // Foreign keys are checked again at each statement.
      await #expect {
        try await database.write { tx in
          try tx.execute("INSERT INTO apples VALUES (-1, -1)")
          try tx.execute("INSERT INTO zebras (id) VALUES (-1)")
        }
      } throws: { ($0 as? DatabaseError)?.kind == .foreignKeyViolation }
    }
  }

  /// Triggers that keep rows, such as those of the ledger, do not keep them from being replaced, and are there afterwards.
  @Test(arguments: TestDatabase.allCases)
  func rowsThatTriggersKeepAreReplaced(_ kind: TestDatabase) async throws {
    let kept = Migration(
      "kept", why: "zebras stay",
      creating: [
        .on(
          .sqlite,
          "CREATE TRIGGER zebras_stay BEFORE DELETE ON zebras BEGIN SELECT RAISE(ABORT, 'zebras stay'); END;"),
        .on(
          .postgresql,
          """
          CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql
          AS 'BEGIN RAISE EXCEPTION ''zebras stay''; END';
          CREATE TRIGGER zebras_stay BEFORE DELETE ON zebras FOR EACH ROW EXECUTE FUNCTION refuse_change();
          """),
      ])
    let copy = Copy()
    try await kind.run { database in
      try await Self.fill(database)
      try await database.migrate([Self.first, kept], logger: Self.logger)
      let summary = try await database.copyRows(of: ["zebras", "apples"]) { copy.output() }
      try await database.write { tx in
        _ = try tx.execute("DELETE FROM apples WHERE id = 1")
        _ = try tx.execute("INSERT INTO zebras VALUES (-5)")
      }
      try await database.replaceRows { copy.input() }
      let tables = try await database.summarized().tables
      #expect(tables == summary.tables)
      await #expect(throws: DatabaseError.self) {
        try await database.write { tx in _ = try tx.execute("DELETE FROM zebras WHERE id = 7") }
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aCopyThatEndsTooEarlyChangesNothing(_ kind: TestDatabase) async throws {
    let copy = Copy()
    try await kind.run { database in
      try await Self.fill(database)
      let summary = try await database.copyRows { copy.output() }
      await #expect(throws: Copy.Input.Ended.self) { try await database.replaceRows { copy.input(lacking: 1) } }
      let again = try await database.summarized()
      #expect(again == summary)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aCopyOfALaterVersionIsRefused(_ kind: TestDatabase) async throws {
    let summary = try await TestDatabase.sqlite.run { database in
      try await database.migrate([Self.first, Self.second], logger: Self.logger)
      return try await database.summarized()
    }
    try await kind.run { database in
      await #expect {
        try await database.migrate([Self.first], asIn: summary, logger: Self.logger)
      } throws: { error in
        let error = error as? DatabaseError
        return error?.kind == .invalidMigration && error?.detail.contains("002") == true
      }
      let isStillNew = try await database.isNew()
      #expect(isStillNew)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func oneChangedValueChangesTheHash(_ kind: TestDatabase) async throws {
    try await kind.run { database in
      try await Self.fill(database)
      let before = try await database.summarized()
      try await database.write { tx in
        try tx.execute("UPDATE values_of_all_types SET number = 1 WHERE id = ''")
      }
      let differences = try await database.summarized().tables.differences(from: before.tables)
      #expect(differences == ["values_of_all_types"])
    }
  }
}
