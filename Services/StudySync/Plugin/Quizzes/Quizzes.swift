import Contracts
import Persistence
import ServiceKit

/// Quizzes of study sets.
struct Quizzes: Feature {
  private let core: StudyCore
  private let store: QuizStore

  private static let maxSets = 20
  private static let maxQuizzes = 1000

  init(_ core: StudyCore) {
    self.core = core
    store = QuizStore(keys: core.keys)
  }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ListQuizzes.self) { request, call in try await list(request, for: call.user.id) }
    routes.on(StudyAPI.CreateQuiz.self, create)
    routes.on(StudyAPI.GetQuiz.self) { request, call in
      let user = try call.user.id
      return try await core.database.read { db in try find(request.id, for: user, in: db).seen(by: user) }
    }
    routes.on(StudyAPI.UpdateQuiz.self) { request, call in try await update(request, by: call.user.id) }
    routes.on(StudyAPI.DeleteQuiz.self) { request, call -> Void in
      let user = try call.user.id
      try await core.database.write { tx in
        _ = try own(request.id, of: user, in: tx)
        try QuizStore.delete(request.id, in: tx)
      }
    }
  }

  private func list(_ request: StudyAPI.ListQuizzes, for user: UserID) async throws -> Page<Quiz> {
    let page = try request.page(by: QuizID.self)
    return try await core.database.read { db in
      let found = try page.fetch(
        { try store.list(of: user, set: request.set, before: $0, limit: $1, in: db) }, key: \.id)
      return found.with(found.rows.map { $0.seen(by: user) })
    }
  }

  /// - Throws: ``Problem`` when the user may not know of the quiz.
  private func find(_ id: QuizID, for user: UserID, in db: any Connection) throws -> Quiz {
    guard let quiz = try store.find(id, in: db),
      try quiz.ownerID == user || QuizAccess.find(quiz, user, core, at: core.time.now(), in: db) != nil
    else { throw Problem(.quizNotFound) }
    return quiz
  }

  private func own(_ id: QuizID, of user: UserID, in db: any Connection) throws -> Quiz {
    let quiz = try find(id, for: user, in: db)
    guard quiz.ownerID == user else { throw Problem(.forbidden) }
    return quiz
  }

  private func create(_ request: StudyAPI.CreateQuiz, _ call: Call) async throws -> Quiz {
    let user = try call.user.id
    let quiz = Quiz(
      id: core.ids.make(), ownerID: user, title: request.title, sets: request.sets,
      questionCount: request.questionCount ?? QuestionCount(checked: 20), timeLimitSeconds: request.timeLimitSeconds,
      kinds: request.kinds ?? QuizKind.allCases, direction: request.direction ?? .frontToBack, seed: request.seed,
      isShared: request.isShared ?? false, createdAt: core.time.now(), version: 1)
    return try await core.database.write { [store] tx in
      // The stored response is not encrypted, so it is the id only.
      let id = try tx.idempotent(call.idempotencyKey) {
        try Self.check(quiz, in: tx)
        guard try QuizStore.count(of: user, in: tx) < Self.maxQuizzes else { throw Problem(.quizLimit) }
        try store.save(quiz, in: tx)
        return quiz.id
      }
      return try find(id, for: user, in: tx)
    }
  }

  private func update(_ request: StudyAPI.UpdateQuiz, by user: UserID) async throws -> Quiz {
    try await core.database.write { [store] tx in
      var quiz = try own(request.id, of: user, in: tx)
      try request.ifMatch?.require(quiz.version)
      quiz.title = request.title.applied(to: quiz.title)
      quiz.questionCount = request.questionCount ?? quiz.questionCount
      quiz.timeLimitSeconds = request.timeLimitSeconds.applied(to: quiz.timeLimitSeconds)
      quiz.direction = request.direction ?? quiz.direction
      quiz.seed = request.seed.applied(to: quiz.seed)
      quiz.isShared = request.isShared ?? quiz.isShared
      if let kinds = request.kinds { quiz.kinds = kinds }
      if let sets = request.sets { quiz.sets = sets }
      // A set that the quiz had may have been deleted meanwhile.
      try Self.check(quiz, checksSets: request.sets != nil, in: tx)
      quiz.version += 1
      try store.save(quiz, in: tx)
      return quiz
    }
  }

  private static func check(_ quiz: Quiz, checksSets: Bool = true, in db: any Connection) throws {
    func refuse(_ location: String, _ message: String) -> Problem {
      Problem(.invalidRequest, errors: [.init(location: "body.\(location)", message: message)])
    }
    guard !quiz.kinds.isEmpty, Set(quiz.kinds).count == quiz.kinds.count else {
      throw refuse("kinds", "must be different kinds, at least one")
    }
    guard checksSets else { return }
    guard (1...maxSets).contains(quiz.sets.count), Set(quiz.sets).count == quiz.sets.count else {
      throw refuse("sets", "must be 1 to \(maxSets) different sets")
    }
    let visible = try QuizAccess.visible(quiz.sets, to: quiz.ownerID, in: db)
    guard let hidden = quiz.sets.firstIndex(where: { !visible.contains($0) }) else { return }
    throw refuse("sets[\(hidden)]", "does not exist")
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("quizzes", try JSONValue(store.list(by: user, in: db)))]
  }

  /// After the attempts, which refer to them.
  func erase(_ user: UserID, in tx: Transaction) throws { try QuizStore.delete(of: user, in: tx) }
}

extension Quiz {
  /// The seed would reveal to others what is asked.
  func seen(by user: UserID) -> Quiz {
    var quiz = self
    if user != ownerID { quiz.seed = nil }
    return quiz
  }
}
