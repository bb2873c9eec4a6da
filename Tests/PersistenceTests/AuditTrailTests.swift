import Contracts
import Logging
import TestKit
import Testing

@testable import Persistence

/// The hash chain of the audit trail.
struct AuditTrailTests {
  private func database(_ kind: TestDatabase, _ body: @escaping (any Database) async throws -> Void) async throws {
    try await kind.run { database in
      try await database.migrate(PlatformMigrations.all, logger: Logger(label: "test"))
      try await body(database)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func parallelEntriesMakeOneChain(_ kind: TestDatabase) async throws {
    try await database(kind) { database async throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            try await database.write { tx in
              try tx.audit("thing.done", object: "thing:\(number)", by: AuditActor("operator"))
            }
          }
          if number.isMultiple(of: 20) { group.addTask { _ = try await AuditTrail(database).chain() } }
        }
        try await group.waitForAll()
      }
      let verdict = try await AuditTrail(database).verify()
      #expect(verdict.links == 200)
      #expect(verdict.broken == nil)
      #expect(verdict.head.count == 64)
    }
  }

  @Test(
    arguments: [
      "UPDATE audit SET action = 'thing.undone' WHERE sequence = 3",
      "UPDATE audit SET actor = 'eve' WHERE sequence = 3",
      "UPDATE audit SET changes = '[]' WHERE sequence = 3", "UPDATE audit SET at = at + 1 WHERE sequence = 3",
      "DELETE FROM audit WHERE sequence = 3", "UPDATE audit SET object = NULLIF(session, '') || 'x' WHERE sequence = 3",
    ] as [StaticString]
  )
  func everyAlterationBreaksTheChain(statement: StaticString) async throws {
    try await database(.sqlite) { database async throws in
      for number in 1...5 {
        try await database.write { tx in
          try tx.audit(
            "thing.done",
            object: "thing:\(number)",
            by: AuditActor("operator", session: SessionID(trusted: "s")),
            changes: [AuditChange("a", from: "1", to: "2")]
          )
        }
      }
      #expect(try await AuditTrail(database).verify().broken == nil)
      _ = try await database.write { tx in try tx.execute(SQL(stringLiteral: statement)) }
      #expect(try await AuditTrail(database).verify().broken == 3)
    }
  }

  @Test func whatRollsBackLeavesNoEntry() async throws {
    struct Stop: Error {}
    try await database(.sqlite) { database async throws in
      await #expect(throws: Stop.self) {
        try await database.write { tx in
          try tx.audit("thing.done", object: "thing", by: .operator)
          throw Stop()
        }
      }
      #expect(try await AuditTrail(database).verify().links == 0)
    }
  }
}
