/// The type from which the cards of a note are made.
struct NoteType {
  struct Template {
    let front: CardTemplate
    let back: CardTemplate
  }

  var isCloze = false
  /// The names of the fields, in their order.
  var fields: [String] = []
  /// The templates, by their number. A cloze note type has only number 0.
  var templates: [Int: Template] = [:]
  /// Whether its names and templates exceed the limits; no card is made from it then.
  private(set) var isTooLarge = false
  /// The bytes of the names and templates so far.
  private(set) var bytes = 0
  private var nodes = 0
  /// How many times more a byte of a template costs to parse than to copy.
  static let parsingCost = 8

  init(isCloze: Bool = false, fields: [String] = [], templates: [Int: Template] = [:]) {
    (self.isCloze, self.fields, self.templates) = (isCloze, fields, templates)
  }

  /// - Returns: Whether there may be more.
  mutating func add(field name: String, limits: StudyFileLimits) -> Bool {
    guard hasRoom(name.utf8.count, limits) else { return false }
    fields.append(name)
    return true
  }

  /// - Parameter size: Of all that is stored of the template.
  /// - Returns: Whether there may be more.
  mutating func add(_ ordinal: Int, front: [UInt8], back: [UInt8], size: Int, limits: StudyFileLimits) -> Bool {
    guard hasRoom(size, limits) else { return false }
    let template = Template(front: CardTemplate(front), back: CardTemplate(back))
    nodes += template.front.nodeCount + template.back.nodeCount
    if nodes > CardTemplate.maxNodes { isTooLarge = true }
    templates[ordinal] = isTooLarge ? nil : template
    return !isTooLarge
  }

  private mutating func hasRoom(_ count: Int, _ limits: StudyFileLimits) -> Bool {
    // The bytes that an empty name or template costs.
    bytes += count + 16
    if bytes > limits.noteTypeBytes { (isTooLarge, fields, templates) = (true, [], [:]) }
    return !isTooLarge
  }

  /// The text and media of a card.
  struct Sides {
    var front: HTMLText
    var back: HTMLText
  }

  /// Makes a card of a note. The back does not repeat the front, which `{{FrontSide}}` in most templates would show
  /// again, unless it shows nothing else.
  /// - Parameters:
  ///   - special: The values of `Tags`, `Deck` and other fields that every note has, as HTML.
  ///   - work: Is reduced by the number of bytes that were looked at.
  func card(_ ordinal: Int, of note: [[UInt8]], special: [String: [UInt8]], limits: StudyFileLimits, work: inout Int64)
    -> Result<Sides, CardProblem>
  {
    if isTooLarge { return .failure(CardProblem(.tooLong)) }
    guard let template = templates[isCloze ? 0 : ordinal] else { return .failure(CardProblem(.missingTemplate)) }
    if isCloze, !note.contains(where: { ClozeText($0).has(ordinal + 1) }) {
      return .failure(CardProblem(.missingCloze))
    }
    var values = CardTemplate.Values(fields: special, cloze: isCloze ? ordinal + 1 : nil, isAnswer: false)
    for (name, content) in zip(fields, note) { values.fields[name] = content }
    // Tags and styles take space, too, that the text does not.
    let maxBytes = limits.recordBytes
    guard let question = template.front.render(values, maxBytes: maxBytes, work: &work) else {
      return .failure(CardProblem(.tooLong))
    }
    values.isAnswer = true
    guard var answer = template.back.render(values, maxBytes: maxBytes, work: &work) else {
      return .failure(CardProblem(.tooLong))
    }
    let front = HTMLText(question)
    var back = HTMLText(answer)
    if back.text.isBlank, back.media.isEmpty, template.back.showsOnlyFront {
      values.front = question
      answer = template.back.render(values, maxBytes: maxBytes, work: &work) ?? []
      back = HTMLText(answer)
    }
    return .success(Sides(front: front, back: back))
  }

  struct CardProblem: Error {
    let reason: StudyFileSkipReason

    init(_ reason: StudyFileSkipReason) { self.reason = reason }
  }
}
