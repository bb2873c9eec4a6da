/// The results of a search.
public struct TextResults: Sendable {
  /// The documents in order.
  public var documents: [String]
  /// Whether others follow.
  public var hasMore: Bool
  /// Rows that the search has read.
  public var rowsRead: Int
  /// Whether the search could read everything that it needed.
  public var isComplete: Bool
}

extension TextIndex {
  /// The best matches of a query.
  public func search(_ text: String, limit: Int, in db: any Connection) throws -> [String] {
    try search(TextQuery(text), limit: limit, in: db).documents
  }

  /// Candidates that are ranked by their words: at first, and when too few of them are kept.
  private static let (fewCandidates, manyCandidates) = (200, 3200)

  /// Finds documents, reading a bounded number of rows.
  ///
  /// - Parameters:
  ///   - limit: How many documents are wanted, after the first `offset` ones.
  ///   - maxRows: Rows that may be read; what is found by then is returned.
  ///   - keeping: Returns which of some documents may be shown, for conditions that few documents fail to meet; others
  ///     belong into the query's filter.
  public func search(
    _ query: TextQuery, limit: Int, offset: Int = 0, maxRows: Int? = nil,
    keeping: (([String]) throws -> Set<String>)? = nil, in db: any Connection
  ) throws -> TextResults {
    var search = TextSearch(kind, query, RowBudget(maxRows ?? RowBudget.standard), in: db)
    guard search.words?.isEmpty != true else {
      return TextResults(documents: [], hasMore: false, rowsRead: 0, isComplete: true)
    }
    let needed = offset + limit + 1
    let pending = try search.pending()
    var (isTolerant, wanted) = (false, max(Self.fewCandidates, needed))
    var kept: [String] = []
    while true {
      let found = try search.candidates(isTolerant: isTolerant, limit: wanted)
      let ranked = try Self.rank(found.numbers, pending.filter { isTolerant || $0.relevance.typos == 0 }, &search)
      kept = try Self.keep(ranked, needed, keeping)
      if kept.count >= needed || search.budget.rest == 0 { break }
      if found.isPartial, wanted < Self.manyCandidates {
        wanted *= 4
      } else if !isTolerant, search.hasTolerance {
        isTolerant = true
      } else {
        break
      }
    }
    return TextResults(
      documents: Array(kept.dropFirst(offset).prefix(limit)), hasMore: kept.count >= needed,
      rowsRead: search.budget.read, isComplete: search.budget.rest > 0)
  }

  private static func rank(_ numbers: [Int64], _ pending: [TextSearch.Pending], _ search: inout TextSearch) throws
    -> [String]
  {
    // Pending documents are newer than everything else.
    let recent = pending.enumerated().map { index, item in
      TextSearch.Entry(number: .max - Int64(index), document: item.document, relevance: item.relevance)
    }
    return try (recent + search.documents(numbers))
      .sorted { ($0.relevance, $1.number) < ($1.relevance, $0.number) }
      .map(\.document)
  }

  private static let keptAtOnce = 100

  private static func keep(_ documents: [String], _ needed: Int, _ keeping: (([String]) throws -> Set<String>)?) throws
    -> [String]
  {
    guard let keeping else { return documents }
    var kept: [String] = []
    var rest = documents[...]
    while !rest.isEmpty, kept.count < needed {
      let part = Array(rest.prefix(keptAtOnce))
      let shown = try keeping(part)
      kept += part.filter { shown.contains($0) }
      rest = rest.dropFirst(part.count)
    }
    return kept
  }
}
