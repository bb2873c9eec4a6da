/// A card as quizzes use it.
public struct QuizCard: Sendable, Hashable {
  public let id: String
  /// Plain text.
  public let front: String
  /// Plain text.
  public let back: String

  public init(id: String, front: String, back: String) {
    self.id = id
    self.front = front
    self.back = back
  }
}

/// How a question is asked.
public enum QuestionKind: String, Sendable, Hashable, CaseIterable {
  /// The answer is written.
  case written
  /// One of several answers is chosen.
  case choice
  /// A shown answer is judged.
  case trueFalse
}

/// A question with its solution.
public struct QuizQuestion: Sendable, Hashable {
  public enum Content: Sendable, Hashable {
    case written
    /// The options in the order shown, and the index of the right one.
    case choice(options: [String], right: Int)
    /// The answer shown, and whether it is the right one.
    case trueFalse(shown: String, isTrue: Bool)
  }

  public let cardID: String
  public let prompt: String
  /// The right answer as the card has it.
  public let answer: String
  public let content: Content

  public init(cardID: String, prompt: String, answer: String, content: Content) {
    self.cardID = cardID
    self.prompt = prompt
    self.answer = answer
    self.content = content
  }

  public var kind: QuestionKind {
    switch content {
    case .written: .written
    case .choice: .choice
    case .trueFalse: .trueFalse
    }
  }

  /// Grades a response; one of another kind than the question, or none, is incorrect.
  public func grade(_ response: QuizResponse?) -> AnswerGrade {
    switch (content, response) {
    case (.written, .written(let text)): AnswerGrading.grade(text, expected: answer)
    case (.choice(_, let right), .choice(let index)): index == right ? .correct : .incorrect
    case (.trueFalse(_, let isTrue), .trueFalse(let judged)): judged == isTrue ? .correct : .incorrect
    default: .incorrect
    }
  }
}

/// The response of a learner.
public enum QuizResponse: Sendable, Hashable {
  case written(String)
  /// The index of the chosen option.
  case choice(Int)
  case trueFalse(Bool)
}

/// The result of a quiz.
public struct QuizScore: Sendable, Hashable {
  public let correct: Int
  public let incorrect: Int

  /// - Parameter grades: One for each question; unanswered ones are incorrect.
  public init(_ grades: some Sequence<AnswerGrade>) {
    var (correct, incorrect) = (0, 0)
    for grade in grades {
      if grade.isRight { correct += 1 } else { incorrect += 1 }
    }
    self.correct = correct
    self.incorrect = incorrect
  }

  /// Right answers in percent of all questions, rounded half up; 0 without questions.
  public var percent: Int {
    let total = correct + incorrect
    return total == 0 ? 0 : (200 * correct + total) / (2 * total)
  }
}
