import StudyFiles
import Testing

struct CardDraftTests {
  private func pairs(_ text: String, _ rule: DraftRule? = nil) -> [[String]] {
    CardDrafts.make(of: text, by: rule).drafts.map { [$0.front, $0.back] }
  }

  @Test func oddLinesAreQuestions() {
    let text = "Capital of France?\nParis\n\nCapital of Italy?\nRome\n"
    #expect(pairs(text) == [["Capital of France?", "Paris"], ["Capital of Italy?", "Rome"]])
    #expect(CardDrafts.make(of: text).rule == .parity)
    #expect(CardDrafts.make(of: text).drafts.map(\.line) == [1, 4])
  }

  @Test func aQuestionWithoutAnAnswerIsNoCard() {
    #expect(pairs("a\nb\nc", .parity) == [["a", "b"]])
  }

  @Test func labelsOfQuestionsAndAnswersAreLeftOut() {
    #expect(pairs("Q: Who wrote Faust\nA: Goethe") == [["Who wrote Faust", "Goethe"]])
  }

  @Test(arguments: [
    "osmosis – movement of water", "osmosis: movement of water", "osmosis\tmovement of water",
    "osmosis - movement of water", "osmosis — movement of water",
  ])
  func aTermIsSeparatedFromItsDefinition(_ line: String) {
    #expect(
      pairs(line + "\n" + "diffusion: movement of particles") == [
        ["osmosis", "movement of water"], ["diffusion", "movement of particles"],
      ])
  }

  @Test func linesWithoutATermContinueTheDefinition() {
    let text = "osmosis: movement of wa-\nter through a membrane\n\ndiffusion: movement of\nparticles"
    #expect(
      pairs(text, .terms) == [
        ["osmosis", "movement of water through a membrane"], ["diffusion", "movement of particles"],
      ])
  }

  @Test(arguments: ["The lesson starts at 10:30 today", "See https://example.com/a", "a well-known fact"])
  func notEverySignIsASeparator(_ line: String) {
    #expect(pairs(line, .terms).isEmpty)
  }

  @Test func headingsAreFronts() {
    let text = """
      Photosynthesis
      Plants make sugar from light.
      It needs water.

      # Respiration
      Cells burn sugar.

      The end.
      """
    #expect(
      pairs(text) == [
        ["Photosynthesis", "Plants make sugar from light. It needs water."],
        ["Respiration", "Cells burn sugar.\nThe end."],
      ])
    #expect(CardDrafts.make(of: text).rule == .headings)
  }

  @Test func itemsOfAListStayLines() {
    #expect(pairs("States of matter\n- solid\n- liquid\n- gas") == [["States of matter", "- solid\n- liquid\n- gas"]])
  }

  @Test(arguments: DraftRule.allCases)
  func nothingHasNoDrafts(_ rule: DraftRule) {
    #expect(pairs("", rule).isEmpty)
    #expect(pairs("\n\n \t\n", rule).isEmpty)
  }
}
