public enum AttemptSubject {}
public typealias AttemptID = ID<AttemptSubject>

/// An attempt at a quiz, with its questions. They are frozen when it starts: edits of cards do not change it.
public struct QuizAttempt: Codable, Sendable, Equatable {
  public var summary: AttemptSummary
  /// Empty when the texts were deleted together with the account of the quiz's owner.
  public var questions: [AttemptQuestion]

  public init(summary: AttemptSummary, questions: [AttemptQuestion]) {
    (self.summary, self.questions) = (summary, questions)
  }
}

public struct AttemptSummary: Codable, Sendable, Equatable {
  public var id: AttemptID
  public var quizID: QuizID
  /// The quiz's title now; absent when the quiz was deleted.
  public var title: ShortText?
  public var sets: [StudySetID]
  public var status: AttemptStatus
  public var startedAt: Timestamp
  /// The deadline by the server's clock. Answers are accepted for five more seconds, for the way that they take.
  public var deadline: Timestamp?
  /// Until the deadline.
  public var secondsLeft: Double?
  public var finishedAt: Timestamp?
  public var questionCount: Int
  public var answered: Int
  /// The attempt whose mistakes are asked again.
  public var mistakesOf: AttemptID?
  /// Present when it is finished.
  public var result: AttemptResult?
  /// Whether right answers are withheld, as in a test that others are still taking.
  public var hidesSolutions: Bool

  public init(
    id: AttemptID, quizID: QuizID, title: ShortText? = nil, sets: [StudySetID], status: AttemptStatus,
    startedAt: Timestamp, deadline: Timestamp? = nil, secondsLeft: Double? = nil, finishedAt: Timestamp? = nil,
    questionCount: Int, answered: Int, mistakesOf: AttemptID? = nil, result: AttemptResult? = nil,
    hidesSolutions: Bool = false
  ) {
    (self.id, self.quizID, self.title, self.sets, self.status) = (id, quizID, title, sets, status)
    (self.startedAt, self.deadline, self.secondsLeft) = (startedAt, deadline, secondsLeft)
    (self.finishedAt, self.questionCount, self.answered) = (finishedAt, questionCount, answered)
    (self.mistakesOf, self.result, self.hidesSolutions) = (mistakesOf, result, hidesSolutions)
  }
}

public enum AttemptStatus: String, WireEnum { case running, finished }

public struct AttemptResult: Codable, Sendable, Equatable {
  public var correct: Int
  public var incorrect: Int
  public var unanswered: Int
  /// Correct answers in percent of all questions.
  public var score: Int
  /// From start to finish, at most until the deadline.
  public var durationSeconds: Double

  public init(correct: Int, incorrect: Int, unanswered: Int, score: Int, durationSeconds: Double) {
    (self.correct, self.incorrect, self.unanswered) = (correct, incorrect, unanswered)
    (self.score, self.durationSeconds) = (score, durationSeconds)
  }
}

public struct AttemptQuestion: Codable, Sendable, Equatable {
  /// From 0.
  public var number: Int
  public var set: StudySetID
  public var card: CardID
  public var kind: QuizKind
  public var prompt: String
  /// The options of a choice.
  public var options: [String]?
  /// The answer that is to be judged.
  public var statement: String?
  public var answer: AttemptAnswer?
  /// Present when the attempt is finished and solutions are shown.
  public var solution: AttemptSolution?

  public init(
    number: Int, set: StudySetID, card: CardID, kind: QuizKind, prompt: String, options: [String]? = nil,
    statement: String? = nil, answer: AttemptAnswer? = nil, solution: AttemptSolution? = nil
  ) {
    (self.number, self.set, self.card, self.kind, self.prompt) = (number, set, card, kind, prompt)
    (self.options, self.statement, self.answer, self.solution) = (options, statement, answer, solution)
  }
}

public struct AttemptSolution: Codable, Sendable, Equatable {
  public var grade: AttemptGrade
  /// The right answer as the card had it.
  public var answer: String
  /// The index of the right option.
  public var option: Int?
  /// Whether the statement is right.
  public var isTrue: Bool?

  public init(grade: AttemptGrade, answer: String, option: Int? = nil, isTrue: Bool? = nil) {
    (self.grade, self.answer, self.option, self.isTrue) = (grade, answer, option, isTrue)
  }
}

public enum AttemptGrade: String, WireEnum {
  case correct
  /// Correct but for a typing error or the article.
  case almost
  case incorrect
  case unanswered

  public var isRight: Bool { self == .correct || self == .almost }
}
