/// How a CSV file is separated, and which columns mean what: from the headers that Anki writes (`#separator:tab`), from
/// a row of column names, or by guessing.
struct CSVLayout {
  var separator = UInt8(ascii: ",")
  /// Whether a header of Anki or a row of column names was found, or the columns are evidently regular.
  var isEvident = false
  var isHTML = false
  /// Whether the first row names the columns.
  var hasNames = false
  var columns = Columns.positions
  /// The deck and the tags of all rows.
  var deck: String?
  var tags: [String] = []
  /// The names in the first row that have no meaning here.
  var unknownNames = 0

  enum Columns {
    /// Front, back, tags.
    case positions
    /// Fields of notes, of which the first is the front and the others are the back, and columns of other meanings.
    case fields(except: Set<Int>, tags: Int?, deck: Int?, id: Int?)
    case named(front: Int, back: Int, tags: Int?, deck: Int?, id: Int?)
  }

  private static let fronts: Set = ["front", "question", "term", "word"]
  private static let backs: Set = ["back", "answer", "definition", "meaning", "translation"]

  /// Reads the headers, leaving `lines` at the first row.
  init(_ lines: inout TextLines, limits: StudyFileLimits) throws(StudyFileError) {
    var headers: [String: String] = [:]
    while let line = try lines.next() {
      guard line.bytes.first == UInt8(ascii: "#"), let header = Self.header(line.bytes) else {
        lines.putBack([line])
        break
      }
      headers[header.key] = header.value
    }
    var sample: [TextLines.Line] = []
    var bytes = 0
    while sample.count < 50, bytes < 65_536, let line = try lines.next() {
      sample.append(line)
      bytes += line.bytes.count
    }
    lines.putBack(sample)
    let separators = headers["separator"].flatMap(Self.separator).map { [$0] } ?? Array("\t,;".utf8)
    try guess(separators, sample, limits)
    if !headers.isEmpty { apply(headers) }
  }

  private static func header(_ bytes: [UInt8]) -> (key: String, value: String)? {
    let known: Set = [
      "separator", "html", "tags", "columns", "notetype", "deck", "notetype column", "deck column", "tags column",
      "guid column", "match scope", "if matches",
    ]
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":"), from: 1),
      let key = Array(bytes[1..<colon]).validText?.trimmed.lowercased(), known.contains(key),
      let value = Array(bytes[(colon + 1)...]).validText
    else { return nil }
    return (key, value)
  }

  private static func separator(_ value: String) -> UInt8? {
    let names = ["comma": ",", "semicolon": ";", "tab": "\t", "space": " ", "pipe": "|", "colon": ":"]
    let character = names[value.trimmed.lowercased()] ?? value
    return character.utf8.count == 1 ? character.utf8.first : nil
  }

  /// Takes the separator that divides most rows into the same number of columns, or that finds known column names.
  private mutating func guess(_ separators: [UInt8], _ sample: [TextLines.Line], _ limits: StudyFileLimits)
    throws(StudyFileError)
  {
    var best = 0
    separator = separators.first ?? separator
    for candidate in separators {
      var records = CSVRecords(
        TextLines(sample), separator: candidate, maxBytes: limits.recordBytes, rereads: .max)
      var widths: [Int] = []
      while let record = try records.next() {
        if widths.isEmpty, let names = Self.names(record.fields) {
          (separator, columns, hasNames, isEvident) = (candidate, names.columns, true, true)
          unknownNames = names.unknown
          return
        }
        if record.problem == nil { widths.append(record.fields.count) }
      }
      guard let width = widths.first, width > 1 else { continue }
      let regular = widths.count { $0 == width }
      if regular > best {
        best = regular
        separator = candidate
        // Sentences have commas, too.
        isEvident = regular == widths.count && width <= 3 && (candidate == UInt8(ascii: "\t") || regular > 2)
      }
    }
  }

  private static func names(_ fields: [[UInt8]]) -> (columns: Columns, unknown: Int)? {
    let names = fields.map { $0.validText?.trimmed.lowercased() ?? "" }
    guard let front = names.firstIndex(where: fronts.contains), let back = names.firstIndex(where: backs.contains)
    else { return nil }
    let tags = names.firstIndex { $0 == "tags" || $0 == "tag" }
    let deck = names.firstIndex(of: "deck")
    let id = names.firstIndex { $0 == "guid" || $0 == "id" }
    let known = Set([front, back, tags, deck, id].compactMap(\.self))
    return (.named(front: front, back: back, tags: tags, deck: deck, id: id), names.count - known.count)
  }

  private mutating func apply(_ headers: [String: String]) {
    isEvident = true
    isHTML = headers["html"]?.trimmed.lowercased() == "true"
    deck = headers["deck"]?.trimmed
    tags = Self.tags(headers["tags"] ?? "")
    func column(_ key: String) -> Int? { headers[key].flatMap { Int($0.trimmed) }.flatMap { $0 > 0 ? $0 - 1 : nil } }
    let (tagColumn, deckColumn, idColumn) = (column("tags column"), column("deck column"), column("guid column"))
    let except = Set([tagColumn, deckColumn, idColumn, column("notetype column")].compactMap(\.self))
    // A row of names that stands among the headers describes the same columns.
    guard !hasNames || !except.isEmpty else { return }
    columns = .fields(except: except, tags: tagColumn, deck: deckColumn, id: idColumn)
  }

  /// Tags are separated by semicolons or, when there is none, by white space.
  static func tags(_ text: String) -> [String] {
    let parts = text.contains(";") ? text.split(separator: ";") : text.split(whereSeparator: \.isWhitespace)
    return parts.map { String($0).trimmed }.filter { !$0.isEmpty }
  }
}
