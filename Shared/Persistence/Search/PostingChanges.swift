/// Changes of the sets of an index, which are applied together.
struct PostingChanges {
  private struct Change {
    var adding: [UInt16] = []
    var removing: [UInt16] = []
  }

  private var blocks: [Int64: [Term: Change]] = [:]

  mutating func add(_ number: Int64, to term: Term) {
    blocks[number / Int64(NumberSet.span), default: [:]][term, default: Change()].adding.append(Self.offset(number))
  }

  mutating func remove(_ number: Int64, from term: Term) {
    blocks[number / Int64(NumberSet.span), default: [:]][term, default: Change()].removing.append(Self.offset(number))
  }

  private static func offset(_ number: Int64) -> UInt16 { UInt16(number % Int64(NumberSet.span)) }

  private static let rowsPerStatement = 64
  private static let termsPerStatement = 256

  func apply(to kind: String, in tx: Transaction) throws {
    var (new, gone): ([[UInt8]], [Term]) = ([], [])
    for (block, changes) in blocks.sorted(by: { $0.key < $1.key }) {
      // In the order of the key, so that transactions do not wait for each other in a circle.
      let terms = changes.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
      for start in stride(from: 0, to: terms.count, by: Self.termsPerStatement) {
        let part = terms[start..<min(start + Self.termsPerStatement, terms.count)]
        let known = try Self.sets(of: Array(part), block, kind, in: tx)
        var (rows, empty): ([[SQLValue]], [[UInt8]]) = ([], [])
        for term in part {
          guard let change = changes[term] else { continue }
          let stored = known[term]
          let set = NumberSet.changing(stored ?? [], adding: change.adding, removing: change.removing)
          if set.isEmpty {
            empty.append(term.bytes)
            if term.word != nil { gone.append(term) }
          } else {
            rows.append([.text(kind), .blob(term.bytes), .integer(block), .blob(set)])
            if stored == nil, let word = term.word { new.append(Array(word)) }
          }
        }
        try Self.store(rows, in: tx)
        if !empty.isEmpty {
          try tx.execute(
            "DELETE FROM search_postings WHERE kind = \(kind) AND term IN \(list: empty) AND block = \(block)"
          )
        }
      }
    }
    let words = WordStore(kind: kind)
    if !new.isEmpty { try words.insert(new, in: tx) }
    let left = try Self.remaining(gone, kind, in: tx)
    let last = gone.filter { !left.contains($0) }.compactMap { $0.word.map { Array($0) } }
    if !last.isEmpty { try words.delete(last, in: tx) }
  }

  private static func sets(of terms: [Term], _ block: Int64, _ kind: String, in db: any Connection) throws
    -> [Term: [UInt8]]
  {
    let rows = try db.all(
      """
      SELECT term, numbers FROM search_postings
      WHERE kind = \(kind) AND term IN \(list: terms.map(\.bytes)) AND block = \(block)
      """
    ) { row -> (Term, [UInt8]) in (Term(bytes: try row["term"]), try row["numbers"]) }
    return Dictionary(rows) { first, _ in first }
  }

  /// Stores sets, many with one statement. The numbers of rows are powers of two, so that there are few statements.
  private static func store(_ rows: [[SQLValue]], in tx: Transaction) throws {
    var rest = rows[...]
    var count = rowsPerStatement
    while !rest.isEmpty {
      while count > rest.count { count /= 2 }
      try tx.execute(
        """
        INSERT INTO search_postings (kind, term, block, numbers) VALUES \(rows: Array(rest.prefix(count)))
        ON CONFLICT (kind, term, block) DO UPDATE SET numbers = excluded.numbers
        """
      )
      rest = rest.dropFirst(count)
    }
  }

  /// The terms that have documents in any block.
  private static func remaining(_ terms: [Term], _ kind: String, in db: any Connection) throws -> Set<Term> {
    guard !terms.isEmpty else { return [] }
    return Set(
      try db.all(
        "SELECT DISTINCT term FROM search_postings WHERE kind = \(kind) AND term IN \(list: terms.map(\.bytes))"
      ) { Term(bytes: try $0["term"]) }
    )
  }
}
