import Foundation
import Logging
import TestKit
import Testing

@testable import Persistence

/// Text search: matches, tolerance, ranking and filters.
struct TextIndexTests {
  private static let index = TextIndex("things")

  private func database(_ database: TestDatabase, _ body: @escaping (any Database) async throws -> Void) async throws {
    try await database.run { database in
      try await database.migrate(TextIndex.migrations, logger: Logger(label: "test"))
      try await body(database)
    }
  }

  private func put(_ documents: [TextDocument], in database: any Database) async throws {
    for document in documents { try await database.write { tx in try Self.index.put(document, in: tx) } }
  }

  private func search(
    _ database: any Database, _ query: String?, where filter: TextFilter = .all([]), limit: Int = 10, offset: Int = 0
  ) async throws -> [String] {
    try await database.read { db in
      try Self.index.search(TextQuery(query, where: filter), limit: limit, offset: offset, in: db).documents
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func findsAndForgets(_ kind: TestDatabase) async throws {
    try await database(kind) { database async throws in
      try await put(
        [TextDocument("1", ["Crème brûlée sweet"]), TextDocument("2", ["Cream cheese"]), TextDocument("3", ["cre"])],
        in: database)
      try await database.write { tx in try TextIndex("others").put(TextDocument("9", ["cream"]), in: tx) }
      // Whole words rank before beginnings, and the newest of equals ranks first.
      #expect(try await search(database, "cre") == ["3", "2", "1"])
      #expect(try await search(database, "cre", limit: 1) == ["3"])
      #expect(try await search(database, "BRULEE") == ["1"])
      #expect(try await search(database, "sweet crem") == ["1"])
      #expect(try await search(database, "cheeese") == ["2"])
      #expect(try await search(database, "chesee craem") == ["2"])
      #expect(try await search(database, "cheese sweet") == [])
      #expect(try await search(database, "   ") == [])
      try await put([TextDocument("1", ["sour"])], in: database)
      try await database.write { tx in try Self.index.remove("3", in: tx) }
      #expect(try await search(database, "craem") == ["2"])
      #expect(try await search(database, "sour") == ["1"])
      #expect(try await search(database, "brulee") == [])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func nothingIsLeftOfRemovedDocuments(_ kind: TestDatabase) async throws {
    try await database(kind) { database async throws in
      let documents = (0..<100).map { TextDocument("\($0)", ["word\($0) shared", "more"], values: ["owner:\($0)"]) }
      try await database.write { tx in try Self.index.put(documents, in: tx) }
      try await put([TextDocument("late", ["late"])], in: database)
      try await database.write { tx in
        for document in documents { try Self.index.remove(document.name, in: tx) }
        try Self.index.remove("late", in: tx)
      }
      for table in ["search_pending", "search_documents", "search_postings"] as [StaticString] {
        let count = try await database.read { db in try db.count("SELECT COUNT(*) FROM \(raw: table)") }
        #expect(count == 0, "\(table)")
      }
      let letters = try await database.read { db in try db.count("SELECT SUM(LENGTH(words)) FROM search_vocabulary") }
      #expect(letters == 0)
    }
  }

  // MARK: tolerance

  /// The table of Meilisearch: no error in words of up to four letters, one in words of up to eight, two in longer ones;
  /// an error in the first letter counts as two.
  @Test(
    arguments: [
      ("saturday", "satuday", true), ("saturday", "sutuday", false), ("saturday", "caturday", false),
      ("saturday", "satrday", true), ("saturday", "saturdya", true), ("saturday", "saturdayy", true),
      ("rain", "rian", false), ("rain", "rin", false), ("rains", "rians", true), ("rains", "ranis", true),
      ("trampoline", "tramploine", true), ("trampoline", "tramplin", false), ("trampoline", "trxmpolxne", true),
      ("trampoline", "trxmpxlxne", false), ("trampoline", "drampoline", true), ("trampoline", "drampolinx", false),
      ("trampoline", "rampoline", true), ("trampoline", "strampoline", true), ("trampoline", "rtampoline", true),
      ("жёлтыйдом", "желтыйдмо", true), ("жёлтыйдом", "зелтыйдом", true), ("naïveté", "naivete", true),
    ] as [(String, String, Bool)]
  )
  func toleratesTypingErrorsByLength(word: String, query: String, isFound: Bool) async throws {
    try await database(.sqlite) { database async throws in
      try await database.write { tx in try Self.index.put([TextDocument("1", ["\(word) first"])], in: tx) }
      // The words of documents in the sets are found otherwise than those of new ones.
      try await put([TextDocument("2", ["\(word) second"])], in: database)
      #expect(try await search(database, "\(query) first") == (isFound ? ["1"] : []))
      #expect(try await search(database, "\(query) second") == (isFound ? ["2"] : []))
    }
  }

  @Test func theLastWordMayBeABeginningWithTypingErrors() async throws {
    try await database(.sqlite) { database async throws in
      try await database.write { tx in try Self.index.put([TextDocument("1", ["saturday trampolines"])], in: tx) }
      for query in ["s", "sat", "satur", "satud", "saturday tram", "saturday trapm", "saturday drampolin"] {
        #expect(try await search(database, query) == ["1"], "\(query)")
      }
      #expect(try await search(database, "saturdxy tramp") == ["1"])
      #expect(try await search(database, "saxurdxy tramp") == [])
    }
  }

  // MARK: ranking

  @Test(arguments: TestDatabase.allCases)
  func ranksByTypingErrorsThenNearnessThenFieldThenWholeWordsThenAge(_ kind: TestDatabase) async throws {
    try await database(kind) { database async throws in
      let documents = [
        TextDocument("whole", ["night train", ""]), TextDocument("newer", ["night train", ""]),
        TextDocument("beginning", ["night trains", ""]), TextDocument("description", ["", "night train"]),
        TextDocument("apart", ["night and then a train", ""]), TextDocument("reversed", ["train night", ""]),
        TextDocument("typo", ["nigth train", ""]), TextDocument("other", ["day train", ""]),
      ]
      let wanted = ["newer", "whole", "beginning", "description", "reversed", "apart", "typo"]
      try await put(documents, in: database)
      #expect(try await search(database, "night train") == wanted)
      try await database.write { tx in try Self.index.fold(in: tx) }
      #expect(try await search(database, "night train") == wanted)
      #expect(try await search(database, "night train", limit: 3, offset: 2) == Array(wanted[2..<5]))
    }
  }

  /// A word that every document has keeps the best ones, not those that were added first.
  @Test(arguments: TestDatabase.allCases)
  func commonWordsKeepTheBest(_ kind: TestDatabase) async throws {
    try await database(kind) { database async throws in
      let common = (0..<2000).map { TextDocument("d\($0)", ["number \($0)", "workout"]) }
      let best = [TextDocument("best", ["workout", "of the year"])]
      try await database.write { tx in try Self.index.put(best + common, in: tx) }
      #expect(try await search(database, "workout", limit: 3) == ["best", "d1999", "d1998"])
    }
  }

  // MARK: filters

  /// Five thousand other documents have the word; a filter still finds the one that meets it, at both ends of the index.
  @Test(arguments: TestDatabase.allCases)
  func filtersApplyToEverythingThatMatches(_ kind: TestDatabase) async throws {
    try await database(kind) { database async throws in
      let documents = (0..<5000).map { number in
        TextDocument(
          "d\(number)", ["dark beat"],
          values: [number == 0 ? "owner:first" : number == 4999 ? "owner:last" : "owner:others", "kind:\(number % 2)"])
      }
      try await database.write { tx in try Self.index.put(documents, in: tx) }
      #expect(try await search(database, "dark", where: .value("owner:first")) == ["d0"])
      #expect(try await search(database, "drak", where: .value("owner:first")) == [])
      #expect(try await search(database, "beat dar", where: .value("owner:last")) == ["d4999"])
      let both = TextFilter.all([.value("kind:0"), .not(.value("owner:others"))])
      #expect(try await search(database, "beat", where: both) == ["d0"])
      #expect(try await search(database, nil, where: both) == ["d0"])
      #expect(try await search(database, nil, where: .any([.value("owner:last"), both])) == ["d4999", "d0"])
      #expect(try await search(database, nil, where: .any([])) == [])
      let kept = try await database.read { db in
        try Self.index.search(TextQuery("dark"), limit: 2, keeping: { Set($0.filter { $0.hasSuffix("000") }) }, in: db)
      }
      #expect(kept.documents == ["d4000", "d3000"])
      #expect(kept.hasMore)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func countsMatchesByTheirValues(_ kind: TestDatabase) async throws {
    try await database(kind) { database async throws in
      let documents = (0..<1000).map { number in
        TextDocument("d\(number)", ["song \(number % 3 == 0 ? "slow" : "fast")"], values: ["tag:\(number % 4)", "x:1"])
      }
      try await database.write { tx in try Self.index.put(documents, in: tx) }
      try await put([TextDocument("new", ["slow song"], values: ["tag:new"])], in: database)
      let counts = try await database.read { db in
        try Self.index.counts(of: ["tag:"], TextQuery("slow"), in: db)
      }
      #expect(counts == ["tag:0": 84, "tag:1": 83, "tag:2": 83, "tag:3": 84, "tag:new": 1])
      let matches = try await database.read { db in try Self.index.matches(TextQuery("slow"), in: db) }
      #expect(matches.count == 335)
      let (all, some) = try await database.read { db in
        (try matches.documents(in: db), try matches.filter(["d0", "d1", "d3", "new", "unknown"], in: db))
      }
      #expect(Set(all).count == 335)
      #expect(some == ["d0", "d3", "new"])
    }
  }

  // MARK: versions

  @Test(arguments: TestDatabase.allCases)
  func whatTheVersionBeforeChangesIsIndexedLater(_ kind: TestDatabase) async throws {
    let time = ManualTime()
    try await kind.run(time: time.source) { database async throws in
      try await database.migrate(TextIndex.migrations, logger: Logger(label: "test"))
      func fill(_ documents: [String: String]) async throws {
        try await Self.index.fill(database, version: 1) { after, limit, _ in
          documents.filter { $0.key > after }.sorted { $0.key < $1.key }.prefix(limit)
            .map { TextDocument($0.key, [$0.value]) }
        }
      }
      try await fill(["1": "first", "2": "second", "3": "third"])
      let changed = ["1": "other", "3": "third", "4": "fourth"]
      try await fill(changed)
      #expect(try await search(database, "first") == ["1"])
      time.advance(seconds: TextIndex.secondsToRepeat)
      try await fill(changed)
      for (word, found) in ["first": [], "second": [], "other": ["1"], "third": ["3"], "fourth": ["4"]] {
        #expect(try await search(database, word) == found, "\(word)")
      }
      // Only once.
      time.advance(seconds: TextIndex.secondsToRepeat)
      try await fill([:])
      #expect(try await search(database, "other") == ["1"])
    }
  }

  // MARK: filling

  @Test(arguments: TestDatabase.allCases)
  func fillsInStepsOncePerVersion(_ kind: TestDatabase) async throws {
    try await database(kind) { database async throws in
      let names = (0..<1300).map { String(format: "%04d", $0) }
      struct Interrupted: Error {}
      func fill(version: Int, word: String, until last: String = "9999") async throws {
        try await Self.index.fill(database, version: version) { after, limit, _ in
          guard after < last else { throw Interrupted() }
          return names.drop { $0 <= after }.prefix(limit).map { TextDocument($0, ["\(word) number\($0)"]) }
        }
      }
      await #expect(throws: Interrupted.self) { try await fill(version: 1, word: "old", until: "0500") }
      #expect(try await search(database, "old", limit: 2000).count == 512)
      try await fill(version: 1, word: "old")
      #expect(try await search(database, "old", limit: 2000).count == 1300)
      // A complete index is not read again.
      try await fill(version: 1, word: "never", until: "")
      try await fill(version: 2, word: "new")
      #expect(try await search(database, "new", limit: 2000).count == 1300)
      #expect(try await search(database, "old", limit: 2000) == [])
    }
  }
}
