/// The edits that turn one text into another, with as few tokens as possible. Source: Myers, "An O(ND) Difference
/// Algorithm and Its Variations" (1986).
enum TextDifference {
  /// Tokens of the base, and what takes their place.
  struct Hunk: Equatable {
    var base: Range<Int>
    var text: Range<Int>
  }

  /// In the order of the texts; unchanged tokens lie between any two.
  static func hunks(from base: Tokens, to text: Tokens) -> [Hunk] {
    let shorter = min(base.count, text.count)
    var start = 0
    while start < shorter, base.isEqual(start, text, start) { start += 1 }
    var end = 0
    while end < shorter - start, base.isEqual(base.count - 1 - end, text, text.count - 1 - end) { end += 1 }
    let whole = Hunk(base: start..<base.count - end, text: start..<text.count - end)
    if whole.base.isEmpty, whole.text.isEmpty { return [] }
    if whole.base.isEmpty || whole.text.isEmpty { return [whole] }
    return shortestPath(base, text, whole).map { hunks(from: $0, in: whole) } ?? [whole]
  }

  /// A step of the path: which token of which text it takes away or adds.
  private enum Edit {
    case remove(Int)
    case insert(Int, at: Int)
  }

  /// - Returns: The edits in order; `nil` when there are too many.
  private static func shortestPath(_ base: Tokens, _ text: Tokens, _ area: Hunk) -> [Edit]? {
    let (rows, columns) = (area.base.count, area.text.count)
    let limit = min(rows + columns, TextMerge.maxEdits)
    // The furthest row of each diagonal, which is the row minus the column, from −limit − 1 to limit + 1.
    var furthest = [Int](repeating: 0, count: 2 * limit + 3)
    let middle = limit + 1
    var history: [[Int]] = []
    for distance in 0...limit {
      history.append(Array(furthest[middle - distance...middle + distance]))
      for diagonal in stride(from: -distance, through: distance, by: 2) {
        let isInsert = comesFromInsert(diagonal, distance) { furthest[middle + $0] }
        var row = isInsert ? furthest[middle + diagonal + 1] : furthest[middle + diagonal - 1] + 1
        var column = row - diagonal
        while row < rows, column < columns,
          base.isEqual(area.base.lowerBound + row, text, area.text.lowerBound + column)
        {
          (row, column) = (row + 1, column + 1)
        }
        furthest[middle + diagonal] = row
        if row >= rows, column >= columns { return path(history, rows, columns, area) }
      }
    }
    return nil
  }

  private static func comesFromInsert(_ diagonal: Int, _ distance: Int, _ furthest: (Int) -> Int) -> Bool {
    diagonal == -distance || (diagonal != distance && furthest(diagonal - 1) < furthest(diagonal + 1))
  }

  /// Follows the path back to its beginning.
  private static func path(_ history: [[Int]], _ rows: Int, _ columns: Int, _ area: Hunk) -> [Edit] {
    var edits: [Edit] = []
    var (row, column) = (rows, columns)
    for distance in stride(from: history.count - 1, to: 0, by: -1) {
      // The state before the step of this distance.
      let furthest = history[distance]
      let diagonal = row - column
      let isInsert = comesFromInsert(diagonal, distance) { furthest[distance + $0] }
      let previous = isInsert ? diagonal + 1 : diagonal - 1
      row = furthest[distance + previous]
      column = row - previous
      edits.append(
        isInsert
          ? .insert(area.text.lowerBound + column, at: area.base.lowerBound + row)
          : .remove(area.base.lowerBound + row))
    }
    return edits.reversed()
  }

  /// Joins edits without unchanged tokens between them.
  private static func hunks(from edits: [Edit], in area: Hunk) -> [Hunk] {
    var hunks: [Hunk] = []
    // The tokens of the text before the edit, given those of the base.
    var (base, text) = (area.base.lowerBound, area.text.lowerBound)
    for edit in edits {
      let position =
        switch edit {
        case .remove(let index): index
        case .insert(_, let index): index
        }
      (base, text) = (position, text + position - base)
      var hunk = Hunk(base: base..<base, text: text..<text)
      if let last = hunks.last, last.base.upperBound == base, last.text.upperBound == text {
        hunk = last
        hunks.removeLast()
      }
      switch edit {
      case .remove:
        base += 1
        hunk.base = hunk.base.lowerBound..<base
      case .insert:
        text += 1
        hunk.text = hunk.text.lowerBound..<text
      }
      hunks.append(hunk)
    }
    return hunks
  }
}
