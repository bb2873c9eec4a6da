extension StudyAPI {
  /// Asks cards of the quiz's sets as they are now. Cards with an empty side or more than 2000 characters on one are left
  /// out. An attempt of a test that is running is returned instead of a new one.
  public struct StartAttempt: Endpoint {
    public typealias Response = QuizAttempt
    public static let operation = Operation.post(
      "/v1/quizzes/{id}/attempts{?mistakesOf}", "Start an attempt at a quiz", idempotency: .acceptsKey, success: 201,
      problems: [
        .quizNotFound, .quizEmpty, .quizClosed, .attemptNotFound, .attemptRunning, .attemptLimit, .solutionsHidden,
      ],
      limits: .init(seconds: 20)
    )
    public var id: QuizID
    /// A finished attempt of the caller at the quiz: only cards that were not answered correctly are asked.
    public var mistakesOf: AttemptID?
    /// For the local day on which the time counts; 0 by default.
    public var utcOffsetMinutes: UTCOffset?
    public init(id: QuizID, mistakesOf: AttemptID? = nil, utcOffsetMinutes: UTCOffset? = nil) {
      (self.id, self.mistakesOf, self.utcOffsetMinutes) = (id, mistakesOf, utcOffsetMinutes)
    }
  }

  /// Newest first.
  public struct ListAttempts: PagedEndpoint {
    public typealias Response = Page<AttemptSummary>
    public static let operation = Operation.get("/v1/attempts", "List the caller's attempts")
    public var quiz: QuizID?
    /// Only attempts at quizzes of the set.
    public var set: StudySetID?
    public var status: AttemptStatus?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      quiz: QuizID? = nil, set: StudySetID? = nil, status: AttemptStatus? = nil, limit: PageSize? = nil,
      cursor: String? = nil
    ) {
      (self.quiz, self.set, self.status) = (quiz, set, status)
      (self.limit, self.cursor) = (limit, cursor)
    }
  }

  /// A running one is resumed: what was answered, and the time that is left. A finished one has its solutions.
  public struct GetAttempt: Endpoint {
    public typealias Response = QuizAttempt
    public static let operation = Operation.get(
      "/v1/attempts/{id}", "Get one of the caller's attempts", problems: [.attemptNotFound]
    )
    public var id: AttemptID
    public init(id: AttemptID) { self.id = id }
  }

  /// Answers can be changed until the attempt is finished. Accepted until five seconds after the deadline.
  public struct AnswerQuestions: Endpoint {
    public typealias Response = AttemptSummary
    public static let operation = Operation.post(
      "/v1/attempts/{id}/answers", "Answer questions of an attempt", idempotency: .idempotent,
      problems: [.attemptNotFound, .attemptFinished], limits: .init(bodyBytes: 1 << 20)
    )
    public var id: AttemptID
    /// At most 200.
    public var answers: [NumberedAnswer]
    public init(id: AttemptID, answers: [NumberedAnswer]) { (self.id, self.answers) = (id, answers) }
  }

  /// Repeating it returns the same result.
  public struct FinishAttempt: Endpoint {
    public typealias Response = QuizAttempt
    public static let operation = Operation.post(
      "/v1/attempts/{id}/finish", "Finish and grade an attempt", idempotency: .idempotent,
      problems: [.attemptNotFound]
    )
    public var id: AttemptID
    public init(id: AttemptID) { self.id = id }
  }

  public struct ListMistakes: Endpoint {
    public typealias Response = Page<AttemptQuestion>
    public static let operation = Operation.get(
      "/v1/attempts/{id}/mistakes", "List the questions of an attempt that were not answered correctly",
      problems: [.attemptNotFound, .attemptRunning, .solutionsHidden]
    )
    public var id: AttemptID
    public init(id: AttemptID) { self.id = id }
  }
}

extension Problem.Kind {
  public static let quizEmpty = Self(
    "quiz-empty", status: 409, "There are no cards to ask",
    meaning: "The study set and the options of the quiz leave no card to ask about.",
    remedy: "Add cards to the set, or choose options that include some.")
  public static let quizClosed = Self(
    "quiz-closed", status: 409, "The quiz cannot be taken now",
    meaning: "The quiz is a test that has not opened yet, or whose time is over.",
    remedy: "Show when the test is open, which the quiz says, and try again then.")
  public static let attemptNotFound = Self(
    "attempt-not-found", status: 404, "There is no such attempt",
    meaning: "The attempt does not exist, or belongs to a quiz that the caller may not see.",
    remedy: "Load the list of attempts again.")
  public static let attemptRunning = Self(
    "attempt-running", status: 409, "The attempt is not finished",
    meaning: "What was asked for exists only after the attempt is finished.",
    remedy: "Finish the attempt first.")
  public static let attemptFinished = Self(
    "attempt-finished", status: 409, "The attempt is finished",
    meaning: "Answers can no longer be given or changed.",
    remedy: "Show the result, and start a new attempt if another is allowed.")
  public static let attemptLimit = Self(
    "attempt-limit", status: 409, "No more attempts are allowed",
    meaning: "The caller has used every attempt that the quiz allows.",
    remedy: "Show the results of earlier attempts; only the owner of the quiz can allow more.")
  public static let solutionsHidden = Self(
    "solutions-hidden", status: 403, "The solutions are not shown yet",
    meaning: "The quiz shows its solutions later, or never.",
    remedy: "Show the score without the solutions, and try again after the test has closed.")
}
