/// Positions in a list as texts, ordered by their bytes: there is always one between two others, so that
/// moving a record changes no other. They consist of digits and lowercase letters, as those of the server, because every
/// collation of a database orders these as their bytes; those of other clients may be any ASCII.
enum ListPosition {
  private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
  private static let base = digits.count
  /// Lists grow at their ends: there, the length stays as it is for long.
  private static let length = 4

  /// - Parameters:
  ///   - lower: The position before; unset or empty at the beginning.
  ///   - upper: The position after, greater than `lower`; unset or empty at the end. Ignored when it is not greater, as two
  ///     devices may have given two records the same position.
  static func between(_ lower: String?, _ upper: String?) -> String {
    let position = usual(lower, upper)
    let (low, new) = (Array((lower ?? "").utf8), Array(position.utf8))
    let high = upper.map { Array($0.utf8) }.flatMap { low.lexicographicallyPrecedes($0) ? $0 : nil }
    let isBetween = low.lexicographicallyPrecedes(new) && high.map { new.lexicographicallyPrecedes($0) } ?? true
    return isBetween ? position : String(decoding: fraction(low, high), as: UTF8.self)
  }

  private static func usual(_ lower: String?, _ upper: String?) -> String {
    let low = values(lower ?? "")
    var high = upper.flatMap { $0.isEmpty ? nil : values($0) }
    if let known = high, !low.lexicographicallyPrecedes(known) { high = nil }
    switch (low.isEmpty, high) {
    case (true, nil): return text([base / 2] + Array(repeating: 0, count: length - 1))
    case (false, nil): return text(next(low))
    case (true, let high?): return text(previous(high) ?? middle([], high))
    case (false, let high?): return text(middle(low, high))
    }
  }

  private static func padded(_ values: [Int]) -> [Int] {
    values + Array(repeating: 0, count: max(0, length - values.count))
  }

  private static func next(_ low: [Int]) -> [Int] {
    var result = padded(low)
    for index in result.indices.reversed() {
      if result[index] < base - 1 {
        result[index] += 1
        return result
      }
      result[index] = 0
    }
    return low + [base / 2]
  }

  /// - Returns: `nil` when the positions of the usual length are used up: nothing lies before zeros.
  private static func previous(_ high: [Int]) -> [Int]? {
    var result = Array(padded(high).prefix(length))
    if high.count <= length {
      for index in result.indices.reversed() {
        if result[index] > 0 {
          result[index] -= 1
          break
        }
        result[index] = base - 1
      }
    }
    return result.allSatisfy { $0 == 0 } || !result.lexicographicallyPrecedes(high) ? nil : result
  }

  private static func middle(_ low: [Int], _ high: [Int]) -> [Int] {
    var result: [Int] = []
    var isBounded = true
    for index in 0... {
      let from = index < low.count ? low[index] : 0
      let to = isBounded ? (index < high.count ? high[index] : 0) : base
      if to - from > 1 {
        result.append((from + to) / 2)
        return result
      }
      result.append(from)
      if to != from { isBounded = false }
      // Nothing lies between a text and the same with zeros: behind both there is room.
      if isBounded, index >= low.count, index >= high.count { return low + [base / 2] }
    }
    return result
  }

  /// A position beside those that were not made here.
  private static func fraction(_ low: [UInt8], _ high: [UInt8]?) -> [UInt8] {
    var (result, upper): ([UInt8], [UInt8]?) = ([], high)
    for index in 0..<max(low.count, high?.count ?? 0) {
      // 32 stands for the end of a text: below every character.
      let above = index < low.count ? low[index] : 32
      let below = upper.map { index < $0.count ? $0[index] : 33 } ?? 127
      if above == below {
        result.append(above)
        continue
      }
      let choices = digits.dropFirst().filter { above < $0 && $0 < below }
      if !choices.isEmpty { return result + [choices[choices.count / 2]] }
      if index < low.count {
        // The next digits may be anything greater than the rest of the lower text.
        result.append(above)
        upper = nil
      } else if below > digits[0] {
        return result + [digits[0], digits[base / 2]]
      } else if let upper, below == 33 || below == digits[0] && index + 1 < upper.count {
        // There is room only deeper.
        result.append(below)
      } else {
        return result + [(below + 32) / 2]
      }
    }
    return upper == nil ? result + [digits[base / 2]] : low + [digits[base / 2]]
  }

  /// A byte that is none of the digits counts as the nearest smaller one.
  private static func values(_ text: String) -> [Int] {
    text.utf8.map { byte in max(0, (digits.firstIndex { $0 > byte } ?? digits.count) - 1) }
  }

  private static func text(_ values: [Int]) -> String { String(decoding: values.map { digits[$0] }, as: UTF8.self) }
}
