/// A text with cloze deletions: `{{c1::Paris}}`, `{{c1::Paris::a city}}`, `{{c1,2::Paris}}`, also nested.
struct ClozeText {
  private let source: [UInt8]
  private static let maxDepth = 16
  private static let imageOcclusion: StaticString = "image-occlusion:"

  init(_ source: [UInt8]) { self.source = source }

  /// Whether the text has a deletion of this number.
  func has(_ number: Int) -> Bool {
    var offset = 0
    while let open = source.firstIndex(of: "{{c", from: offset) {
      if let (numbers, end) = Self.opening(source, at: open) {
        if numbers.contains(number) { return true }
        offset = end
      } else {
        offset = open + 3
      }
    }
    return false
  }

  private struct Frame {
    var numbers: Set<Int> = []
    /// The opening of the deletion, for one that is not closed.
    var opening: [UInt8] = []
    var text: [UInt8] = []
    var hint: [UInt8]?

    mutating func add(_ bytes: some Collection<UInt8>) {
      if hint == nil { text += bytes } else { hint? += bytes }
    }
  }

  /// The text with the deletion of this number hidden behind its hint, or shown.
  func render(_ number: Int, isAnswer: Bool) -> [UInt8] {
    var frames = [Frame()]
    var offset = 0
    while offset < source.count {
      let top = frames.count - 1
      if frames.count <= Self.maxDepth, source.has("{{c", at: offset),
        let (numbers, end) = Self.opening(source, at: offset)
      {
        frames.append(Frame(numbers: numbers, opening: Array(source[offset..<end])))
        offset = end
      } else if top > 0, source.has("}}", at: offset) {
        let frame = frames.removeLast()
        let shown = frame.text.has(Self.imageOcclusion, at: 0) ? [] : frame.text
        if frame.numbers.contains(number), !isAnswer {
          let hint = frame.hint ?? []
          frames[top - 1].add(Array("[".utf8) + (hint.isEmpty ? Array("...".utf8) : hint) + Array("]".utf8))
        } else {
          frames[top - 1].add(shown)
        }
        offset += 2
      } else if top > 0, frames[top].hint == nil, source.has("::", at: offset) {
        frames[top].hint = []
        offset += 2
      } else {
        frames[top].add(CollectionOfOne(source[offset]))
        offset += 1
      }
    }
    while frames.count > 1 {
      let frame = frames.removeLast()
      frames[frames.count - 1].add(frame.opening + frame.text + (frame.hint.map { Array("::".utf8) + $0 } ?? []))
    }
    return frames[0].text
  }

  /// The numbers of the deletion that begins at an offset, and where its text begins.
  private static func opening(_ source: [UInt8], at start: Int) -> (Set<Int>, end: Int)? {
    guard let colons = source.firstIndex(of: UInt8(ascii: ":"), from: start, upTo: start + 40),
      source.has("::", at: colons)
    else { return nil }
    let digits = source[(start + 3)..<colons].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let numbers = digits.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count == digits.count else { return nil }
    return (Set(numbers), colons + 2)
  }
}
