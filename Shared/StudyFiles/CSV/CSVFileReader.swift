/// Reads cards from CSV (RFC 4180) and from the text files that Anki exports.
///
/// The separator is a comma, a semicolon or a tab. The columns are front, back and tags, in this order or as a first
/// row names them; other named columns are reported as not imported. Of Anki's headers, `separator`, `html`, `tags`,
/// `deck` and the columns of tags, decks and GUIDs are followed: the first field of a note is the front, its others are
/// the back, one per line. Tags are separated by semicolons or, without any, by white space.
public struct CSVFileReader: StudyFileReader {
  private var records: CSVRecords
  private let layout: CSVLayout
  private var check: CardCheck
  private let limits: StudyFileLimits
  private var isAtStart = true

  /// - Parameter path: A file in UTF-8, or in UTF-16 with a byte order mark.
  public init(_ path: String, limits: StudyFileLimits = StudyFileLimits()) throws(StudyFileError) {
    let source = try TextSource(path)
    let rereads = CSVRecords.rereads(of: try source.size())
    var lines = TextLines(source, maxBytes: limits.recordBytes)
    layout = try CSVLayout(&lines, limits: limits)
    records = CSVRecords(lines, separator: layout.separator, maxBytes: limits.recordBytes, rereads: rereads)
    check = CardCheck(limits)
    self.limits = limits
  }

  public mutating func next() throws(StudyFileError) -> StudyFileItem? {
    if isAtStart {
      isAtStart = false
      if layout.hasNames, let names = try records.next(), layout.unknownNames > 0 {
        return .skipped(StudyFileSkip(.line(names.line), .unknownColumn))
      }
    }
    guard let record = try records.next() else { return nil }
    func skipped(_ reason: StudyFileSkipReason) -> StudyFileItem { .skipped(StudyFileSkip(.line(record.line), reason)) }
    if let problem = record.problem { return skipped(problem) }
    var fields: [String] = []
    for field in record.fields {
      guard let text = field.validText else { return skipped(.invalidText) }
      fields.append(text)
    }
    var card: StudyFileCard
    switch layout.columns {
    case .positions:
      guard fields.count > 1 else { return skipped(.missingColumn) }
      guard fields.count <= 3 else { return skipped(.unexpectedColumn) }
      card = self.card(fields[0], [fields[1]])
      if fields.count > 2 { card.tags += CSVLayout.tags(fields[2]) }
    case .named(let front, let back, let tags, let deck, let id):
      guard fields.indices.contains(front), fields.indices.contains(back) else { return skipped(.missingColumn) }
      card = self.card(fields[front], [fields[back]])
      add(fields, tags: tags, deck: deck, id: id, to: &card)
    case .fields(let except, let tags, let deck, let id):
      let content = fields.indices.filter { !except.contains($0) }.map { fields[$0] }
      guard content.count > 1 else { return skipped(.missingColumn) }
      card = self.card(content[0], Array(content[1...]))
      add(fields, tags: tags, deck: deck, id: id, to: &card)
    }
    return try check.item(card, at: .line(record.line))
  }

  private func card(_ front: String, _ backs: [String]) -> StudyFileCard {
    guard layout.isHTML else {
      let back = backs.count == 1 ? backs[0] : backs.filter { !$0.isEmpty }.joined(separator: "\n")
      return StudyFileCard(front: front, back: back, tags: layout.tags, deck: layout.deck)
    }
    let question = HTMLText(Array(front.utf8))
    let answers = backs.map { HTMLText(Array($0.utf8)) }
    return StudyFileCard(
      front: question.text,
      back: answers.map(\.text).filter { !$0.isEmpty }.joined(separator: "\n"),
      tags: layout.tags,
      deck: layout.deck,
      frontMedia: question.media,
      backMedia: answers.flatMap(\.media)
    )
  }

  private func add(_ fields: [String], tags: Int?, deck: Int?, id: Int?, to card: inout StudyFileCard) {
    func field(_ column: Int?) -> String? { column.flatMap { fields.indices.contains($0) ? fields[$0] : nil } }
    card.tags += CSVLayout.tags(field(tags) ?? "")
    if let deck = field(deck), !deck.isBlank { card.deck = deck }
    if let id = field(id), !id.isBlank { card.id = id }
  }
}
