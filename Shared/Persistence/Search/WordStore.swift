/// The distinct words of an index in `search_vocabulary`: sorted, some hundreds in a row, by first letter. The first row of a
/// letter begins at the letter itself, so that each word has a row to which it belongs.
struct WordStore {
  let kind: String

  /// Bytes of a row that is not split: it fits into a page of SQLite.
  private static let maxBytes = 3500
  private static let separator: UInt8 = 0x0A

  // MARK: reading

  /// Passes the words to a body that begin with a letter and may contain others; reads rows as far as the budget allows.
  func each(
    _ lead: [UInt8], in db: any Connection, _ budget: inout RowBudget, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws {
    let rows = try db.all(
      """
      SELECT words FROM search_vocabulary WHERE kind = \(kind) AND lead = \(lead) ORDER BY first
      LIMIT \(budget.part(of: RowBudget.maxWordRows))
      """
    ) { try $0["words"] as [UInt8] }
    budget.take(rows.count)
    for row in rows { Self.split(row, body) }
  }

  /// Passes the words to a body that begin with these letters.
  func each(
    beginningWith beginning: [UInt8], in db: any Connection, _ budget: inout RowBudget,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) throws {
    guard let lead = Self.lead(of: beginning) else { return }
    let rows = try db.all(
      """
      SELECT words FROM search_vocabulary
      WHERE kind = \(kind) AND lead = \(lead) AND first < \(Words.end(of: beginning)) AND first >=
        (SELECT first FROM search_vocabulary WHERE kind = \(kind) AND lead = \(lead) AND first <= \(beginning)
         ORDER BY first DESC LIMIT 1)
      ORDER BY first LIMIT \(budget.part(of: RowBudget.maxWordRows))
      """
    ) { try $0["words"] as [UInt8] }
    budget.take(rows.count)
    for row in rows { Self.split(row) { if $0.starts(with: beginning) { body($0) } } }
  }

  /// The first letters of all words.
  func leads(in db: any Connection, _ budget: inout RowBudget) throws -> [[UInt8]] {
    let leads = try db.values(
      """
      WITH RECURSIVE leads (lead) AS (
        SELECT (SELECT lead FROM search_vocabulary WHERE kind = \(kind) ORDER BY lead LIMIT 1)
        UNION ALL SELECT
          (SELECT w.lead FROM search_vocabulary w WHERE w.kind = \(kind) AND w.lead > l.lead ORDER BY w.lead LIMIT 1)
        FROM leads l WHERE l.lead IS NOT NULL)
      SELECT lead FROM leads WHERE lead IS NOT NULL LIMIT \(budget.part(of: RowBudget.maxLeads))
      """, as: [UInt8].self)
    budget.take(leads.count)
    return leads
  }

  /// The first letter of a word in UTF-8.
  static func lead(of word: [UInt8]) -> [UInt8]? {
    guard let first = word.first else { return nil }
    return Array(word.prefix(first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4))
  }

  private static func split(_ row: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) {
    row.withUnsafeBytes { bytes in
      var start = 0
      for index in 0..<bytes.count where bytes[index] == separator {
        body(UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
        start = index + 1
      }
    }
  }

  // MARK: writing

  func insert(_ words: [[UInt8]], in tx: Transaction) throws {
    var rows = Rows(kind: kind)
    for word in words.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard let lead = Self.lead(of: word) else { continue }
      try rows.change(word, lead, in: tx) { words in
        let index = words.partitioningIndex { !$0.lexicographicallyPrecedes(word) }
        if index < words.count, words[index] == word { return }
        words.insert(word, at: index)
      }
    }
    try rows.store(in: tx)
  }

  func delete(_ words: [[UInt8]], in tx: Transaction) throws {
    var rows = Rows(kind: kind)
    for word in words.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard let lead = Self.lead(of: word) else { continue }
      try rows.change(word, lead, in: tx) { words in words.removeAll { $0 == word } }
    }
    try rows.store(in: tx)
  }

  /// The row that is being changed. Words come sorted, so that each row is read and written once.
  private struct Rows {
    let kind: String
    private var lead: [UInt8] = []
    private var first: [UInt8] = []
    private var end: [UInt8]?
    private var words: [[UInt8]] = []
    private var isChanged = false

    init(kind: String) { self.kind = kind }

    mutating func change(_ word: [UInt8], _ lead: [UInt8], in tx: Transaction, _ body: (inout [[UInt8]]) -> Void) throws
    {
      let isHere =
        lead == self.lead && !word.lexicographicallyPrecedes(first)
        && (end.map { word.lexicographicallyPrecedes($0) } ?? true)
      if !isHere { try load(word, lead, in: tx) }
      body(&words)
      isChanged = true
      if words.reduce(0, { $0 + $1.count + 1 }) > maxBytes { try split(in: tx) }
    }

    private mutating func load(_ word: [UInt8], _ lead: [UInt8], in tx: Transaction) throws {
      try store(in: tx)
      let row = try tx.first(
        """
        SELECT first, words FROM search_vocabulary WHERE kind = \(kind) AND lead = \(lead) AND first <= \(word)
        ORDER BY first DESC LIMIT 1
        """
      ) { row -> (first: [UInt8], words: [UInt8]) in (try row["first"], try row["words"]) }
      self.lead = lead
      first = row?.first ?? lead
      words = (row?.words ?? []).split(separator: WordStore.separator).map { Array($0) }
      end = try tx.value(
        """
        SELECT first FROM search_vocabulary WHERE kind = \(kind) AND lead = \(lead) AND first > \(first)
        ORDER BY first LIMIT 1
        """
      )
      isChanged = false
    }

    private mutating func split(in tx: Transaction) throws {
      let middle = words.count / 2
      let (upper, next) = (Array(words[middle...]), end)
      words.removeSubrange(middle...)
      try store(in: tx)
      (first, words, end, isChanged) = (upper[0], upper, next, true)
      try store(in: tx)
    }

    mutating func store(in tx: Transaction) throws {
      guard isChanged else { return }
      isChanged = false
      if words.isEmpty, first != lead {
        try tx.execute(
          "DELETE FROM search_vocabulary WHERE kind = \(kind) AND lead = \(lead) AND first = \(first)"
        )
        // The row before has its words from now on.
        (self.lead, first) = ([], [])
        return
      }
      let bytes = words.flatMap { $0 + [WordStore.separator] }
      try tx.execute(
        """
        INSERT INTO search_vocabulary (kind, lead, first, words) VALUES (\(kind), \(lead), \(first), \(bytes))
        ON CONFLICT (kind, lead, first) DO UPDATE SET words = excluded.words
        """
      )
    }
  }
}

extension Array {
  /// The index of the first element of a sorted array that meets a condition which holds from there on.
  fileprivate func partitioningIndex(_ condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
