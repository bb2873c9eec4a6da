import Testing

@testable import StudyFiles

struct CardTemplateTests {
  private func card(
    _ front: String, _ back: String, isCloze: Bool = false, ordinal: Int = 0, _ note: [String: String]
  ) -> Result<NoteType.Sides, NoteType.CardProblem> {
    let names = note.keys.sorted()
    let noteType = NoteType(
      isCloze: isCloze, fields: names,
      templates: [0: .init(front: CardTemplate(Array(front.utf8)), back: CardTemplate(Array(back.utf8)))])
    var work: Int64 = .max
    return noteType.card(
      ordinal, of: names.map { Array((note[$0] ?? "").utf8) }, special: ["Tags": Array("x y".utf8)],
      limits: StudyFileLimits(),
      work: &work)
  }

  @Test func theBackDoesNotRepeatTheFront() throws {
    let sides = try card("{{Front}}", "{{FrontSide}}<hr id=answer>{{Back}}", ["Front": "q", "Back": "a"]).get()
    #expect(sides.front.text == "q")
    #expect(sides.back.text == "a")
    #expect(try card("{{Front}}", "{{FrontSide}}", ["Front": "q"]).get().back.text == "q")
  }

  @Test(arguments: [
    ("{{#A}}has {{A}}{{/A}}{{^A}}none{{/A}}", "has 1"), ("{{#B}}has{{/B}}{{^B}}none{{/B}}", "none"),
    ("{{#A}}{{#B}}x{{/B}}y{{/A}}", "y"), ("{{ A }}", "1"), ("{{hint:A}}{{kana:A}}{{unknown:x:A}}", "111"),
    ("{{type:A}}|{{tts en_US:A}}|{{Absent}}", "||"), ("{{Tags}}", "x y"), ("{{#A}}open", "open"), ("{{/A}}x", "x"),
    ("{{!note}}x", "x"), ("{{A", "{{A"), ("{{}}x", "x"), ("{{#C}}picture{{/C}}", "picture"),
  ])
  func fieldsAndSectionsAreRendered(_ template: String, _ text: String) throws {
    let note = ["A": "1", "B": "<div>&nbsp;</div><br>", "C": "<img src=x.png>"]
    #expect(try card("-" + template, "x", note).get().front.text == "-" + text)
  }

  @Test(arguments: [
    ("{{c1::Paris::city}} in {{c2::France}}", 0, "[city] in France", "Paris in France"),
    ("{{c1::Paris::city}} in {{c2::France}}", 1, "Paris in [...]", "Paris in France"),
    ("{{c1::a {{c2::b}} c}}", 1, "a [...] c", "a b c"), ("{{c1::a {{c2::b}} c}}", 0, "[...]", "a b c"),
    ("{{c1,2::x}} {{c2::y}}", 1, "[...] [...]", "x y"), ("{{c1::x}} {{c2::open", 0, "[...] {{c2::open", "x {{c2::open"),
    ("{{c1::a::b::c}}", 0, "[b::c]", "a"), ("}} {{c1::x}}", 0, "}} [...]", "}} x"),
  ])
  func clozeDeletionsAreHidden(_ text: String, _ ordinal: Int, _ front: String, _ back: String) throws {
    let sides = try card("{{cloze:T}}", "{{cloze:T}}", isCloze: true, ordinal: ordinal, ["T": text]).get()
    #expect(sides.front.text == front)
    #expect(sides.back.text == back)
  }

  @Test func aTemplateOfVeryManyPartsIsNotKept() {
    for piece in ["{{A}}", "{{#A}}{{/A}}", "{{a:b:A}}", "{{:::::::::::}}"] {
      var noteType = NoteType(fields: ["A"])
      let template = Array(String(repeating: piece, count: 60_000).utf8)
      let hasRoom = noteType.add(0, front: template, back: [], size: 1000, limits: StudyFileLimits())
      #expect(!hasRoom)
      #expect(noteType.isTooLarge)
      #expect(noteType.templates.isEmpty)
    }
  }

  @Test func repeatedFiltersAreBounded() {
    let template = "{{" + String(repeating: "cloze:", count: 5000) + "A}}"
    let note = ["A": "{{c1::x}}" + String(repeating: "a", count: 60_000)]
    guard case .failure(let problem) = card(template, "x", isCloze: true, note) else {
      Issue.record("rendered")
      return
    }
    #expect(problem.reason == .tooLong)
  }

  @Test func aCardWithoutItsDeletionIsReported() {
    let result = card("{{cloze:T}}", "{{cloze:T}}", isCloze: true, ordinal: 4, ["T": "{{c1::x}}"])
    #expect(throws: NoteType.CardProblem.self) { try result.get() }
    if case .failure(let problem) = result { #expect(problem.reason == .missingCloze) }
  }

  @Test(arguments: ["{{A}}", "{{#A}}{{/A}}", "{{type:A}}"])
  func aTemplateThatExpandsIsBounded(_ piece: String) {
    let result = card(String(repeating: piece, count: 10_000), "x", ["A": String(repeating: "a", count: 60_000)])
    guard case .failure(let problem) = result else {
      Issue.record("rendered")
      return
    }
    #expect(problem.reason == .tooLong)
  }
}
