/// Texts between texts, so that a card is moved without changing others. Keys that are made here consist of digits and
/// lowercase letters, which every collation orders as their bytes; those that devices have made may be any ASCII.
///
/// A key begins with a number whose first letter says how many digits follow, so that appending makes short keys:
/// `m0`, `m1`, … `mz`, `n00`, …; before `m0` come `lz`, … `l0`, `kzz`, …. What follows the number is a fraction.
enum FractionalIndex {
  /// A key between two others.
  ///
  /// - Parameters:
  ///   - lower: Unset or empty for the beginning.
  ///   - upper: Greater than `lower`; unset for the end.
  /// - Returns: `nil` when no text lies between them, or the keys are not in order.
  static func between(_ lower: String?, _ upper: String?) -> String? {
    let low = Array((lower ?? "").utf8)
    guard let upper else {
      if low.isEmpty { return first }
      return text(Number(low).flatMap { $0.next?.digits } ?? fraction(low, nil))
    }
    let high = Array(upper.utf8)
    guard low.lexicographicallyPrecedes(high) else { return nil }
    if low.isEmpty, let number = Number(high) {
      if number.digits.count < high.count { return text(number.digits) }
      if let previous = number.previous { return text(previous.digits) }
    }
    return text(fraction(low, high))
  }

  /// Keys in order between two others, about as short as possible.
  ///
  /// - Returns: `nil` when there is no room.
  static func keys(_ count: Int, between lower: String?, _ upper: String?) -> [String]? {
    guard count > 0 else { return [] }
    guard upper != nil else {
      var keys: [String] = []
      for _ in 0..<count {
        guard let key = between(keys.last ?? lower, nil) else { return nil }
        keys.append(key)
      }
      return keys
    }
    let half = count / 2
    guard let middle = between(lower, upper), let left = keys(half, between: lower, middle),
      let right = keys(count - half - 1, between: middle, upper)
    else { return nil }
    return left + [middle] + right
  }

  private static let first = "m0"
  private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)

  private static func text(_ bytes: [UInt8]?) -> String? {
    guard let bytes, !bytes.isEmpty, bytes.count <= 200 else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A short text between two others, read as fractions. It does not end with the lowest digit, so that there is room
  /// before it.
  private static func fraction(_ low: [UInt8], _ high: [UInt8]?) -> [UInt8]? {
    var result: [UInt8] = []
    var upper = high
    var index = 0
    while index <= 200 {
      // 32 stands for the end of a text: below every character.
      let above = index < low.count ? low[index] : 32
      let below: UInt8
      if let upper {
        guard index < upper.count else { return nil }
        below = upper[index]
      } else {
        below = 127
      }
      if above == below {
        result.append(above)
        index += 1
        continue
      }
      let choices = digits.dropFirst().filter { above < $0 && $0 < below }
      if !choices.isEmpty { return result + [choices[choices.count / 2]] }
      if index < low.count {
        // The next digits may be anything greater than the rest of the lower text.
        result.append(above)
        upper = nil
      } else if below > digits[0] {
        return result + [digits[0], digits[digits.count / 2]]
      } else if below == 33 || below == digits[0] && index + 1 < (upper?.count ?? 0) {
        // There is room only deeper.
        result.append(below)
      } else {
        // Only beside keys that were not made here.
        return result + [(below + 32) / 2]
      }
      index += 1
    }
    return nil
  }

  /// The number at the beginning of a key.
  private struct Number {
    private static let zero = UInt8(ascii: "m")

    /// With the letter.
    var digits: [UInt8]

    init?(_ key: [UInt8]) {
      guard let letter = key.first, let length = Self.length(letter), key.count > length,
        key.allSatisfy({ FractionalIndex.digits.contains($0) })
      else { return nil }
      digits = Array(key[...length])
    }

    private init(digits: [UInt8]) { self.digits = digits }

    /// How many digits follow a letter.
    private static func length(_ letter: UInt8) -> Int? {
      switch letter {
      case zero...UInt8(ascii: "z"): Int(letter - zero) + 1
      case UInt8(ascii: "a")..<zero: Int(zero - letter)
      default: nil
      }
    }

    var next: Number? { moved(from: UInt8(ascii: "z"), to: UInt8(ascii: "0"), by: 1) }
    var previous: Number? { moved(from: UInt8(ascii: "0"), to: UInt8(ascii: "z"), by: -1) }

    /// - Parameters:
    ///   - last: The digit that is carried.
    ///   - reset: What takes its place.
    private func moved(from last: UInt8, to reset: UInt8, by step: Int) -> Number? {
      var moved = digits
      for index in stride(from: moved.count - 1, to: 0, by: -1) {
        if moved[index] != last, let digit = FractionalIndex.digits.firstIndex(of: moved[index]) {
          moved[index] = FractionalIndex.digits[digit + step]
          return Number(digits: moved)
        }
        moved[index] = reset
      }
      let letter = UInt8(Int(digits[0]) + step)
      guard let length = Self.length(letter) else { return nil }
      return Number(digits: [letter] + [UInt8](repeating: reset, count: length))
    }
  }
}
