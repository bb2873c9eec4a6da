/// Merges two edits of a text, word by word. Words and the rest of the text are distinguished by the values of code
/// points alone: the result does not depend on the Unicode version of a device's libraries.
public enum TextMerge {
  /// The most words that are compared beyond the common beginning and end of two texts; beyond that, everything between
  /// them counts as one edit. Bounds the work to about 2 × `maxEdits` × the number of words.
  static let maxEdits = 256
  /// In bytes; longer texts are not merged.
  static let maxLength = 400_000

  /// The same for both orders of the edits.
  ///
  /// - Returns: The text with both edits; `nil` when they overlap or touch and differ.
  public static func merge(base: String, _ one: String, _ other: String) -> String? {
    let (base, one, other) = (Tokens(base), Tokens(one), Tokens(other))
    guard max(base.bytes.count, one.bytes.count, other.bytes.count) <= maxLength else { return nil }
    let first = TextDifference.hunks(from: base, to: one)
    let second = TextDifference.hunks(from: base, to: other)
    var merged: [UInt8] = []
    var (position, left, right) = (0, 0, 0)
    func keep(upTo end: Int) { merged += base.bytes(position..<end) }
    while left < first.count || right < second.count {
      let (a, b) = (
        left < first.count ? first[left] : nil, right < second.count ? second[right] : nil
      )
      let isFirst: Bool
      if let a, let b {
        if a.base == b.base, one.bytes(a.text) == other.bytes(b.text) {
          right += 1
          isFirst = true
        } else if a.base.upperBound < b.base.lowerBound {
          isFirst = true
        } else if b.base.upperBound < a.base.lowerBound {
          isFirst = false
        } else {
          return nil
        }
      } else {
        isFirst = a != nil
      }
      guard let hunk = isFirst ? a : b else { break }
      keep(upTo: hunk.base.lowerBound)
      merged += (isFirst ? one : other).bytes(hunk.text)
      position = hunk.base.upperBound
      if isFirst { left += 1 } else { right += 1 }
    }
    keep(upTo: base.count)
    return String(decoding: merged, as: UTF8.self)
  }
}

/// A text in words, runs of white space, and everything else one by one.
struct Tokens {
  let bytes: [UInt8]
  /// The offsets at which tokens begin, and the end of the text.
  private var starts: [Int] = []
  private var hashes: [UInt64] = []

  var count: Int { hashes.count }

  init(_ text: String) {
    bytes = Array(text.utf8)
    var (previous, position, hash) = (Kind.single, 0, ContentHash())
    for scalar in text.unicodeScalars {
      let kind = Kind(scalar.value)
      if position == 0 || kind == .single || kind != previous {
        if position > 0 { hashes.append(hash.value) }
        starts.append(position)
        hash = ContentHash()
      }
      hash.combine(UInt64(scalar.value))
      position += UTF8.width(scalar)
      previous = kind
    }
    if position > 0 { hashes.append(hash.value) }
    starts.append(position)
  }

  func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[starts[range.lowerBound]..<starts[range.upperBound]] }

  /// Compares hashes of 64 bits. Whoever made words with the same hash would spoil a text that they may edit anyway.
  func isEqual(_ index: Int, _ other: Tokens, _ otherIndex: Int) -> Bool { hashes[index] == other.hashes[otherIndex] }

  private enum Kind {
    case word, space, single

    init(_ scalar: UInt32) {
      switch scalar {
      case 9...13, 32, 0x85, 0xa0, 0x2000...0x200a, 0x2028, 0x2029, 0x202f, 0x3000: self = .space
      case 48...57, 65...90, 97...122: self = .word
      case 0..<128: self = .single
      // Punctuation, and scripts that are written without spaces.
      case 0xa1...0xa9, 0xab...0xb4, 0xb6...0xb9, 0xbb...0xbf, 0x0e00...0x0eff, 0x1000...0x109f, 0x1780...0x17ff,
        0x2010...0x2027, 0x2030...0x205e, 0x2e00...0x9fff, 0xf900...0xfaff, 0xff00...0xff0f, 0x20000...0x3ffff:
        self = .single
      default: self = .word
      }
    }
  }
}

extension UTF8 {
  fileprivate static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0..<0x80: 1
    case 0..<0x800: 2
    case 0..<0x10000: 3
    default: 4
    }
  }
}
