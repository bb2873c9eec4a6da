/// How well a document matches the words of a query; less is better. The order of its parts is that of Meilisearch.
struct Relevance: Comparable, Sendable {
  /// Typing errors of all words.
  var typos = 0
  /// The distances of words that follow each other in the query, each at most 8.
  var distance = 0
  /// The sum of the fields in which the words are.
  var fields = 0
  /// Words of which the document has no whole one.
  var incomplete = 0

  static func < (a: Self, b: Self) -> Bool {
    (a.typos, a.distance, a.fields, a.incomplete) < (b.typos, b.distance, b.fields, b.incomplete)
  }

  private static let maxDistance = 8

  init() {}

  /// - Parameter content: What is stored of a document.
  /// - Returns: `nil` when a word of the query has no match.
  init?(of content: [UInt8], for words: [TypoMatcher]) {
    var found = words.map { _ in Occurrences() }
    content.withUnsafeBytes { bytes in
      var (field, position, start) = (0, 0, 0)
      for index in 0..<bytes.count {
        let byte = bytes[index]
        // Separators: space, line feed, NUL.
        guard byte <= 0x20 else { continue }
        if index > start {
          let word = UnsafeRawBufferPointer(rebasing: bytes[start..<index])
          for (number, matcher) in words.enumerated() {
            if let match = matcher.match(word) { found[number].add(match, field, position) }
          }
          position += 1
        }
        start = index + 1
        if byte == 0x0A { (field, position) = (field + 1, 0) }
        if byte == 0 { break }
      }
    }
    for word in found {
      guard let typos = word.typos, let field = word.occurrences.map(\.field).min() else { return nil }
      self.typos += typos
      fields += field
      incomplete += word.isWhole ? 0 : 1
    }
    for (word, next) in zip(found, found.dropFirst()) { distance += Self.distance(word.occurrences, next.occurrences) }
  }

  private struct Occurrence {
    var field: Int
    var position: Int
  }

  /// The occurrences of a word of the query, as well as it matches.
  private struct Occurrences {
    var typos: Int?
    var isWhole = false
    var occurrences: [Occurrence] = []
    /// Further occurrences in a text that repeats a word do not make it more relevant.
    private static let maxOccurrences = 32

    mutating func add(_ match: TypoMatcher.Match, _ field: Int, _ position: Int) {
      if let typos, match.typos > typos { return }
      if match.typos != typos { (typos, isWhole, occurrences) = (match.typos, false, []) }
      isWhole = isWhole || match.isWhole
      if occurrences.count < Self.maxOccurrences { occurrences.append(Occurrence(field: field, position: position)) }
    }
  }

  /// 1 for words that follow each other, one more in the opposite order.
  private static func distance(_ first: [Occurrence], _ second: [Occurrence]) -> Int {
    var least = maxDistance
    for a in first {
      for b in second where a.field == b.field {
        let distance = b.position > a.position ? b.position - a.position : a.position - b.position + 1
        least = min(least, distance)
      }
    }
    return least
  }
}
