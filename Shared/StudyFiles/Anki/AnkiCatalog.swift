#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The note types and decks of a collection.
protocol AnkiCatalog: AnyObject {
  func noteType(_ id: Int64) throws(StudyFileError) -> NoteType?
  /// The name of a deck, its levels separated by `::`.
  func deckName(_ id: Int64) throws(StudyFileError) -> String?
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
  private var noteTypes: [Int64: NoteType] = [:]

  init(models: [UInt8], decks: [UInt8]) throws(StudyFileError) {
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

  func noteType(_ id: Int64) -> NoteType? {
    if let noteType = noteTypes[id] { return noteType }
    guard let model = models[id] else { return nil }
    var noteType = NoteType(isCloze: model.type == 1)
    let fields = model.flds.enumerated().sorted { ($0.element.ord ?? $0.offset) < ($1.element.ord ?? $1.offset) }
    noteType.fields = fields.map(\.element.name)
    for (index, template) in model.tmpls.enumerated() {
      noteType.templates[template.ord ?? index] = NoteType.Template(
        front: CardTemplate(Array(template.qfmt.utf8)), back: CardTemplate(Array(template.afmt.utf8)))
    }
    noteTypes[id] = noteType
    return noteType
  }
}

/// Note types and decks in tables, of schema 15 and later, their properties in Protocol Buffers.
final class AnkiTableCatalog: AnkiCatalog {
  private let file: SQLiteFile
  /// Few note types at once, because each may be large.
  private var noteTypes: [Int64: NoteType] = [:]
  private static let cached = 8

  init(_ file: SQLiteFile) { self.file = file }

  func deckName(_ id: Int64) throws(StudyFileError) -> String? {
    let row = try file.statement("SELECT name FROM decks WHERE id = ?1")
    row.bind(1, id)
    guard try row.step(), let name = row.text(0) else { return nil }
    row.reset()
    return name.split(separator: "\u{1F}").joined(separator: "::")
  }

  func noteType(_ id: Int64) throws(StudyFileError) -> NoteType? {
    if let noteType = noteTypes[id] { return noteType }
    let row = try file.statement("SELECT config FROM notetypes WHERE id = ?1")
    row.bind(1, id)
    guard try row.step(), let config = row.bytes(0) else { return nil }
    row.reset()
    var noteType = NoteType()
    for case (1, .number(1)) in ProtobufFields(config[...]) { noteType.isCloze = true }
    let fields = try file.statement("SELECT name FROM fields WHERE ntid = ?1 ORDER BY ord LIMIT 256")
    fields.bind(1, id)
    while try fields.step() { noteType.fields.append(fields.text(0) ?? "") }
    let templates = try file.statement("SELECT ord, config FROM templates WHERE ntid = ?1 ORDER BY ord LIMIT 256")
    templates.bind(1, id)
    while try templates.step() {
      guard let ordinal = templates.integer(0), let config = templates.bytes(1) else { continue }
      var (front, back): ([UInt8], [UInt8]) = ([], [])
      for case (let number, .bytes(let text)) in ProtobufFields(config[...]) {
        if number == 1 { front = Array(text) }
        if number == 2 { back = Array(text) }
      }
      noteType.templates[Int(clamping: ordinal)] = NoteType.Template(
        front: CardTemplate(front), back: CardTemplate(back))
    }
    if noteTypes.count >= Self.cached { noteTypes = [:] }
    noteTypes[id] = noteType
    return noteType
  }
}
