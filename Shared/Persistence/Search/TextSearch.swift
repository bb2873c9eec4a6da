/// One search in a ``TextIndex``.
struct TextSearch {
  let kind: String
  let query: TextQuery
  let words: [TypoMatcher]?
  let db: any Connection
  var budget: RowBudget

  init(_ kind: String, _ query: TextQuery, _ budget: RowBudget, in db: any Connection) {
    (self.kind, self.query, self.budget, self.db) = (kind, query, budget, db)
    words = query.matchers
  }

  /// Blocks whose sets are in memory at once.
  private static let blocksAtOnce: Int64 = 16
  private static let termsPerStatement = 512

  // MARK: terms

  /// The terms of the words; `nil` for a query without text.
  mutating func terms(isTolerant: Bool) throws -> [WordTerms]? {
    guard let words else { return nil }
    let store = WordStore(kind: kind)
    var found: [WordTerms] = []
    for word in words {
      var terms = try WordTerms(word, store, in: db, &budget)
      if isTolerant { try terms.addTolerance(for: word, store, in: db, &budget) }
      found.append(terms)
    }
    return found
  }

  /// Whether there may be more matches with typing errors and abbreviations.
  var hasTolerance: Bool { words.map { $0.count > 1 || $0.contains { $0.tolerance > 0 } } ?? false }

  // MARK: blocks

  /// Passes the matching documents of each block to a body, the newest block first, until it returns `false` or the budget
  /// is used up.
  ///
  /// - Parameter body: Receives the number of the block's first document, and the matches by their typing errors.
  mutating func eachBlock(
    _ words: [WordTerms]?, other: [Term] = [],
    _ body: (_ start: Int64, _ matches: [NumberSet], _ block: PostingBlock) throws -> Bool
  ) throws {
    var terms = Set(query.filter.terms + other)
    if let words {
      terms.formUnion(words.flatMap(\.all))
    } else if query.filter.isAlwaysMet {
      terms.insert(.everything)
    }
    let list = Array(terms)
    let newest = try db.value(
      "SELECT MAX(number) FROM search_documents WHERE kind = \(kind)", as: Int64?.self
    ).flatMap { $0 }
    guard var high = newest.map({ $0 / Int64(NumberSet.span) }) else { return }
    while high >= 0, budget.rest > 0 {
      let low = max(0, high - Self.blocksAtOnce + 1)
      var blocks = try load(list, low, high)
      for number in stride(from: high, through: low, by: -1) {
        guard let block = blocks.removeValue(forKey: number) else { continue }
        let matches = matches(words, block)
        if try !body(number * Int64(NumberSet.span), matches, block) { return }
      }
      high = low - 1
    }
  }

  private mutating func load(_ terms: [Term], _ low: Int64, _ high: Int64) throws -> [Int64: PostingBlock] {
    var blocks: [Int64: PostingBlock] = [:]
    for start in stride(from: 0, to: terms.count, by: Self.termsPerStatement) {
      let part = terms[start..<min(start + Self.termsPerStatement, terms.count)].map(\.bytes)
      let rows = try db.all(
        """
        SELECT term, block, numbers FROM search_postings
        WHERE kind = \(kind) AND term IN \(list: part) AND block BETWEEN \(low) AND \(high) LIMIT \(budget.rest)
        """
      ) { row -> (Term, Int64, [UInt8]) in (Term(bytes: try row["term"]), try row["block"], try row["numbers"]) }
      budget.take(rows.count)
      for (term, block, numbers) in rows { blocks[block, default: PostingBlock()].stored[term] = numbers }
    }
    return blocks
  }

  /// The matching documents of a block by the sum of their words' typing errors.
  private func matches(_ words: [WordTerms]?, _ block: PostingBlock) -> [NumberSet] {
    let filtered = query.filter.documents(block)
    guard let words else { return [filtered ?? block.union([.everything])] }
    var sums: [NumberSet] = []
    for (index, word) in words.enumerated() {
      let levels = word.levels.map { block.union($0) }
      if index == 0 {
        sums = levels.map { filtered?.intersection($0) ?? $0 }
        continue
      }
      var next = [NumberSet](repeating: NumberSet(), count: sums.count + levels.count - 1)
      for (a, sum) in sums.enumerated() {
        for (b, level) in levels.enumerated() { next[a + b].formUnion(sum.intersection(level)) }
      }
      sums = next
    }
    var before = NumberSet()
    for index in sums.indices {
      let sum = sums[index]
      sums[index] = sum.subtracting(before)
      before.formUnion(sum)
    }
    return sums
  }

