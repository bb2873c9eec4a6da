#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The note types and decks of a collection.
protocol AnkiCatalog: AnyObject {
  /// - Parameter work: Is reduced by the number of bytes that were looked at.
  func noteType(_ id: Int64, work: inout Int64) throws(StudyFileError) -> NoteType?
  /// The name of a deck, its levels separated by `::`.
  func deckName(_ id: Int64) throws(StudyFileError) -> String?
}

/// Few note types at once, because each may be large.
struct NoteTypeCache {
  private var noteTypes: [Int64: NoteType] = [:]
  private static let maxCount = 8

  subscript(_ id: Int64) -> NoteType? { noteTypes[id] }

  mutating func add(_ noteType: NoteType, _ id: Int64) {
    if noteTypes.count >= Self.maxCount { noteTypes = [:] }
    noteTypes[id] = noteType
  }
}

/// Note types and decks in JSON, of schema 11.
final class AnkiJSONCatalog: AnkiCatalog {
  private struct Model: Decodable {
    struct Field: Decodable {
      let name: String
      let ord: Int?
    }
    struct Template: Decodable {
      let qfmt: String
      let afmt: String
      let ord: Int?
    }
    let type: Int?
    let flds: [Field]
    let tmpls: [Template]
  }
  private struct Deck: Decodable {
    let name: String
  }
  /// A value that may be damaged without making the others unreadable.
  private struct Lenient<Value: Decodable>: Decodable {
    let value: Value?
    init(from decoder: any Decoder) { value = try? Value(from: decoder) }
  }

  private let models: [Int64: Model]
  private let decks: [Int64: String]
  private let limits: StudyFileLimits
  private var noteTypes = NoteTypeCache()

  init(models: [UInt8], decks: [UInt8], limits: StudyFileLimits) throws(StudyFileError) {
    self.limits = limits
    self.models = try Self.decode(Model.self, models)
    self.decks = try Self.decode(Deck.self, decks).mapValues(\.name)
  }

  private static func decode<Value: Decodable>(_ type: Value.Type, _ json: [UInt8]) throws(StudyFileError)
    -> [Int64: Value]
  {
    guard let values = try? JSONDecoder().decode([String: Lenient<Value>].self, from: Data(json)) else {
      throw .damagedCollection
    }
    var byID: [Int64: Value] = [:]
    for (key, value) in values { if let id = Int64(key), let value = value.value { byID[id] = value } }
    return byID
  }

  func deckName(_ id: Int64) -> String? { decks[id] }

  func noteType(_ id: Int64, work: inout Int64) -> NoteType? {
    if let noteType = noteTypes[id] { return noteType }
    guard let model = models[id] else { return nil }
    let noteType = self.noteType(model)
    work -= Int64(NoteType.parsingCost * noteType.bytes)
    noteTypes.add(noteType, id)
    return noteType
  }

  private func noteType(_ model: Model) -> NoteType {
    var noteType = NoteType(isCloze: model.type == 1)
    let fields = model.flds.enumerated().sorted { ($0.element.ord ?? $0.offset) < ($1.element.ord ?? $1.offset) }
    for field in fields {
      guard noteType.add(field: field.element.name, limits: limits) else { return noteType }
    }
    for (index, template) in model.tmpls.enumerated() {
      let (front, back) = (Array(template.qfmt.utf8), Array(template.afmt.utf8))
      guard
        noteType.add(
          template.ord ?? index, front: front, back: back, size: front.count + back.count, limits: limits)
      else { return noteType }
    }
    return noteType
  }
}

/// Note types and decks in tables, of schema 15 and later, their properties in Protocol Buffers.
final class AnkiTableCatalog: AnkiCatalog {
  private let file: SQLiteFile
  private let limits: StudyFileLimits
  private var noteTypes = NoteTypeCache()

  init(_ file: SQLiteFile, limits: StudyFileLimits) { (self.file, self.limits) = (file, limits) }

  func deckName(_ id: Int64) throws(StudyFileError) -> String? {
    let row = try file.statement("SELECT name FROM decks WHERE id = ?1")
    row.bind(1, id)
    guard try row.step(), let name = row.text(0) else { return nil }
    row.reset()
    return name.split(separator: "\u{1F}").joined(separator: "::")
  }

  func noteType(_ id: Int64, work: inout Int64) throws(StudyFileError) -> NoteType? {
    if let noteType = noteTypes[id] { return noteType }
    let row = try file.statement("SELECT config FROM notetypes WHERE id = ?1")
    row.bind(1, id)
    guard try row.step(), let config = row.bytes(0) else { return nil }
    row.reset()
    work -= Int64(config.count)
    var noteType = NoteType()
    for case (1, .number(1)) in ProtobufFields(config[...]) { noteType.isCloze = true }
    if try readFields(of: id, into: &noteType) { try readTemplates(of: id, into: &noteType) }
    work -= Int64(NoteType.parsingCost * noteType.bytes)
    noteTypes.add(noteType, id)
    return noteType
  }

  /// - Returns: Whether all fit into the limits.
  private func readFields(of id: Int64, into noteType: inout NoteType) throws(StudyFileError) -> Bool {
    let fields = try file.statement("SELECT name FROM fields WHERE ntid = ?1 ORDER BY ord LIMIT 256")
    fields.bind(1, id)
    while try fields.step() {
      guard noteType.add(field: fields.text(0) ?? "", limits: limits) else { return false }
    }
    return true
  }

  private func readTemplates(of id: Int64, into noteType: inout NoteType) throws(StudyFileError) {
    let templates = try file.statement("SELECT ord, config FROM templates WHERE ntid = ?1 ORDER BY ord LIMIT 256")
    templates.bind(1, id)
    while try templates.step() {
      guard let ordinal = templates.integer(0), let config = templates.bytes(1) else { continue }
      var (front, back): (ArraySlice<UInt8>, ArraySlice<UInt8>) = ([], [])
      for case (let number, .bytes(let text)) in ProtobufFields(config[...]) {
        if number == 1 { front = text }
        if number == 2 { back = text }
      }
      guard
        noteType.add(
          Int(clamping: ordinal), front: Array(front), back: Array(back), size: config.count, limits: limits)
      else { return }
    }
  }
}
