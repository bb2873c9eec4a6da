import Foundation

/// Tokenization and edit distance for full-text search.
enum Words {
  private static let longest = 40

  /// The distinct words of a text in order: letters and digits, with case and diacritics folded.
  static func of(_ text: String) -> [String] {
    let plain = text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    var seen: Set<String> = []
    return plain.split { !$0.isLetter && !$0.isNumber }.compactMap { part in
      let word = String(part.prefix(longest))
      return seen.insert(word).inserted ? word : nil
    }
  }

  /// The exclusive upper bound of all texts with this prefix: UTF-8 never contains the byte 0xFF.
  static func end(of beginning: String) -> [UInt8] { Array(beginning.utf8) + [0xFF] }

  /// The trigrams of a word, with `^` and `$` as boundary markers.
  static func grams(of word: String) -> [String] {
    let letters = Array("^" + word + "$")
    guard letters.count > 3 else { return [String(letters)] }
    return Array(Set((0...(letters.count - 3)).map { String(letters[$0..<($0 + 3)]) })).sorted()
  }

  /// The tolerated typing errors: none below four letters, one up to seven, otherwise two.
  static func typingErrors(in word: String) -> Int {
    switch word.count {
    case ..<4: 0
    case ..<8: 1
    default: 2
    }
  }

  /// Optimal string alignment distance: insertions, deletions, substitutions and transpositions of adjacent letters
  /// (Damerau, "A technique for computer detection and correction of spelling errors", 1964).
  ///
  /// - Returns: `nil` when the distance exceeds the limit.
  static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar], atMost limit: Int) -> Int? {
    if abs(a.count - b.count) > limit { return nil }
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var before = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i] + [Int](repeating: 0, count: b.count)
      for j in 1...b.count {
        row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], before[j - 2] + 1) }
      }
      (before, last) = (last, row)
    }
    return last[b.count] <= limit ? last[b.count] : nil
  }
}
