import Contracts
import Foundation
import Logging
import Persistence

/// Searches of an index of titles, tags and descriptions, of words as frequent as in a language (Zipf's law), with the
/// filters that media have.
enum SearchBenchmark {
  private static let index = TextIndex("media")
  private static let queries = 400

  static func run(documents count: Int) async throws {
    let folder = FileManager.default.currentDirectoryPath + "/.build/benchmark-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let database = try SQLiteDatabase(path: "\(folder)/bench.sqlite")
    try await database.migrate(TextIndex.migrations, logger: Logger(label: "benchmark"))
    let corpus = Corpus(count)
    let start = Date()
    try await fill(database, corpus)
    print("filled \(Benchmarks.format(Date().timeIntervalSince(start) * 1e6 / Double(count))) us/document")
    var random = Random(state: 2)
    for (name, make) in kinds {
      var times: [Double] = []
      var rows = 0
      for _ in 0..<queries {
        let query = make(corpus, &random)
        let start = DispatchTime.now().uptimeNanoseconds
        let results = try await database.read { db in try index.search(query, limit: 20, in: db) }
        times.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
        rows = max(rows, results.rowsRead)
      }
      show(name, times, rows)
    }
    var times: [Double] = []
    for _ in 0..<50 {
      let query = TextQuery(corpus.words[random.below(10)], where: corpus.audience)
      let start = DispatchTime.now().uptimeNanoseconds
      _ = try await database.read { db in try index.counts(of: ["tag:", "kind:", "workout:"], query, in: db) }
      times.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
    }
    show("counts", times, 0)
    await database.close()
  }

  private static func show(_ name: String, _ times: [Double], _ rows: Int) {
    let sorted = times.sorted()
    let (p50, p99) = (Benchmarks.percentile(sorted, 0.5), Benchmarks.percentile(sorted, 0.99))
    print("\(name) \(String(format: "%.2f %.2f", p50, p99)) ms-p50-p99 \(rows) rows")
  }

  private static func fill(_ database: SQLiteDatabase, _ corpus: Corpus) async throws {
    let step = 512
    for start in stride(from: 0, to: corpus.count, by: step) {
      let documents = (start..<min(start + step, corpus.count)).map { corpus.document($0) }
      try await database.write { tx in try index.put(documents, in: tx) }
    }
  }

  // MARK: queries

  private typealias Make = @Sendable (Corpus, inout Random) -> TextQuery

  private static let kinds: [(String, Make)] = [
    ("exact", { corpus, random in TextQuery(corpus.word(3...20, &random)) }),
    (
      "exact-2-words-filtered",
      { corpus, random in
        let text = "\(corpus.word(3...20, &random)) \(corpus.word(3...20, &random))"
        return TextQuery(text, where: .all([corpus.audience, .value("kind:\(random.below(4))")]))
      }
    ),
    (
      "prefix",
      { corpus, random in
        let word = corpus.word(4...20, &random)
        return TextQuery(String(word.prefix(1 + random.below(word.count))))
      }
    ),
    ("one-letter", { corpus, random in TextQuery(String(corpus.word(3...20, &random).prefix(1))) }),
    ("typo", { corpus, random in TextQuery(random.misspelling(corpus.word(5...20, &random))) }),
    ("first-letter-typo", { corpus, random in TextQuery("z" + corpus.word(9...20, &random).dropFirst()) }),
    (
      "typo-prefix-filtered",
      { corpus, random in
        let words = [
          random.misspelling(corpus.word(5...12, &random)), corpus.word(3...8, &random),
          String(random.misspelling(corpus.word(6...12, &random)).prefix(7)),
        ]
        return TextQuery(
          words.joined(separator: " "), where: .all([corpus.audience, .value("kind:\(random.below(4))")]))
      }
    ),
    (
      "common-word-owner",
      { corpus, random in
        TextQuery(corpus.words[random.below(10)], where: .value("owner:\(random.below(corpus.owners))"))
      }
    ),
    (
      "common-word-tag",
      { corpus, random in
        TextQuery(
          corpus.words[random.below(10)], where: .all([corpus.audience, .value("tag:tag\(random.below(2000))")]))
      }
    ),
    (
      "8-misspelled-words",
      { corpus, random in
        TextQuery((0..<8).map { _ in random.misspelling(corpus.word(9...20, &random)) }.joined(separator: " "))
      }
    ),
    ("tag", { corpus, random in TextQuery(nil, where: .value("tag:tag\(random.below(2000))")) }),
  ]

  // MARK: documents

  private struct Corpus: Sendable {
    let count: Int
    let words: [String]
    var owners: Int { count / 10 }

    /// Documents for everyone, the caller's own, and those of a hundred connections.
    let audience = TextFilter.any([
      .value("public"), .value("owner:17"),
      .all([.value("shared"), .any((100..<200).map { .value("owner:\($0)") })]),
    ])

    init(_ count: Int) {
      self.count = count
      var random = Random(state: 1)
      var seen: Set<String> = []
      let (consonants, vowels) = (Array("bcdfghjklmnprstvw"), Array("aeiou"))
      var words: [String] = []
      while words.count < min(200_000, count / 2 + 20_000) {
        var word = ""
        for _ in 0..<(1 + random.below(2) + random.below(3)) {
          word.append(consonants[random.below(consonants.count)])
          word.append(vowels[random.below(vowels.count)])
          if random.below(3) == 0 { word.append(consonants[random.below(consonants.count)]) }
        }
        if seen.insert(word).inserted { words.append(word) }
      }
      self.words = words
    }

    private func any(_ random: inout Random) -> String {
      let rank = pow(Double(words.count), Double(random.next() >> 11) / Double(1 << 53))
      return words[min(words.count, Int(rank)) - 1]
    }

    func word(_ lengths: ClosedRange<Int>, _ random: inout Random) -> String {
      while true {
        let word = any(&random)
        if lengths.contains(word.count) { return word }
      }
    }

    func document(_ number: Int) -> TextDocument {
      var random = Random(state: UInt64(number) &* 0x1234_5678_9ABC)
      func text(_ count: Int) -> String { (0..<count).map { _ in any(&random) }.joined(separator: " ") }
      let (title, description) = (text(5), text(10))
      let tags = (0..<3).map { _ in "tag\(random.below(2000))" }
      let audiences = ["public", "shared", "none"]
      let values =
        tags.map { "tag:\($0)" }
        + [
          "kind:\(random.below(4))", "owner:\(random.below(owners))", "workout:\(random.below(8))",
          audiences[random.below(3)],
        ]
      return TextDocument(
        String(format: "%032d", number), [title, tags.joined(separator: " "), description], values: values)
    }
  }

  /// SplitMix64.
  private struct Random: Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    /// Replaces any letter but the first.
    mutating func misspelling(_ word: String) -> String {
      var letters = Array(word)
      let index = 1 + below(letters.count - 1)
      letters[index] = letters[index] == "x" ? "y" : "x"
      return String(letters)
    }
  }
}
