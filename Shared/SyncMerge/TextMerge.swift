/// Merges two edits of a text.
public enum TextMerge {
  /// - Returns: The text with both edits; `nil` when they overlap.
  public static func merge(base: String, _ one: String, _ other: String) -> String? {
    if one == base || one == other { return other }
    if other == base { return one }
    let (base, one, other) = (Array(base), Array(one), Array(other))
    let (first, second) = (Edit(from: base, to: one), Edit(from: base, to: other))
    let (earlier, later) = first.range.lowerBound <= second.range.lowerBound ? (first, second) : (second, first)
    // Two insertions at one place have no order.
    guard
      earlier.range.upperBound < later.range.lowerBound
        || (earlier.range.upperBound == later.range.lowerBound && !earlier.range.isEmpty && !later.range.isEmpty)
    else { return nil }
    let middle = base[earlier.range.upperBound..<later.range.lowerBound]
    return String(
      base[..<earlier.range.lowerBound] + earlier.text + middle + later.text + base[later.range.upperBound...])
  }

  /// What lies between the common beginning and the common end.
  private struct Edit {
    let range: Range<Int>
    let text: ArraySlice<Character>

    init(from base: [Character], to text: [Character]) {
      var start = 0
      while start < base.count, start < text.count, base[start] == text[start] { start += 1 }
      var end = 0
      while end < base.count - start, end < text.count - start,
        base[base.count - 1 - end] == text[text.count - 1 - end]
      {
        end += 1
      }
      range = start..<base.count - end
      self.text = text[start..<text.count - end]
    }
  }
}
