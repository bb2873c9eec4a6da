/// Compares the words of documents with one word of a query.
///
/// The distance is that of optimal string alignment: insertions, deletions, substitutions and transpositions of adjacent
/// letters (Damerau 1964), computed for all letters of the query's word at once in the bits of an integer (Hyyrö, "A
/// bit-vector algorithm for computing Levenshtein and Damerau edit distances", 2003). An error in the first letter counts
/// as two.
struct TypoMatcher: Sendable {
  /// How a word matches.
  struct Match: Equatable, Sendable {
    var typos: Int
    /// Whether it is the word of the query, not only its beginning or something similar.
    var isWhole: Bool
  }

  let bytes: [UInt8]
  let letters: [UInt32]
  /// The tolerated typing errors.
  let tolerance: Int
  /// The last word of a query is the beginning of a word; any other may be an abbreviation, which counts as one typing
  /// error.
  let isLast: Bool
  private let ascii: [UInt64]
  private let others: [(letter: UInt32, positions: UInt64)]

  /// - Parameter word: At most 64 letters.
  init(_ word: String, isLast: Bool) {
    bytes = Array(word.utf8)
    letters = word.unicodeScalars.map(\.value)
    tolerance = Words.typingErrors(in: letters.count)
    self.isLast = isLast
    var ascii = [UInt64](repeating: 0, count: 128)
    var others: [UInt32: UInt64] = [:]
    for (position, letter) in letters.enumerated() {
      if letter < 128 {
        ascii[Int(letter)] |= 1 << UInt64(position)
      } else {
        others[letter, default: 0] |= 1 << UInt64(position)
      }
    }
    self.ascii = ascii
    self.others = others.map { ($0.key, $0.value) }
  }

  /// How a word in UTF-8 matches; `nil` when it does not.
  func match(_ word: some RandomAccessCollection<UInt8>) -> Match? {
    if word.starts(with: bytes) {
      if word.count == bytes.count { return Match(typos: 0, isWhole: true) }
      return Match(typos: isLast ? 0 : 1, isWhole: false)
    }
    return typos(in: word).map { Match(typos: $0, isWhole: false) }
  }

  /// The typing errors, at least one, by which a word, or for the last word of a query its beginning, differs; `nil` when
  /// there are too many.
  func typos(in word: some RandomAccessCollection<UInt8>) -> Int? {
    guard tolerance > 0, let first = word.first else { return nil }
    // The first byte is the same in words that begin with the same letter.
    let limit = first == bytes[0] ? tolerance : tolerance - 1
    guard limit > 0, let distance = distance(to: word, atMost: limit) else { return nil }
    let hasSameFirst = first < 0x80 ? first == bytes[0] : Self.letter(in: word, at: word.startIndex).0 == letters[0]
    let typos = hasSameFirst ? distance : distance + 1
    return typos > 0 && typos <= tolerance ? typos : nil
  }

  private func distance(to word: some RandomAccessCollection<UInt8>, atMost limit: Int) -> Int? {
    let count = letters.count
    guard word.count + limit >= count else { return nil }
    let last: UInt64 = 1 << UInt64(count - 1)
    var (positive, negative, diagonal, before): (UInt64, UInt64, UInt64, UInt64) = (~0, 0, 0, 0)
    var (score, best, read) = (count, count, 0)
    var index = word.startIndex
    while index != word.endIndex {
      // More letters only add errors.
      if read == count + limit { return isLast && best <= limit ? best : nil }
      let (letter, next) = Self.letter(in: word, at: index)
      index = next
      read += 1
      let positions = positions(of: letter)
      let transposed = ((~diagonal & positions) << 1) & before
      diagonal = (((positions & positive) &+ positive) ^ positive) | positions | negative | transposed
      var right = negative | ~(diagonal | positive)
      var left = diagonal & positive
      if right & last != 0 { score += 1 }
      if left & last != 0 { score -= 1 }
      right = (right << 1) | 1
      left <<= 1
      positive = left | ~(diagonal | right)
      negative = right & diagonal
      before = positions
      best = min(best, score)
    }
    let distance = isLast ? best : score
    return distance <= limit ? distance : nil
  }

  private func positions(of letter: UInt32) -> UInt64 {
    if letter < 128 { return ascii[Int(letter)] }
    return others.first { $0.letter == letter }?.positions ?? 0
  }

  /// The letter at an index of valid UTF-8, and the index after it.
  private static func letter<Bytes: RandomAccessCollection<UInt8>>(in word: Bytes, at index: Bytes.Index)
    -> (UInt32, Bytes.Index)
  {
    let first = word[index]
    var next = word.index(after: index)
    if first < 0x80 { return (UInt32(first), next) }
    var value = UInt32(first & (first < 0xE0 ? 0x1F : first < 0xF0 ? 0x0F : 0x07))
    while next != word.endIndex, word[next] & 0xC0 == 0x80 {
      value = value << 6 | UInt32(word[next] & 0x3F)
      next = word.index(after: next)
    }
    return (value, next)
  }
}
