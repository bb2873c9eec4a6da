import Contracts
import Logging
import TestKit
import Testing

@testable import Persistence
@testable import ServiceKit

/// The hash chain of the audit trail, and attacks on it by someone who can write in the database but has no keys.
struct AuditChainTests {
  /// - Parameter kind: The database with the platform's tables.
  private func chain(
    _ kind: TestDatabase = .sqlite, _ body: @escaping (any Database, AuditChain) async throws -> Void
  ) async throws {
    try await TemporaryFolder.run { folder in
      let keys = try DataKeys.forTests(folder)
      try await kind.run { database in
        try await database.migrate(PlatformMigrations.all, logger: Logger(label: "test"))
        try await body(database, AuditChain(database, of: "shop", keys: keys))
      }
    }
  }

  private func add(_ numbers: ClosedRange<Int>, to database: any Database) async throws {
    for number in numbers {
      try await database.write { tx in
        try tx.audit(
          "thing.done", object: "thing:\(number)",
          by: AuditActor("operator", session: SessionID(trusted: "s"), address: "192.0.2.1", app: .web),
          changes: [AuditChange("a", from: "1", to: "2")])
      }
    }
  }

  /// The records of the noter after the service has reported its head.
  private func note(_ chain: AuditChain, in noter: any Database) async throws {
    let head = try #require(try await chain.head())
    let last = try await noter.read { try AuditHeadNotes.list(of: "shop", limit: 1, in: $0).first }
    var previous: String?
    if let last { previous = try await chain.hash(at: last.sequence) }
    let known = previous
    try await noter.write { tx in try AuditHeadNotes.note(head, previous: known, in: tx) }
  }

  private func notes(_ noter: any Database) async throws -> [AuditNote] {
    try await noter.read { try AuditHeadNotes.list(of: "shop", in: $0) }.map { AuditNote($0, by: "noter") }
  }

  // MARK: the chain

