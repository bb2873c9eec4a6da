import Contracts
import Logging
import TestKit
import Testing

@testable import Persistence

/// Requests with keys that are in flight at the same time.
@Suite(.serialized)
struct IdempotencyKeyTests {
  private func migrated(_ kind: TestDatabase, _ body: (any Database) async throws -> Void) async throws {
    try await kind.run { database async throws in
      try await database.migrate(PlatformMigrations.all, logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() })
      try await body(database)
    }
  }

  private func request(_ key: String, _ fingerprint: String = "f") -> IdempotentRequest {
    IdempotentRequest(caller: "ada", key: key, fingerprint: fingerprint)
  }

  @Test(
    "M6: two requests with one key in flight are one, also when the table has statistics",
    arguments: TestDatabase.allCases)
  func oneKeyInFlightManyTimes(_ kind: TestDatabase) async throws {
    try await migrated(kind) { database async throws in
      try await database.write { tx in
        let rows = (0..<5000).map { number in
          ["eve".sqlValue, "k\(number)".sqlValue, "f".sqlValue, "1".sqlValue, tx.now.sqlValue]
        }
        try tx.execute(
          "INSERT INTO idempotency_keys (caller, key, fingerprint, answer, created_at) VALUES", rows: rows, "")
      }
      try await database.write { tx in try tx.execute("ANALYZE idempotency_keys") }
      for round in 0..<20 {
        let answers = try await concurrently(0..<8) { number in
          try await retryingConflicts {
            try await database.write { tx in try tx.idempotent(request("round-\(round)")) { number } }
          }
        }
        #expect(Set(answers).count == 1)
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aBatchKnowsStoredAndOwnAnswers(_ kind: TestDatabase) async throws {
    try await migrated(kind) { database async throws in
      try await database.write { tx in try tx.keep("stored", for: request("a")) }
      let answers = try await database.write { tx in
        let requests = [request("a"), request("b"), request("b"), request("c")]
        var batch = try IdempotentBatch(requests, in: tx)
        var answers: [String] = []
        for (number, request) in requests.enumerated() {
          if let answer: String = try batch.response(to: request) {
            answers.append(answer)
          } else {
            try batch.keep("new \(number)", for: request)
            answers.append("new \(number)")
          }
        }
        try batch.store(in: tx, coversAll: true)
        return answers
      }
      #expect(answers == ["stored", "new 1", "new 1", "new 3"])
      let stored: String? = try await database.read { db in try db.storedResponse(to: request("b")) }
      #expect(stored == "new 1")
      let reused = await #expect(throws: Problem.self) {
        try await database.read { db in
          _ = try IdempotentBatch([request("c", "g")], in: db).response(to: request("c", "g")) as String?
        }
      }
      #expect(reused?.is(.idempotencyKeyReused) == true)
    }
  }

  /// A batch whose commit has an unknown outcome is decided again, unless a request in it would have a second effect.
  @Test(arguments: TestDatabase.allCases)
  func aBatchOfKeyedRequestsMayRunAgain(_ kind: TestDatabase) async throws {
    try await migrated(kind) { database async throws in
      for coversAll in [true, false] {
        let mayRunAgain = try await database.write { tx in
          let request = request("\(coversAll)")
          var batch = try IdempotentBatch([request], in: tx)
          try batch.keep("done", for: request)
          try batch.store(in: tx, coversAll: coversAll)
          return tx.hasKey
        }
        #expect(mayRunAgain == coversAll)
      }
    }
  }

  /// Two batches with one key at the same time: one keeps its answer, the other finds it.
  @Test(arguments: TestDatabase.allCases)
  func batchesWithOneKeyAreOne(_ kind: TestDatabase) async throws {
    try await migrated(kind) { database async throws in
      for round in 0..<20 {
        let answers = try await concurrently(0..<4) { number in
          try await retryingConflicts {
            try await database.write { tx in
              let own = IdempotentRequest(caller: "user \(number)", key: "\(round)", fingerprint: "f")
              var batch = try IdempotentBatch([own, request("\(round)")], in: tx)
              try batch.keep(number, for: own)
              let known: Int? = try batch.response(to: request("\(round)"))
              if known == nil { try batch.keep(number, for: request("\(round)")) }
              try batch.store(in: tx, coversAll: true)
              return known ?? number
            }
          }
        }
        #expect(Set(answers).count == 1)
      }
      #expect(try await database.read { db in try db.count("SELECT COUNT(*) FROM idempotency_keys") } == 100)
    }
  }
}
