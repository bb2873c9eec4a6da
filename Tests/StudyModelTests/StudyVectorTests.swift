import Foundation
import StudyModel
import Testing

/// The vectors in `Tests/Fixtures/Vectors/study.json`, which the study model in JavaScript reads as well
/// (`Tests/Web/unit/letustudy_study_test.js`).
struct StudyVectorTests {
  private struct Vectors: Decodable {
    struct Schedule: Decodable {
      let card: String
      let weights: [Double]
      let retention: Double
      let learning, relearning: [Int64]
      let maximum: Int
      let fuzz: Bool
      /// Time, rating, state, step, stability, difficulty, due, lapses, another time, retrievability then.
      let reviews: [[Double]]
    }

    struct Quiz: Decodable {
      struct Question: Decodable, Equatable {
        let card, prompt, answer, kind: String
        let options: [String]?
        let right: Int?
        let shown: String?
        let isTrue: Bool?
      }

      let kinds: [String]
      let direction: String
      let seed: UInt64
      let cards: [[String]]
      let questions: [Question]
    }

    let schedules: [Schedule]
    let grades: [[String]]
    let quizzes: [Quiz]
  }

  private static func vectors() throws -> Vectors {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../Fixtures/Vectors/study.json")
    return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
  }

  @Test func cardsAreScheduledAsInTheVectors() throws {
    for schedule in try Self.vectors().schedules {
      let scheduler = try Scheduler(
        weights: FSRSWeights(schedule.weights), desiredRetention: schedule.retention,
        learningSteps: schedule.learning, relearningSteps: schedule.relearning, maximumInterval: schedule.maximum,
        fuzz: schedule.fuzz)
      var memory = CardMemory(cardID: schedule.card)
      for row in schedule.reviews {
        let rating = try #require(ReviewRating(rawValue: Int(row[1])))
        memory = scheduler.review(memory, rating: rating, at: Int64(row[0]))
        #expect(memory.state.rawValue == Int(row[2]))
        #expect(memory.step ?? -1 == Int(row[3]))
        #expect(abs((memory.stability ?? .nan) - row[4]) <= 1e-9 * max(1, row[4]))
        #expect(abs((memory.difficulty ?? .nan) - row[5]) <= 1e-9)
        #expect(memory.due == Int64(row[6]))
        #expect(memory.lapses == Int(row[7]))
        #expect(abs(scheduler.retrievability(memory, at: Int64(row[8])) - row[9]) <= 1e-9)
      }
    }
  }

  @Test func answersAreGradedAsInTheVectors() throws {
    for row in try Self.vectors().grades {
      #expect("\(AnswerGrading.grade(row[0], expected: row[1]))" == row[2], "\(row[0]) for \(row[1])")
    }
  }

  @Test func quizzesAreThoseOfTheVectors() throws {
    for quiz in try Self.vectors().quizzes {
      let generator = QuizGenerator(
        kinds: Set(quiz.kinds.compactMap { QuestionKind(rawValue: $0) }),
        direction: try #require(QuizGenerator.Direction(rawValue: quiz.direction)), seed: quiz.seed)
      let made = generator.questions(6, from: quiz.cards.map { QuizCard(id: $0[0], front: $0[1], back: $0[2]) })
      #expect(made.map(Self.described) == quiz.questions)
    }
  }

  private static func described(_ question: QuizQuestion) -> Vectors.Quiz.Question {
    var (options, right, shown, isTrue): ([String]?, Int?, String?, Bool?)
    switch question.content {
    case .written: break
    case .choice(let all, let index): (options, right) = (all, index)
    case .trueFalse(let text, let judged): (shown, isTrue) = (text, judged)
    }
    return Vectors.Quiz.Question(
      card: question.cardID, prompt: question.prompt, answer: question.answer, kind: question.kind.rawValue,
      options: options, right: right, shown: shown, isTrue: isTrue)
  }
}
