/// What the cards of a note are made from.
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

  /// The text and media of a card.
  struct Sides {
    var front: HTMLText
    var back: HTMLText
  }

  /// Makes a card of a note. The back does not repeat the front, which `{{FrontSide}}` in most templates would show
  /// again, unless it shows nothing else.
  /// - Parameters:
  ///   - special: The values of `Tags`, `Deck` and other fields that every note has.
  ///   - work: Is reduced by the number of bytes that were looked at.
  func card(_ ordinal: Int, of note: [[UInt8]], special: [String: String], limits: StudyFileLimits, work: inout Int64)
    -> Result<Sides, CardProblem>
  {
    guard let template = templates[isCloze ? 0 : ordinal] else { return .failure(CardProblem(.missingTemplate)) }
    if isCloze, !note.contains(where: { ClozeText($0).has(ordinal + 1) }) {
      return .failure(CardProblem(.missingCloze))
    }
    var values = CardTemplate.Values(
      fields: special.mapValues { Array(HTMLEntities.encode($0).utf8) }, cloze: isCloze ? ordinal + 1 : nil,
      isAnswer: false)
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
