/// All documents that match a query, for counts and for orders that the index does not know.
public struct TextMatches: Sendable {
  fileprivate let kind: String
  /// The sets by the number of the first document of their block.
  fileprivate var blocks: [Int64: NumberSet] = [:]
  fileprivate var pending: Set<String> = []
  public fileprivate(set) var count = 0

  /// All documents, in any order; a statement for some hundreds.
  public func documents(in db: any Connection) throws -> [String] {
    let numbers = blocks.flatMap { start, set in set.largest(NumberSet.span).map { start + Int64($0) } }
    var documents = Array(pending)
    for first in stride(from: 0, to: numbers.count, by: 512) {
      let part = Array(numbers[first..<min(first + 512, numbers.count)])
      documents += try db.values(
        "SELECT document FROM search_documents WHERE kind = \(kind) AND number IN \(list: part)", as: String.self)
    }
    return documents
  }

  /// The documents, of some, that match.
  public func filter(_ documents: [String], in db: any Connection) throws -> Set<String> {
    let rows = try db.all(
      "SELECT number, document FROM search_documents WHERE kind = \(kind) AND document IN \(list: documents)"
    ) { row -> (number: Int64, document: String) in (try row["number"], try row["document"]) }
    let found = rows.filter { row in
      let offset = row.number % Int64(NumberSet.span)
      return blocks[row.number - offset]?.contains(UInt16(offset)) ?? false
    }
    return Set(found.map(\.document)).union(pending.intersection(documents))
  }
}

extension TextIndex {
  /// All documents that match without typing errors or, when there are none, with some.
  public func matches(_ query: TextQuery, in db: any Connection) throws -> TextMatches {
    var search = TextSearch(kind, query, RowBudget(RowBudget.standard), in: db)
    if search.words?.isEmpty == true { return TextMatches(kind: kind) }
    return try search.allMatches().matches
  }

  /// Documents whose values are looked at to learn which values there are.
  private static let (sampled, counted) = (400, 100)

  /// Counts the matches of a query by their values.
  ///
  /// - Parameter groups: The beginnings of the values that are counted, such as `tag:`. Of rare values, those are counted
  ///   that the newest matches have.
  public func counts(of groups: [String], _ query: TextQuery, in db: any Connection) throws -> [String: Int] {
    var search = TextSearch(kind, query, RowBudget(RowBudget.standard), in: db)
    if search.words?.isEmpty == true { return [:] }
    let (matches, pending, terms) = try search.allMatches()
    var counts: [String: Int] = [:]
    func count(_ values: some Sequence<String>) {
      for value in values where groups.contains(where: { value.hasPrefix($0) }) { counts[value, default: 0] += 1 }
    }
    for contents in try search.newestContents(of: matches, limit: Self.sampled) { count(contents.values) }
    let values = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.counted).map(\.key)
    counts = [:]
    for item in pending { count(item.values) }
    try search.eachBlock(terms, other: values.map { .value($0) }) { start, _, block in
      guard let set = matches.blocks[start] else { return true }
      for value in values { counts[value, default: 0] += set.intersection(block.union([.value(value)])).count }
      return true
    }
    return counts
  }
}

extension TextSearch {
  fileprivate mutating func allMatches() throws -> (matches: TextMatches, pending: [Pending], terms: [WordTerms]?) {
    let pending = try pending()
    for isTolerant in hasTolerance ? [false, true] : [false] {
      var matches = TextMatches(kind: kind)
      let recent = pending.filter { isTolerant || $0.relevance.typos == 0 }
      matches.pending = Set(recent.map(\.document))
      let terms = try terms(isTolerant: isTolerant)
      try eachBlock(terms) { start, sets, _ in
        matches.blocks[start] = sets.reduce(into: NumberSet()) { $0.formUnion($1) }
        return true
      }
      matches.count = matches.pending.count + matches.blocks.values.reduce(0) { $0 + $1.count }
      if matches.count > 0 { return (matches, recent, terms) }
    }
    return (TextMatches(kind: kind), [], nil)
  }

  fileprivate mutating func newestContents(of matches: TextMatches, limit: Int) throws -> [DocumentContent] {
    var numbers: [Int64] = []
    for (start, set) in matches.blocks.sorted(by: { $0.key > $1.key }) where numbers.count < limit {
      numbers += set.largest(limit - numbers.count).map { start + Int64($0) }
    }
    if numbers.isEmpty { return [] }
    let contents = try db.all(
      """
      SELECT content FROM search_documents WHERE kind = \(kind) AND number IN \(list: numbers)
      LIMIT \(budget.part(of: limit))
      """
    ) { DocumentContent(try $0["content"] as [UInt8]) }
    budget.take(contents.count)
    return contents
  }
}
