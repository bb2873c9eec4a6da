import Contracts
import StudyModel

/// A question with its solution, as an attempt keeps it.
struct FrozenQuestion: Codable, Sendable, Equatable {
  var set: StudySetID
  var card: CardID
  var prompt: String
  var answer: String
  var kind: QuizKind
  var options: [String]?
  var right: Int?
  var statement: String?
  var isTrue: Bool?

  init(_ question: QuizQuestion, of set: StudySetID) {
    (self.set, card) = (set, CardID(trusted: question.cardID))
    (prompt, answer) = (question.prompt, question.answer)
    switch question.content {
    case .written: kind = .written
    case .choice(let options, let right):
      (kind, self.options, self.right) = (.choice, options.map(Self.shortened), right)
    case .trueFalse(let shown, let isTrue):
      (kind, statement, self.isTrue) = (.trueFalse, Self.shortened(shown), isTrue)
    }
  }

  /// How much of a text is shown as a choice.
  static let maxChoice = 300

  /// Answers are graded by the index of a choice, or by whether a statement is true, so its text may be cut.
  private static func shortened(_ text: String) -> String {
    guard text.unicodeScalars.count > maxChoice else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(maxChoice - 1))) + "…"
  }

  /// About how much room it takes.
  var bytes: Int {
    200 + prompt.utf8.count + answer.utf8.count + (statement?.utf8.count ?? 0)
      + (options ?? []).reduce(0) { $0 + $1.utf8.count }
  }

  /// The reason why an answer is not of the question's kind; `nil` when it is.
  func violation(by given: AttemptAnswer) -> String? {
    guard [given.text != nil, given.option != nil, given.isTrue != nil].count(where: { $0 }) == 1 else {
      return "must be one of text, option and isTrue"
    }
    return switch kind {
    case .written: given.text == nil ? "must be a text" : nil
    case .choice:
      given.option.map { (options ?? []).indices.contains($0) } == true ? nil : "must be the index of an option"
    case .trueFalse: given.isTrue == nil ? "must be a judgment" : nil
    }
  }

  func grade(_ given: AttemptAnswer?) -> AttemptGrade {
    guard let given else { return .unanswered }
    return switch question.grade(given.response) {
    case .correct: .correct
    case .almost: .almost
    case .incorrect: .incorrect
    }
  }

  /// - Parameter grade: Set when the solution is shown.
  func view(_ number: Int, _ given: AttemptAnswer?, grade: AttemptGrade?) -> AttemptQuestion {
    AttemptQuestion(
      number: number, set: set, card: card, kind: kind, prompt: prompt, options: options, statement: statement,
      answer: given,
      solution: grade.map { AttemptSolution(grade: $0, answer: answer, option: right, isTrue: isTrue) })
  }

  private var question: QuizQuestion {
    let content: QuizQuestion.Content =
      switch kind {
      case .written: .written
      case .choice: .choice(options: options ?? [], right: right ?? -1)
      case .trueFalse: .trueFalse(shown: statement ?? "", isTrue: isTrue ?? false)
      }
    return QuizQuestion(cardID: card.rawValue, prompt: prompt, answer: answer, content: content)
  }
}

extension AttemptAnswer {
  fileprivate var response: QuizResponse? {
    if let text { return .written(text.rawValue) }
    if let option { return .choice(option) }
    return isTrue.map { .trueFalse($0) }
  }
}
