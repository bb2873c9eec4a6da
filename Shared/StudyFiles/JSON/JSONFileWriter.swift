#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes a set as JSON, one card per line:
///
/// ```json
/// {"format":"quintet-study-set","version":1,"title":"Capitals","description":"Of Europe","cards":[
/// {"back":"Paris","front":"France","tags":["europe"]}
/// ]}
/// ```
///
/// A card has the properties of ``StudyFileCard``; empty ones are left out.
public struct JSONFileWriter {
  private let file: OutputFile
  private let encoder = JSONEncoder()
  private var isEmpty = true

  /// - Parameter path: A file that is created or overwritten.
  public init(_ path: String, title: String, description: String = "") throws(StudyFileError) {
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    file = try OutputFile(path)
    let title = try Self.encode(title, encoder)
    let description = try Self.encode(description, encoder)
    try file.write(#"{"format":"quintet-study-set","version":1,"title":"#)
    try file.write(title)
    try file.write(#","description":"#)
    try file.write(description)
    try file.write(#","cards":["#)
  }

  /// Writes a card.
  /// - Throws: ``StudyFileError/unrepresentable`` when a number of its schedule is not finite.
  public mutating func write(_ card: StudyFileCard) throws(StudyFileError) {
    let bytes = try Self.encode(Line(card: card), encoder)
    try file.write(isEmpty ? "\n" : ",\n")
    try file.write(bytes)
    isEmpty = false
  }

  /// Completes the file.
  public mutating func finish() throws(StudyFileError) {
    try file.write("\n]}\n")
    try file.flush()
  }

  private static func encode(_ value: some Encodable, _ encoder: JSONEncoder) throws(StudyFileError) -> [UInt8] {
    do { return Array(try encoder.encode(value)) } catch { throw .unrepresentable }
  }

  /// A card without its empty properties.
  private struct Line: Encodable {
    let card: StudyFileCard

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Key.self)
      try values.encodeIfPresent(card.id, forKey: .id)
      try values.encode(card.front, forKey: .front)
      try values.encode(card.back, forKey: .back)
      if !card.tags.isEmpty { try values.encode(card.tags, forKey: .tags) }
      try values.encodeIfPresent(card.deck, forKey: .deck)
      if !card.frontMedia.isEmpty { try values.encode(card.frontMedia, forKey: .frontMedia) }
      if !card.backMedia.isEmpty { try values.encode(card.backMedia, forKey: .backMedia) }
      try values.encodeIfPresent(card.schedule, forKey: .schedule)
    }

    private enum Key: String, CodingKey {
      case id, front, back, tags, deck, frontMedia, backMedia, schedule
    }
  }
}