  // MARK: candidates

  /// Numbers of documents that may be the best matches.
  struct Candidates {
    var numbers: [Int64]
    /// Whether there are others.
    var isPartial: Bool
  }

  /// The best matches by what the sets show: typing errors, then documents that have all words in the first field, then
  /// those with whole words, then the newest.
  mutating func candidates(isTolerant: Bool, limit: Int) throws -> Candidates {
    let terms = try terms(isTolerant: isTolerant)
    var buckets: [[Int64]] = []
    try eachBlock(terms) { start, matches, block in
      for (index, set) in Self.split(matches, terms, block).enumerated() {
        if index == buckets.count { buckets.append([]) }
        buckets[index] += set.largest(limit + 1 - buckets[index].count).map { start + Int64($0) }
      }
      return buckets[0].count <= limit
    }
    let numbers = buckets.flatMap { $0 }
    return Candidates(numbers: Array(numbers.prefix(limit)), isPartial: numbers.count > limit)
  }

  private static func split(_ matches: [NumberSet], _ terms: [WordTerms]?, _ block: PostingBlock) -> [NumberSet] {
    guard let terms, let last = terms.last else { return matches }
    var first: NumberSet?
    for word in terms {
      let next = block.union(word.first)
      first = first?.intersection(next) ?? next
    }
    let whole = block.union([last.whole])
    return matches.flatMap { set in
      let (important, other) = (set.intersection(first ?? set), set.subtracting(first ?? NumberSet()))
      return [important, other].flatMap { [$0.intersection(whole), $0.subtracting(whole)] }
    }
  }

  // MARK: documents that are not in the sets yet

  struct Pending {
    var document: String
    var values: Set<String>
    var relevance: Relevance
  }

  /// The pending documents that match, the newest first.
  mutating func pending() throws -> [Pending] {
    let rows = try db.all(
      """
      SELECT document, content FROM search_pending WHERE kind = \(kind)
      ORDER BY added_at DESC, document DESC LIMIT \(budget.part(of: RowBudget.maxPending))
      """
    ) { row -> (document: String, content: [UInt8]) in (try row["document"], try row["content"]) }
    budget.take(rows.count)
    return rows.compactMap { row in
      guard let relevance = Relevance(of: row.content, for: words ?? []) else { return nil }
      let values = Set(DocumentContent(row.content).values)
      return query.filter.isMet(by: values)
        ? Pending(document: row.document, values: values, relevance: relevance) : nil
    }
  }

  // MARK: documents

  struct Entry {
    var number: Int64
    var document: String
    var relevance: Relevance
  }

  private static let documentsPerStatement = 256

  /// Documents by their numbers, in any order; the first ones as far as the budget allows.
  mutating func documents(_ numbers: [Int64]) throws -> [Entry] {
    let words = words ?? []
    var entries: [Entry] = []
    for start in stride(from: 0, to: numbers.count, by: Self.documentsPerStatement) {
      let end = min(start + Self.documentsPerStatement, numbers.count)
      let part = Array(numbers[start..<end].prefix(budget.rest))
      if part.isEmpty { break }
      let columns: SQL = words.isEmpty ? "number, document" : "number, document, content"
      let rows = try db.all(
        """
        SELECT \(columns) FROM search_documents WHERE kind = \(kind) AND number IN \(list: part)
        """
      ) { row -> Entry? in
        let relevance = words.isEmpty ? Relevance() : Relevance(of: try row["content"], for: words)
        return try relevance.map { Entry(number: try row["number"], document: try row["document"], relevance: $0) }
      }
      budget.take(rows.count)
      entries += rows.compactMap { $0 }
    }
    return entries
  }
}

/// The sets of a block that a search needs.
struct PostingBlock {
  var stored: [Term: [UInt8]] = [:]

  func union(_ terms: [Term]) -> NumberSet {
    var result = NumberSet()
    for term in terms { if let numbers = stored[term] { result.formUnion(stored: numbers) } }
    return result
  }
}
