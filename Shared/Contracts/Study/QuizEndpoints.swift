extension StudyAPI {
  static let quizzes: [any Endpoint.Type] = [
    ListQuizzes.self, CreateQuiz.self, GetQuiz.self, UpdateQuiz.self, DeleteQuiz.self,
    StartAttempt.self, ListAttempts.self, GetAttempt.self, AnswerQuestions.self, FinishAttempt.self, ListMistakes.self,
  ]

  /// The caller's quizzes and shared ones of sets that the caller sees, newest first.
  public struct ListQuizzes: PagedEndpoint {
    public typealias Response = Page<Quiz>
    public static let operation = Operation.get("/v1/quizzes", "List quizzes")
    /// Only quizzes that ask cards of the set.
    public var set: StudySetID?
    public var limit: PageSize?
    public var cursor: String?
    public init(set: StudySetID? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.set, self.limit, self.cursor) = (set, limit, cursor)
    }
  }

  public struct CreateQuiz: Endpoint {
    public typealias Response = Quiz
    public static let operation = Operation.post(
      "/v1/quizzes", "Create a quiz from study sets", idempotency: .acceptsKey, success: 201,
      problems: [.quizLimit]
    )
    public var title: ShortText?
    /// 1 to 20 sets that the caller sees.
    public var sets: [StudySetID]
    /// 20 by default.
    public var questionCount: QuestionCount?
    public var timeLimitSeconds: TimeLimit?
    /// In turn; all by default.
    public var kinds: [QuizKind]?
    public var direction: QuizDirection?
    public var seed: QuizSeed?
    /// `false` by default.
    public var isShared: Bool?
    public init(
      title: ShortText? = nil, sets: [StudySetID], questionCount: QuestionCount? = nil,
      timeLimitSeconds: TimeLimit? = nil, kinds: [QuizKind]? = nil, direction: QuizDirection? = nil,
      seed: QuizSeed? = nil, isShared: Bool? = nil
    ) {
      (self.title, self.sets, self.questionCount) = (title, sets, questionCount)
      (self.timeLimitSeconds, self.kinds, self.direction) = (timeLimitSeconds, kinds, direction)
      (self.seed, self.isShared) = (seed, isShared)
    }
  }

  public struct GetQuiz: Endpoint {
    public typealias Response = Quiz
    public static let operation = Operation.get("/v1/quizzes/{id}", "Get a quiz", problems: [.quizNotFound])
    public var id: QuizID
    public init(id: QuizID) { self.id = id }
  }

  /// Attempts that have started do not change. For the owner.
  public struct UpdateQuiz: Endpoint {
    public typealias Response = Quiz
    public static let operation = Operation.patch(
      "/v1/quizzes/{id}", "Update a quiz", idempotency: .idempotent, problems: [.quizNotFound]
    )
    public var id: QuizID
    public var title: Patch<ShortText>
    public var sets: [StudySetID]?
    public var questionCount: QuestionCount?
    public var timeLimitSeconds: Patch<TimeLimit>
    public var kinds: [QuizKind]?
    public var direction: QuizDirection?
    public var seed: Patch<QuizSeed>
    public var isShared: Bool?
    public var ifMatch: EntityTag?
    public init(
      id: QuizID, title: Patch<ShortText> = .keep, sets: [StudySetID]? = nil, questionCount: QuestionCount? = nil,
      timeLimitSeconds: Patch<TimeLimit> = .keep, kinds: [QuizKind]? = nil, direction: QuizDirection? = nil,
      seed: Patch<QuizSeed> = .keep, isShared: Bool? = nil, ifMatch: EntityTag? = nil
    ) {
      (self.id, self.title, self.sets, self.questionCount) = (id, title, sets, questionCount)
      (self.timeLimitSeconds, self.kinds, self.direction) = (timeLimitSeconds, kinds, direction)
      (self.seed, self.isShared, self.ifMatch) = (seed, isShared, ifMatch)
    }
  }

  /// Attempts stay. For the owner.
  public struct DeleteQuiz: Endpoint {
    public static let operation = Operation.delete(
      "/v1/quizzes/{id}", "Delete a quiz", success: 204, problems: [.quizNotFound]
    )
    public var id: QuizID
    public init(id: QuizID) { self.id = id }
  }
}

extension Problem.Kind {
  public static let quizNotFound = Self(
    "quiz-not-found", status: 404, "There is no such quiz",
    meaning: "The quiz does not exist, was deleted, or the caller may not see it.",
    remedy: "Load the list of quizzes again.")
  public static let quizLimit = Self(
    "quiz-limit", status: 409, "The limit of quizzes is reached",
    meaning: "The user has reached the limit of quizzes.",
    remedy: "Let the user delete a quiz first.")
}