  @Test(arguments: TestDatabase.allCases)
  func parallelEntriesMakeOneChain(_ kind: TestDatabase) async throws {
    try await chain(kind) { database, chain async throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            try await database.write { tx in
              try tx.audit("thing.done", object: "thing:\(number)", by: AuditActor("operator"))
            }
          }
          if number.isMultiple(of: 20) { group.addTask { _ = try await chain.extend() } }
        }
        try await group.waitForAll()
      }
      let verdict = try await chain.verify()
      #expect(verdict.links == 200)
      #expect(verdict.flaw == nil)
      #expect(verdict.head.count == 64)
    }
  }

  @Test(
    arguments: [
      "UPDATE audit SET action = 'thing.undone' WHERE sequence = 3",
      "UPDATE audit SET actor = 'eve' WHERE sequence = 3",
      "UPDATE audit SET changes = '[]' WHERE sequence = 3", "UPDATE audit SET at = at + 1 WHERE sequence = 3",
      "UPDATE audit SET changes = 'not JSON' WHERE sequence = 3", "UPDATE audit SET app = 'roomi' WHERE sequence = 3",
      "UPDATE audit SET device = '{\"battery\":1}' WHERE sequence = 3",
      "UPDATE audit SET key = NULL WHERE sequence = 3",
      "UPDATE audit SET address = NULL WHERE sequence = 3",
      "DELETE FROM audit WHERE sequence = 3", "UPDATE audit SET object = NULLIF(session, '') || 'x' WHERE sequence = 3",
    ] as [StaticString]
  )
  func everyAlterationBreaksTheChain(statement: StaticString) async throws {
    try await chain { database, chain async throws in
      try await add(1...5, to: database)
      #expect(try await chain.verify().flaw == nil)
      _ = try await database.write { tx in try tx.execute(SQL(stringLiteral: statement)) }
      #expect(try await chain.verify().flaw == .broken(at: 3))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func swappedEntriesBreakTheChain(_ kind: TestDatabase) async throws {
    try await chain(kind) { database, chain async throws in
      try await add(1...5, to: database)
      _ = try await chain.verify()
      _ = try await database.write { tx in
        try tx.execute("UPDATE audit SET sequence = 100 WHERE sequence = 2")
        try tx.execute("UPDATE audit SET sequence = 2 WHERE sequence = 4")
        try tx.execute("UPDATE audit SET sequence = 4 WHERE sequence = 100")
      }
      #expect(try await chain.verify().flaw == .broken(at: 2))
    }
  }

  @Test func whatRollsBackLeavesNoEntry() async throws {
    struct Stop: Error {}
    try await chain { database, chain async throws in
      await #expect(throws: Stop.self) {
        try await database.write { tx in
          try tx.audit("thing.done", object: "thing", by: .operator)
          throw Stop()
        }
      }
      #expect(try await chain.verify().links == 0)
    }
  }

  // MARK: keys

  @Test func withoutTheKeyAnAttackerCannotMakeLinks() async throws {
    try await chain { database, chain async throws in
      try await add(1...4, to: database)
      _ = try await chain.verify()
      // The attacker rewrites entry 3 and everything after it, under a key of their own.
      try await TemporaryFolder.run { folder in
        let forger = AuditChain(database, of: "shop", keys: try DataKeys.forTests(folder))
        let key = forger.keys.auditKey
        let entries = try await database.read { db in
          try db.all("SELECT \(AuditTrail.columns) FROM audit WHERE sequence > 2 ORDER BY sequence") {
            try AuditTrail.decode($0)
          }
        }
        var previous = try #require(try await chain.hash(at: 2))
        for var entry in entries {
          let sequence = try #require(entry.sequence)
          if sequence == 3 { entry.actor = "user:innocent" }
          entry.key = key
          previous = try forger.hash(of: entry, key: key, as: sequence, after: previous)
          let (forged, hash) = (entry, previous)
          _ = try await database.write { tx in
            try tx.execute(
              "UPDATE audit SET actor = \(forged.actor), key = \(key), hash = \(hash) WHERE id = \(forged.id)")
          }
        }
        #expect(try await chain.verify().flaw == .unknownKey(key, at: 3))
      }
    }
  }

  @Test func rotatedKeysVerifyWhatTheyHaveMade() async throws {
    try await TemporaryFolder.run { folder in
      let keys = try DataKeys.forTests(folder)
      try await TestDatabase.sqlite.run { database in
        try await database.migrate(PlatformMigrations.all, logger: Logger(label: "test"))
        let chain = AuditChain(database, of: "shop", keys: keys)
        try await add(1...2, to: database)
        _ = try await chain.extend()
        try keys.addKey()
        try await add(3...4, to: database)
        let verdict = try await chain.verify()
        #expect(verdict.flaw == nil)
        #expect(verdict.links == 4)
        let names = try await database.read { try $0.values("SELECT DISTINCT key FROM audit", as: String.self) }
        #expect(names.count == 2)
      }
    }
  }

  // MARK: heads

  @Test(arguments: TestDatabase.allCases)
  func aCutTailIsFound(_ kind: TestDatabase) async throws {
    try await chain(kind) { database, chain async throws in
      try await TestDatabase.sqlite.run { noter in
        try await noter.migrate(PlatformMigrations.all, logger: Logger(label: "test"))
        try await add(1...5, to: database)
        _ = try await chain.extend()
        try await note(chain, in: noter)
        #expect(try await chain.verify(against: try await notes(noter)).agreeing == 1)
        _ = try await database.write { tx in try tx.execute("DELETE FROM audit WHERE sequence > 3") }
        // Alone, the chain looks whole.
        #expect(try await chain.verify().flaw == nil)
        #expect(try await chain.verify(against: try await notes(noter)).flaw == .cut(noted: 5, by: "noter"))
        // The service cannot replace what was noted, neither with the shorter chain nor with one that has grown again.
        let short = try await problem { try await self.note(chain, in: noter) }
        #expect(short?.is(.auditHeadRefused) == true)
        try await add(6...9, to: database)
        _ = try await chain.extend()
        let grown = try await problem { try await self.note(chain, in: noter) }
        #expect(grown?.is(.auditHeadRefused) == true)
        #expect(
          try await chain.verify(against: try await notes(noter)).flaw == .rewritten(at: 5, notedBy: "noter"))
      }
    }
  }

  private func problem(_ body: () async throws -> Void) async throws -> Problem? {
    do { try await body() } catch let problem as Problem { return problem }
    return nil
  }

  @Test func headsAreNotedOnceAnHourAndOnlyForward() async throws {
    try await chain { database, chain async throws in
      try await TestDatabase.sqlite.run { noter in
        try await noter.migrate(PlatformMigrations.all, logger: Logger(label: "test"))
        for number in 1...3 {
          try await add(number...number, to: database)
          _ = try await chain.extend()
          try await note(chain, in: noter)
        }
        let noted = try await notes(noter)
        #expect((1...2).contains(noted.count))
        #expect(noted.first?.head.sequence == 3)
        #expect(try await chain.verify(against: noted).flaw == nil)
        _ = try await noter.write { tx in try tx.execute("UPDATE audit_heads SET hash = 'x' WHERE sequence = 3") }
        let flaw = try await chain.verify(against: try await notes(noter)).flaw
        #expect(flaw == .forgedNote(at: 3, by: "noter"))
      }
    }
  }

  // MARK: retention

  @Test(arguments: TestDatabase.allCases)
  func theRestStaysVerifiableWhenOldEntriesAreRemoved(_ kind: TestDatabase) async throws {
    try await chain(kind) { database, chain async throws in
      try await add(1...6, to: database)
      _ = try await chain.extend()
      // These six are old.
      _ = try await database.write { tx in
        try tx.execute("UPDATE audit SET sequence = NULL, hash = NULL, key = NULL, at = at - \(Self.year)")
      }
      _ = try await chain.extend()
      try await add(7...8, to: database)
      _ = try await chain.extend()
      let half = try await database.write { tx in tx.now.advanced(bySeconds: -100 * 86_400) }
      #expect(try await chain.remove(before: half) == 6)
      let verdict = try await chain.verify()
      #expect(verdict.flaw == nil)
      #expect(verdict.removed == 6)
      // Two entries, and the one that records the removal.
      #expect(verdict.links == 3)
      let trail = try await AuditTrail(database).search(AuditFilter(action: "audit.removed"), limit: 10, cursor: nil)
      #expect(trail.items.first?.changes.first == AuditChange("until", from: "0", to: "6"))
      // The last entry of all stays, so that the chain goes on.
      let later = try await database.write { tx in tx.now.advanced(bySeconds: 86_400) }
      #expect(try await chain.remove(before: later) == 2)
      #expect(try await chain.verify().flaw == nil)
    }
  }

  /// Rows of the trail that this database has read.
  private func rowsRead(_ database: PostgresDatabase) async throws -> Int {
    _ = try await database.read { db in try db.all("SELECT pg_stat_force_next_flush()") { _ in } }
    return try await database.read { db in
      try db.count(
        """
        SELECT CAST(seq_tup_read + idx_tup_fetch AS BIGINT) FROM pg_stat_user_tables
        WHERE schemaname = 'shop' AND relname = 'audit'
        """
      )
    }
  }

  /// The first removal from a trail of many years takes as many batches as it needs, each of which is as fast as the
  /// others.
  @Test func aBatchOfTheRemovalReadsNoMoreThanItRemoves() async throws {
    try await TestDatabase.postgresql.withSettings { settings async throws in
      let database = try PostgresDatabase(url: try #require(settings["database.url"]), schema: "shop", connections: 1)
      try await attempt {
        try await database.migrate(PlatformMigrations.all, logger: Logger(label: "test"))
        try await database.write { tx in
          try tx.execute(
            """
            INSERT INTO audit (id, sequence, at, actor, action, object, changes, hash)
            SELECT 'entry-' || n, n, n, 'operator', 'thing.done', 'thing', '[]', 'hash'
            FROM generate_series(1, 60000) n
            """
          )
        }
        try await database.write { tx in try tx.execute("ANALYZE audit") }
        try await TemporaryFolder.run { folder in
          let chain = AuditChain(database, of: "shop", keys: try DataKeys.forTests(folder))
          let old = Timestamp(microseconds: 50_000)
          let before = try await rowsRead(database)
          #expect(try await chain.remove(before: old) == 5000)
          #expect(try await rowsRead(database) - before < 20_000)
          var removed = 5000
          while case let count = try await chain.remove(before: old), count > 0 { removed += count }
          #expect(removed == 49_999)
        }
      } finally: {
        await database.close()
      }
    }
  }

  private static let year: Int64 = 365 * 86_400_000_000

  @Test func aBeginningIsNotCutByMovingTheMark() async throws {
    try await chain { database, chain async throws in
      try await add(1...5, to: database)
      _ = try await chain.extend()
      let hash = try #require(try await chain.hash(at: 3))
      _ = try await database.write { tx in
        try tx.execute("DELETE FROM audit WHERE sequence <= 3")
        try tx.execute(
          """
          INSERT INTO audit_base (id, sequence, hash, key, code, removed_at)
          VALUES (1, 3, \(hash), \(chain.keys.auditKey), \(hash), 0)
          """
        )
      }
      #expect(try await chain.verify().flaw == .forgedBase)
      _ = try await database.write { tx in try tx.execute("DELETE FROM audit_base") }
      #expect(try await chain.verify().flaw == .broken(at: 1))
    }
  }
}
