#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads a set from JSON as ``JSONFileWriter`` writes it, with its properties in any order and unknown ones ignored;
/// also a bare array of cards. Only one card is in memory.
public struct JSONFileReader: StudyFileReader {
  /// The title, when the file has had it so far; at the latest when ``next()`` has returned `nil`.
  public private(set) var title: String?
  /// The description, when the file has had it so far.
  public private(set) var description: String?

  private var values: JSONValues
  private var check: CardCheck
  private let limits: StudyFileLimits
  private let decoder = JSONDecoder()
  private var state = State.start

  private enum State {
    case start, end
    /// Between the properties of the set.
    case properties(isFirst: Bool)
    case cards(isFirst: Bool, isBare: Bool)
  }

  /// - Parameter path: A file in UTF-8, or in UTF-16 with a byte order mark.
  public init(_ path: String, limits: StudyFileLimits = StudyFileLimits()) throws(StudyFileError) {
    values = JSONValues(try TextSource(path), maxBytes: limits.recordBytes)
    check = CardCheck(limits)
    self.limits = limits
  }

  public mutating func next() throws(StudyFileError) -> StudyFileItem? {
    while true {
      switch state {
      case .start:
        let isArray = try values.take(UInt8(ascii: "["))
        if !isArray, try !values.take(UInt8(ascii: "{")) { throw values.damaged }
        state = isArray ? .cards(isFirst: true, isBare: true) : .properties(isFirst: true)
      case .properties(let isFirst):
        if try values.take(UInt8(ascii: "}")) {
          state = .end
          continue
        }
        if !isFirst, try !values.take(UInt8(ascii: ",")) { throw values.damaged }
        guard let name = decode(String.self, try values.next().bytes), try values.take(UInt8(ascii: ":")) else {
          throw values.damaged
        }
        state = .properties(isFirst: false)
        if name == "cards", try values.take(UInt8(ascii: "[")) {
          state = .cards(isFirst: true, isBare: false)
          continue
        }
        let value = try values.next().bytes
        if name == "title" { title = decode(String.self, value) }
        if name == "description" { description = decode(String.self, value) }
      case .cards(let isFirst, let isBare):
        if try values.take(UInt8(ascii: "]")) {
          state = isBare ? .end : .properties(isFirst: false)
          continue
        }
        if !isFirst, try !values.take(UInt8(ascii: ",")) { throw values.damaged }
        state = .cards(isFirst: false, isBare: isBare)
        return try item(try values.next())
      case .end:
        guard try values.isAtEnd() else { throw values.damaged }
        return nil
      }
    }
  }

  private mutating func item(_ value: JSONValues.Value) throws(StudyFileError) -> StudyFileItem {
    let position = StudyFilePosition.line(value.line)
    if value.isTooLong { return .skipped(StudyFileSkip(position, .tooLong)) }
    guard String(validating: value.bytes, as: UTF8.self) != nil else {
      return .skipped(StudyFileSkip(position, .invalidText))
    }
    guard let card = decode(StudyFileCard.self, value.bytes) else {
      return .skipped(StudyFileSkip(position, .invalidRecord))
    }
    guard !card.front.utf8.contains(0), !card.back.utf8.contains(0) else {
      return .skipped(StudyFileSkip(position, .invalidText))
    }
    return try check.item(card, at: position)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
    try? decoder.decode(type, from: Data(bytes))
  }
}
