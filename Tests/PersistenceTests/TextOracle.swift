import Persistence

/// Searches by comparing every word of every document, as the rules say it.
struct TextOracle {
  struct Document {
    var name: String
    var fields: [[String]]
    var values: Set<String>
    /// Larger for later ones.
    var age: Int
  }

  var documents: [String: Document] = [:]

  func search(_ words: [String], where isMet: (Set<String>) -> Bool) -> [String] {
    documents.values.filter { isMet($0.values) }
      .compactMap { document in Self.rank(document, words).map { (document.name, $0) } }
      .sorted { $0.1.lexicographicallyPrecedes($1.1) }
      .map(\.0)
  }

  /// The sort key of the document; `nil` when a word is missing.
  private static func rank(_ document: Document, _ words: [String]) -> [Int]? {
    var (typos, fields, incomplete, distance) = (0, 0, 0, 0)
    var occurrences: [[(field: Int, position: Int)]] = []
    for (number, word) in words.enumerated() {
      var found: [(typos: Int, isWhole: Bool, field: Int, position: Int)] = []
      for (field, text) in document.fields.enumerated() {
        for (position, other) in text.enumerated() {
          guard let cost = Self.typos(word, other, isLast: number == words.count - 1) else { continue }
          found.append((cost, other == word, field, position))
        }
      }
      guard let least = found.map(\.typos).min() else { return nil }
      let best = found.filter { $0.typos == least }
      typos += least
      fields += best.map(\.field).min() ?? 0
      incomplete += best.contains { $0.isWhole } ? 0 : 1
      occurrences.append(best.map { ($0.field, $0.position) })
    }
    for (one, next) in zip(occurrences, occurrences.dropFirst()) {
      var least = 8
      for a in one {
        for b in next where a.field == b.field {
          let steps = b.position > a.position ? b.position - a.position : a.position - b.position + 1
          least = min(least, steps)
        }
      }
      distance += least
    }
    return [typos, distance, fields, incomplete, -document.age]
  }

  static func typos(_ word: String, _ other: String, isLast: Bool) -> Int? {
    if other.hasPrefix(word) { return other == word || isLast ? 0 : 1 }
    let (a, b) = (Array(word.unicodeScalars), Array(other.unicodeScalars))
    let tolerance = a.count <= 4 ? 0 : a.count <= 8 ? 1 : 2
    let lengths = isLast ? Array(0...b.count) : [b.count]
    let distance = lengths.map { Self.distance(a, Array(b.prefix($0))) }.min() ?? 99
    let typos = distance + (a.first == b.first ? 0 : 1)
    return typos <= tolerance ? typos : nil
  }

  /// Optimal string alignment.
  private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var table = (0...a.count).map { row in (0...b.count).map { row == 0 ? $0 : row } }
    for row in 1...a.count {
      table[row][0] = row
      for column in 1...b.count {
        let isSame = a[row - 1] == b[column - 1]
        table[row][column] = min(
          table[row - 1][column] + 1, table[row][column - 1] + 1, table[row - 1][column - 1] + (isSame ? 0 : 1))
        if row > 1, column > 1, a[row - 1] == b[column - 2], a[row - 2] == b[column - 1] {
          table[row][column] = min(table[row][column], table[row - 2][column - 2] + 1)
        }
      }
    }
    return table[a.count][b.count]
  }
}
