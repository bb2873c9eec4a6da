import Logging
import TestKit
import Testing

@testable import Persistence

/// The index finds what a comparison with every word of every document finds, in the same order.
struct TextIndexOracleTests {
  private static let index = TextIndex("things")

  @Test(arguments: TestDatabase.allCases)
  func findsWhatAComparisonOfAllWordsFinds(_ kind: TestDatabase) async throws {
    var random = SeededGenerator()
    let seed = random.description
    try await kind.run { database async throws in
      try await database.migrate(TextIndex.migrations, logger: Logger(label: "test"))
      let vocabulary = Self.vocabulary(&random)
      var oracle = TextOracle()
      for step in 0..<500 {
        // Many are changed or removed after they were added.
        let name = "d\(Int.random(in: 0..<250, using: &random))"
        guard Int.random(in: 0..<6, using: &random) > 0 else {
          try await database.write { tx in try Self.index.remove(name, in: tx) }
          oracle.documents[name] = nil
          continue
        }
        let fields = (0..<3).map { _ in
          (0..<Int.random(in: 0..<5, using: &random)).compactMap { _ in vocabulary.randomElement(using: &random) }
        }
        let values = [
          "kind:\(Int.random(in: 0..<3, using: &random))", "owner:\(Int.random(in: 0..<20, using: &random))",
        ]
        let document = TextDocument(name, fields.map { $0.joined(separator: " ") }, values: values)
        try await database.write { tx in try Self.index.put(document, in: tx) }
        let age = oracle.documents[name]?.age ?? step
        oracle.documents[name] = .init(name: name, fields: fields, values: Set(values), age: age)
      }
      var found = 0
      for _ in 0..<150 {
        let words = Self.query(of: vocabulary, &random)
        let filter = Self.filters[Int.random(in: 0..<Self.filters.count, using: &random)]
        let wanted = oracle.search(words) { filter.isMet(by: $0) }
        let text = words.joined(separator: " ")
        let results = try await database.read { db in
          try Self.index.search(TextQuery(text, where: filter), limit: 10, in: db)
        }
        #expect(results.documents == Array(wanted.prefix(10)), "\(text) \(filter) \(seed)")
        #expect(results.hasMore == (wanted.count > 10), "\(text) \(filter) \(seed)")
        found += wanted.isEmpty ? 0 : 1
      }
      #expect(found > 30, "\(seed)")
    }
  }

  private static let filters: [TextFilter] = [
    .all([]), .value("kind:1"), .all([.value("kind:0"), .value("owner:3")]),
    .any([.value("owner:1"), .value("owner:2"), .value("owner:5")]), .not(.value("kind:2")),
    .all([.not(.any([.value("owner:1")])), .value("kind:1")]),
  ]

  /// Words that are similar to each other.
  private static func vocabulary(_ random: inout SeededGenerator) -> [String] {
    let letters = Array("abcd")
    var words = (0..<40).map { _ in
      String((0..<Int.random(in: 2...11, using: &random)).map { _ in letters[Int.random(in: 0..<4, using: &random)] })
    }
    for _ in 0..<120 {
      var word = Array(words[Int.random(in: 0..<40, using: &random)])
      for _ in 0..<Int.random(in: 1...2, using: &random) { change(&word, letters, &random) }
      words.append(Int.random(in: 0..<10, using: &random) == 0 ? "ж" + String(word) : String(word))
    }
    return words
  }

  private static func change(_ word: inout [Character], _ letters: [Character], _ random: inout SeededGenerator) {
    let index = Int.random(in: 0..<word.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: word.insert(letters[Int.random(in: 0..<4, using: &random)], at: index)
    case 1: if word.count > 1 { word.remove(at: index) }
    case 2: word[index] = "e"
    default: word.swapAt(index, word.count - 1)
    }
  }

  private static func query(of vocabulary: [String], _ random: inout SeededGenerator) -> [String] {
    var words: [String] = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      var word = Array(vocabulary[Int.random(in: 0..<vocabulary.count, using: &random)])
      switch Int.random(in: 0..<4, using: &random) {
      case 0: word = Array(word.prefix(Int.random(in: 1...word.count, using: &random)))
      case 1: change(&word, Array("abcd"), &random)
      default: break
      }
      if !words.contains(String(word)) { words.append(String(word)) }
    }
    return words
  }

  @Test func countsTypingErrorsLikeATable() {
    var random = SeededGenerator()
    let letters = Array("abcж")
    func word(_ length: ClosedRange<Int>) -> String {
      String((0..<Int.random(in: length, using: &random)).map { _ in letters[Int.random(in: 0..<4, using: &random)] })
    }
    for _ in 0..<3000 {
      let query = word(1...14)
      var other = Array(Int.random(in: 0..<4, using: &random) == 0 ? word(1...14) : query)
      for _ in 0..<Int.random(in: 0...3, using: &random) { Self.change(&other, letters, &random) }
      for isLast in [false, true] {
        let found = TypoMatcher(query, isLast: isLast).match(Array(String(other).utf8))?.typos
        let wanted = TextOracle.typos(query, String(other), isLast: isLast)
        #expect(found == wanted, "\(query) \(String(other)) \(isLast) \(random)")
      }
    }
  }

  @Test func setsKeepTheirNumbersInBothForms() {
    var random = SeededGenerator()
    var (stored, wanted): ([UInt8], Set<UInt16>) = ([], [])
    var sizes: Set<Int> = []
    for step in 0..<60 {
      let adding = (0..<(step < 30 ? 400 : 20)).map { _ in UInt16.random(in: 0 ... .max, using: &random) }
      let removing = wanted.filter { _ in Int.random(in: 0..<(step < 30 ? 20 : 4), using: &random) == 0 }
        .subtracting(adding)
      stored = NumberSet.changing(stored, adding: adding, removing: Array(removing))
      wanted = wanted.subtracting(removing).union(adding)
      let set = NumberSet(stored: stored)
      #expect(set.count == wanted.count, "\(random)")
      #expect(set.largest(100_000) == wanted.sorted(by: >), "\(random)")
      sizes.insert(min(stored.count, 8192))
    }
    #expect(sizes.contains(8192), "\(random)")
    #expect(sizes.min() ?? 8192 < 8192, "\(random)")
  }
}
