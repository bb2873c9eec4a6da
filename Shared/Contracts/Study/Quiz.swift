public enum QuizSubject {}
public typealias QuizID = ID<QuizSubject>

/// A quiz: which questions are asked is decided when an attempt starts.
public struct Quiz: Codable, Sendable, Equatable, Versioned {
  public var id: QuizID
  public var ownerID: UserID
  public var title: ShortText?
  /// The sets whose cards are asked.
  public var sets: [StudySetID]
  /// Fewer are asked when the sets have fewer cards.
  public var questionCount: QuestionCount
  /// Unlimited when it is unset.
  public var timeLimitSeconds: TimeLimit?
  public var kinds: [QuizKind]
  public var direction: QuizDirection
  /// The same seed gives the same questions for the same cards. Shown to the owner; each attempt has another one when it
  /// is unset.
  public var seed: QuizSeed?
  /// Whether everyone who sees all of its sets may take it.
  public var isShared: Bool
  public var createdAt: Timestamp
  public var version: Int

  public init(
    id: QuizID, ownerID: UserID, title: ShortText? = nil, sets: [StudySetID], questionCount: QuestionCount,
    timeLimitSeconds: TimeLimit? = nil, kinds: [QuizKind], direction: QuizDirection, seed: QuizSeed? = nil,
    isShared: Bool, createdAt: Timestamp, version: Int
  ) {
    (self.id, self.ownerID, self.title, self.sets) = (id, ownerID, title, sets)
    (self.questionCount, self.timeLimitSeconds, self.kinds) = (questionCount, timeLimitSeconds, kinds)
    (self.direction, self.seed, self.isShared) = (direction, seed, isShared)
    (self.createdAt, self.version) = (createdAt, version)
  }
}

/// How questions are asked.
public enum QuizKind: String, WireEnum {
  /// The answer is written; case, accents, articles and small typing errors do not matter.
  case written
  /// One of three or four options is chosen.
  case choice
  /// A shown answer is judged.
  case trueFalse
}

/// The side of a card that is the question.
public enum QuizDirection: String, WireEnum { case frontToBack, backToFront }

/// 1 to 200 questions.
public struct QuestionCount: BoundedInteger {
  public static let range = 1...200
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 20) }
}

/// 10 seconds to 24 hours.
public struct TimeLimit: BoundedInteger {
  public static let range = 10...86_400
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 600) }
}

public struct QuizSeed: BoundedInteger {
  public static let range = 0...9_007_199_254_740_991
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// Minutes that the local time is ahead of UTC.
public struct UTCOffset: BoundedInteger {
  public static let range = -1080...1080
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 60) }
}
