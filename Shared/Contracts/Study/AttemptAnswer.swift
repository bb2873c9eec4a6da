/// An answer to a question of its kind.
public struct AttemptAnswer: Codable, Sendable, Equatable, Alternatives {
  /// To a written question.
  public var text: AnswerWords?
  /// The index of the chosen option.
  public var option: Int?
  /// Whether the statement is judged to be right.
  public var isTrue: Bool?

  public static let alternatives = [["text"], ["option"], ["isTrue"]]

  private init(text: AnswerWords? = nil, option: Int? = nil, isTrue: Bool? = nil) {
    (self.text, self.option, self.isTrue) = (text, option, isTrue)
  }

  public static func text(_ text: AnswerWords) -> Self { Self(text: text) }
  public static func option(_ option: Int) -> Self { Self(option: option) }
  public static func isTrue(_ isTrue: Bool) -> Self { Self(isTrue: isTrue) }
}

/// A written answer.
public struct AnswerWords: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.multiline(length: 1...2000)
}

/// The answer to one of an attempt's questions.
public struct NumberedAnswer: Codable, Sendable, Equatable {
  /// The question's.
  public var number: Int
  /// Unset to take the answer back.
  public var answer: AttemptAnswer?

  public init(number: Int, answer: AttemptAnswer?) { (self.number, self.answer) = (number, answer) }
}
