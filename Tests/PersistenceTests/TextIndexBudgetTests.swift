import Logging
import TestKit
import Testing

@testable import Persistence

/// The cost of searches does not depend on what is searched for.
struct TextIndexBudgetTests {
  private static let index = TextIndex("things")

  private func database(_ body: @escaping (any Database) async throws -> Void) async throws {
    try await TestDatabase.sqlite.run { database in
      try await database.migrate(TextIndex.migrations, logger: Logger(label: "test"))
      try await body(database)
    }
  }

  private func search(_ database: any Database, _ query: String, maxRows: Int? = nil) async throws -> TextResults {
    try await database.read { db in
      try Self.index.search(TextQuery(query), limit: 20, maxRows: maxRows, in: db)
    }
  }

  /// A word that begins like thousands of others, one letter, and misspelled words, against 4000 documents with words
  /// of their own.
  @Test(arguments: [
    "s", "st", "str", "stra", "strange", "xtrangewaaa", "strangexxxx", "a b c d e f g h",
    "strangewor strangewrod strangeowrd stragneword satrngeword strangwword strangexord srtangewor",
  ])
  func readsFewRows(query: String) async throws {
    try await database { database async throws in
      var random = SeededGenerator()
      let documents = (0..<4000).map { number in
        let own = (0..<5).map { _ in Character(UnicodeScalar(UInt8.random(in: 97...122, using: &random))) }
        return TextDocument("d\(number)", ["strangeword\(String(own)) common"])
      }
      try await database.write { tx in try Self.index.put(documents, in: tx) }
      let results = try await search(database, query)
      #expect(results.rowsRead < 3000)
      #expect(results.isComplete)
      #expect(try await search(database, "strangeword").documents.count == 20)
    }
  }

  @Test func aUsedUpBudgetEndsTheSearch() async throws {
    try await database { database async throws in
      let documents = (0..<1000).map { TextDocument("d\($0)", ["word\($0) common"]) }
      try await database.write { tx in try Self.index.put(documents, in: tx) }
      let results = try await search(database, "common", maxRows: 50)
      #expect(results.rowsRead == 50)
      #expect(!results.isComplete)
      // The newest ones.
      #expect(results.documents.first == "d999")
    }
  }

  /// Transactions that add different documents at the same time do not lose any.
  @Test(arguments: TestDatabase.allCases)
  func concurrentWritersKeepEachDocument(_ kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      try await database.migrate(TextIndex.migrations, logger: Logger(label: "test"))
      try await withThrowingTaskGroup { group in
        for number in 0..<100 {
          group.addTask {
            try await database.write { tx in
              try Self.index.put(TextDocument("d\(number)", ["common word\(number)"]), in: tx)
            }
          }
        }
        try await group.waitForAll()
      }
      let found = try await database.read { db in
        try Self.index.search(TextQuery("common"), limit: 200, in: db).documents
      }
      #expect(Set(found) == Set((0..<100).map { "d\($0)" }))
    }
  }
}
