/// Distance of texts in insertions, deletions, replacements and swaps of neighbors (Damerau–Levenshtein, each place
/// edited at most once).
enum EditDistance {
  /// The distance if it is at most `limit`, otherwise nil. Takes time in proportion to the length times the limit.
  static func between(_ one: [Character], _ other: [Character], limit: Int) -> Int? {
    guard abs(one.count - other.count) <= limit else { return nil }
    let far = limit + 1
    var twoBack = Array(repeating: far, count: other.count + 1)
    var last = (0...other.count).map { min($0, far) }
    var row = last
    for i in stride(from: 1, through: one.count, by: 1) {
      row = Array(repeating: far, count: other.count + 1)
      if i <= limit { row[0] = i }
      // Cells further from the diagonal than the limit are beyond it.
      let columns = max(1, i - limit)...max(max(1, i - limit), min(other.count, i + limit))
      for j in columns where j <= other.count {
        var best = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1))
        if i > 1, j > 1, one[i - 1] == other[j - 2], one[i - 2] == other[j - 1] { best = min(best, twoBack[j - 2] + 1) }
        row[j] = min(best, far)
      }
      (twoBack, last) = (last, row)
    }
    return last[other.count] <= limit ? last[other.count] : nil
  }
}
