import TestKit
import Testing

@testable import StudyModel

struct QuizTests {
  private static func cards(_ count: Int) -> [QuizCard] {
    (0..<count).map { QuizCard(id: "c\($0)", front: "front \($0)", back: "back \($0)") }
  }

  @Test func orderOfCardsDoesNotMatter() {
    var random = SeededGenerator()
    let generator = QuizGenerator(kinds: Set(QuestionKind.allCases), seed: 7)
    let cards = Self.cards(50)
    #expect(
      generator.questions(20, from: cards.shuffled(using: &random)) == generator.questions(20, from: cards), "\(random)"
    )
  }

  @Test func seedChangesTheQuestions() {
    let questions = (1...5).map { QuizGenerator(kinds: [.choice], seed: $0).questions(10, from: Self.cards(50)) }
    #expect(Set(questions).count == 5)
  }

  @Test func kindsAlternateAndCardsAreAskedOnce() {
    let questions = QuizGenerator(kinds: Set(QuestionKind.allCases), seed: 1).questions(30, from: Self.cards(40))
    #expect(Set(questions.map(\.cardID)).count == 30)
    for kind in QuestionKind.allCases { #expect(questions.count { $0.kind == kind } == 10) }
  }

  @Test func asksNoMoreThanThereAreCards() {
    let cards =
      Self.cards(3) + [QuizCard(id: "c1", front: "again", back: "again"), QuizCard(id: "e", front: " ", back: "x")]
    #expect(QuizGenerator(kinds: [.written], seed: 1).questions(100, from: cards).count == 3)
    #expect(QuizGenerator(kinds: [.written], seed: 1).questions(-1, from: cards).isEmpty)
    #expect(QuizGenerator(kinds: [], seed: 1).questions(2, from: cards).map(\.kind) == [.written, .written])
  }

  @Test func optionsAreDistinctAndOneIsRight() throws {
    var random = SeededGenerator()
    let words = [
      "Rot", "rot", "ROT!", "blau", "Blau; azur", "azur", "grün", "gruen", "weiß", "weiss", "gelb", "das Gelb",
    ]
    for _ in 0..<300 {
      let cards = (0..<Int.random(in: 1...12, using: &random)).map {
        QuizCard(
          id: "\($0)", front: ["a", "A", "b", "c", "d"].randomElement(using: &random) ?? "a",
          back: words.randomElement(using: &random) ?? "")
      }
      let answers = Dictionary(grouping: cards) { AnswerGrading.key($0.front) }
      for question in QuizGenerator(kinds: [.choice], seed: random.next()).questions(12, from: cards) {
        guard case .choice(let options, let right) = question.content else { continue }
        #expect((3...4).contains(options.count), "\(random)")
        #expect(options[right] == question.answer, "\(random)")
        #expect(Set(options.map(AnswerGrading.key)).count == options.count, "\(random)")
        let accepted = answers[AnswerGrading.key(question.prompt), default: []]
        for (index, option) in options.enumerated() where index != right {
          #expect(!accepted.contains { AnswerGrading.grade(option, expected: $0.back) == .correct }, "\(random)")
        }
      }
    }
  }

  @Test func fewDistinctAnswersFallBack() {
    let twins = [QuizCard(id: "1", front: "a", back: "x"), QuizCard(id: "2", front: "b", back: "y")]
    let same = [QuizCard(id: "1", front: "a", back: "x"), QuizCard(id: "2", front: "b", back: "X.")]
    func kinds(_ kinds: Set<QuestionKind>, _ cards: [QuizCard]) -> Set<QuestionKind> {
      Set(QuizGenerator(kinds: kinds, seed: 3).questions(2, from: cards).map(\.kind))
    }
    #expect(kinds([.choice], twins) == [.written])
    #expect(kinds([.choice, .trueFalse], twins) == [.trueFalse])
    #expect(kinds([.trueFalse], twins) == [.trueFalse])
    #expect(kinds([.trueFalse], same) == [.written])
    #expect(kinds([.choice, .trueFalse], same) == [.written])
  }

  @Test func statementsAreTrueAboutHalfOfTheTime() {
    let questions = QuizGenerator(kinds: [.trueFalse], seed: 5).questions(400, from: Self.cards(400))
    var isTrue = 0
    for question in questions {
      guard case .trueFalse(let shown, let right) = question.content else { continue }
      #expect((shown == question.answer) == right)
      isTrue += right ? 1 : 0
    }
    #expect((150...250).contains(isTrue))
  }

  @Test func directionTurnsTheCards() {
    let question = QuizGenerator(kinds: [.written], direction: .backToFront, seed: 1)
      .questions(1, from: [QuizCard(id: "1", front: "dog", back: "Hund")])[0]
    #expect(question.prompt == "Hund")
    #expect(question.grade(.written("a dog")) == .correct)
  }

  @Test func responsesAreGraded() {
    func question(_ content: QuizQuestion.Content) -> QuizQuestion {
      QuizQuestion(cardID: "1", prompt: "p", answer: "right", content: content)
    }
    let choice = question(.choice(options: ["wrong", "right"], right: 1))
    #expect(choice.grade(.choice(1)) == .correct)
    #expect(choice.grade(.choice(0)) == .incorrect)
    #expect(choice.grade(.choice(99)) == .incorrect)
    #expect(choice.grade(.written("right")) == .incorrect)
    #expect(choice.grade(nil) == .incorrect)
    #expect(question(.trueFalse(shown: "wrong", isTrue: false)).grade(.trueFalse(false)) == .correct)
    #expect(question(.trueFalse(shown: "wrong", isTrue: false)).grade(.trueFalse(true)) == .incorrect)
    #expect(question(.written).grade(.written("rigth")) == .almost)
  }

  @Test func scoreCountsAlmostAsRight() {
    let score = QuizScore([.correct, .almost, .incorrect])
    #expect(score.correct == 2)
    #expect(score.incorrect == 1)
    #expect(score.percent == 67)
    #expect(QuizScore([]).percent == 0)
    #expect(QuizScore([.correct, .incorrect]).percent == 50)
  }
}
