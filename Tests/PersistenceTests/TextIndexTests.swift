import Logging
import TestKit
import Testing

@testable import Persistence

/// Text search: matches, ranking and typing errors.
struct TextIndexTests {
  private static let index = TextIndex("things")

  private func database(_ database: TestDatabase, _ body: @escaping (any Database) async throws -> Void) async throws {
    try await database.run { database in
      try await database.migrate([TextIndex.migration], logger: Logger(label: "test"))
      try await body(database)
    }
  }

  private func search(_ database: any Database, _ query: String, limit: Int = 10) async throws -> [String] {
    try await database.read { db in try Self.index.search(query, limit: limit, in: db) }
  }

  @Test(arguments: TestDatabase.allCases)
  func findsAndForgets(_ kind: TestDatabase) async throws {
    try await database(kind) { database async throws in
      try await database.write { tx in
        try Self.index.put("1", ["Crème brûlée", "sweet"], in: tx)
        try Self.index.put("2", ["Cream cheese"], in: tx)
        try Self.index.put("3", ["cre"], in: tx)
        try TextIndex("others").put("9", ["cream"], in: tx)
      }
      // Whole words rank before prefixes, and the newest of equals ranks first.
      #expect(try await search(database, "cre") == ["3", "2", "1"])
      #expect(try await search(database, "cre", limit: 1) == ["3"])
      #expect(try await search(database, "BRULEE") == ["1"])
      #expect(try await search(database, "sweet crem") == ["1"])
      #expect(try await search(database, "cheeese") == ["2"])
      #expect(try await search(database, "chesee craem") == ["2"])
      #expect(try await search(database, "cheese sweet") == [])
      #expect(try await search(database, "   ") == [])
      try await database.write { tx in
        try Self.index.put("1", ["sour"], in: tx)
        try Self.index.remove("3", in: tx)
      }
      #expect(try await search(database, "craem") == ["2"])
      #expect(try await search(database, "sour") == ["1"])
      let left = try await database.read { db in
        try db.count("SELECT COUNT(*) FROM search_grams WHERE word = \(Array("brulee".utf8))")
      }
      #expect(left == 0)
    }
  }

  @Test(
    arguments: [
      ("kitten", "sitting", 3, 3), ("ada", "ada", 0, 0), ("abcd", "acbd", 1, 1), ("", "abc", 3, 3),
      ("abc", "abcdef", 2, nil),
      ("lovelace", "lovelcae", 1, 1),
    ] as [(String, String, Int, Int?)]
  )
  func countsTypingErrors(a: String, b: String, limit: Int, distance: Int?) {
    #expect(Words.distance(Array(a.unicodeScalars), Array(b.unicodeScalars), atMost: limit) == distance)
  }
}
