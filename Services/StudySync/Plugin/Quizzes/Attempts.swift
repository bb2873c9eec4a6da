import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Attempts at quizzes: started, answered, resumed and finished, by the server's clock.
struct Attempts: Feature {
  let core: StudyCore
  private let finisher: AttemptFinisher
  private let quizzes: QuizStore
  private let cards: QuizCards

  private static let maxRunning = 100
  /// Attempts that one user starts.
  private static let limit = RateLimit(100, per: 86_400, pause: .untilOneIsForgotten)

  init(_ core: StudyCore) {
    self.core = core
    finisher = AttemptFinisher(core)
    quizzes = QuizStore(keys: core.keys)
    cards = QuizCards(core: core)
  }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.StartAttempt.self, start)
    routes.on(StudyAPI.ListAttempts.self) { request, call in try await list(request, of: call.user.id) }
    routes.on(StudyAPI.GetAttempt.self) { request, call in try await get(request.id, of: call.user.id) }
    routes.on(StudyAPI.AnswerQuestions.self) { request, call in try await answer(request, by: call.user.id) }
    routes.on(StudyAPI.FinishAttempt.self) { request, call in
      let (user, now) = (try call.user.id, core.time.now())
      return try await core.database.write { tx in
        _ = try find(request.id, of: user, in: tx)
        return try view(finisher.finish(request.id, at: now, in: tx), at: now, in: tx)
      }
    }
    routes.on(StudyAPI.ListMistakes.self) { request, call in try await mistakes(of: request.id, of: call.user.id) }
  }

  // MARK: starting

  private func start(_ request: StudyAPI.StartAttempt, _ call: Call) async throws -> QuizAttempt {
    let (user, now, id) = (try call.user.id, core.time.now(), core.ids.make(AttemptID.self))
    let (quiz, access, only) = try await core.database.read { db in
      let (quiz, access) = try self.access(to: request.id, of: user, at: now, in: db)
      // Their solutions may have been shown.
      guard request.mistakesOf == nil || access.rules == nil else {
        let message = "is not for tests of courses"
        throw Problem(.invalidRequest, errors: [.init(location: "body.mistakesOf", message: message)])
      }
      return (quiz, access, try request.mistakesOf.map { try mistakenCards(of: $0, quiz, user, at: now, in: db) })
    }
    let seed = quiz.seed.map { UInt64($0.value) } ?? id.randomBits
    let questions = try await cards.questions(of: quiz, on: access.sets, seed: seed, only: only)
    guard !questions.isEmpty else { throw Problem(.quizEmpty) }
    let limit = quiz.timeLimitSeconds.map { now.advanced(bySeconds: Double($0.value)) }
    let attempt = StoredAttempt(
      id: id, quiz: quiz.id, user: user, sets: access.sets,
      sealedQuestions: try finisher.attempts.seal(questions, of: id), questionCount: questions.count, startedAt: now,
      deadline: [limit, access.rules?.closesAt].compactMap { $0 }.min(), finishedAt: nil, grades: [],
      utcOffsetMinutes: request.utcOffsetMinutes?.value ?? 0, mistakesOf: request.mistakesOf,
      isTest: access.rules != nil)
    return try await core.database.write { tx in
      // The stored response is not encrypted, so it is the id only.
      let id = try tx.idempotent(call.idempotencyKey) {
        // The user's access may have changed since the cards were read.
        guard try self.access(to: quiz.id, of: user, at: now, in: tx).1.sets == access.sets else {
          throw Problem(.quizNotFound)
        }
        return try insert(attempt, access.rules, in: tx)
      }
      return try view(find(id, of: user, in: tx), at: now, in: tx)
    }
  }

  private func insert(_ attempt: StoredAttempt, _ rules: AttemptRules?, in tx: Transaction) throws -> AttemptID {
    let (user, quiz) = (attempt.user, attempt.quiz)
    for overdue in try AttemptStore.overdue(of: user, at: attempt.startedAt, in: tx) {
      try finisher.finish(overdue, at: attempt.startedAt, in: tx)
    }
    if let rules {
      if let running = try AttemptStore.list(of: user, quiz: quiz, status: .running, limit: 1, in: tx).first {
        return running.id
      }
      if let allowed = rules.attempts, try AttemptStore.count(of: user, quiz: quiz, in: tx) >= allowed {
        throw Problem(.attemptLimit)
      }
    }
    guard try AttemptStore.countRunning(of: user, in: tx) < Self.maxRunning else { throw Problem(.attemptLimit) }
    try StoredLimit(Self.limit, of: user.rawValue, for: "quiz-attempt", core.keys).require(in: tx)
    try AttemptStore.insert(attempt, in: tx)
    return attempt.id
  }

  private func access(to id: QuizID, of user: UserID, at now: Timestamp, in db: any Connection) throws
    -> (Quiz, QuizAccess)
  {
    guard let quiz = try quizzes.find(id, in: db),
      let access = try QuizAccess.find(quiz, user, core, at: now, in: db)
    else { throw Problem(.quizNotFound) }
    if let rules = access.rules {
      guard rules.opensAt.map({ $0 <= now }) ?? true, rules.closesAt.map({ now < $0 }) ?? true else {
        throw Problem(.quizClosed)
      }
    }
    return (quiz, access)
  }

  private func mistakenCards(
    of id: AttemptID, _ quiz: Quiz, _ user: UserID, at now: Timestamp, in db: any Connection
  ) throws -> Set<CardID> {
    let attempt = try find(id, of: user, in: db)
    guard attempt.quiz == quiz.id else { throw Problem(.attemptNotFound) }
    return Set(try reviewed(attempt, at: now, in: db).map(\.card))
  }

  // MARK: reading

  private func find(_ id: AttemptID, of user: UserID, in db: any Connection) throws -> StoredAttempt {
    guard let attempt = try AttemptStore.find(id, in: db), attempt.user == user else {
      throw Problem(.attemptNotFound)
    }
    return attempt
  }

  private func get(_ id: AttemptID, of user: UserID) async throws -> QuizAttempt {
    let now = core.time.now()
    let isOverdue = try await core.database.read { db in
      let attempt = try find(id, of: user, in: db)
      return attempt.finishedAt == nil && attempt.isOver(at: now)
    }
    if isOverdue { try await core.database.write { tx in _ = try finisher.finish(id, at: now, in: tx) } }
    return try await core.database.read { db in try view(find(id, of: user, in: db), at: now, in: db) }
  }

  private func list(_ request: StudyAPI.ListAttempts, of user: UserID) async throws -> Page<AttemptSummary> {
    let (page, now) = (try request.page(by: AttemptID.self), core.time.now())
    if try await !core.database.read({ db in try AttemptStore.overdue(of: user, at: now, in: db).isEmpty }) {
      try await core.database.write { tx in
        for id in try AttemptStore.overdue(of: user, at: now, in: tx) { try finisher.finish(id, at: now, in: tx) }
      }
    }
    return try await core.database.read { db in
      let found = try page.fetch(
        {
          try AttemptStore.list(
            of: user, quiz: request.quiz, set: request.set, status: request.status, before: $0, limit: $1, in: db)
        }, key: \.id)
      let titles = try quizzes.titles(of: found.rows.map(\.quiz), in: db)
      let counts = try AnswerStore.counts(of: found.rows.map(\.id), in: db)
      let hidden = try hidingQuizzes(found.rows, at: now, in: db)
      return found.with(
        found.rows.map {
          $0.summary(
            title: titles[$0.quiz], answered: counts[$0.id] ?? 0, hides: $0.isTest && hidden.contains($0.quiz), at: now)
        })
    }
  }

  /// The quizzes of tests among attempts of one user whose solutions may not be seen now.
  private func hidingQuizzes(_ attempts: [StoredAttempt], at now: Timestamp, in db: any Connection) throws
    -> Set<QuizID>
  {
    var hiding: Set<QuizID> = []
    for (quiz, attempts) in Dictionary(grouping: attempts.filter(\.isTest), by: \.quiz) {
      guard let user = attempts.first?.user else { continue }
      let rules = try QuizAccess.rules(for: quiz, user, core, at: now, in: db)
      if rules?.showsSolutions != true { hiding.insert(quiz) }
    }
    return hiding
  }

  private func view(_ attempt: StoredAttempt, at now: Timestamp, in db: any Connection) throws -> QuizAttempt {
    let given = try finisher.answers.list(of: attempt.id, in: db)
    let hides = try !hidingQuizzes([attempt], at: now, in: db).isEmpty
    let title = try quizzes.titles(of: [attempt.quiz], in: db)[attempt.quiz]
    let shows = attempt.finishedAt != nil && !hides
    let questions = try finisher.attempts.open(attempt).enumerated().map { number, question in
      let grade = shows && attempt.grades.indices.contains(number) ? attempt.grades[number] : nil
      return question.view(number, given[number], grade: grade)
    }
    return QuizAttempt(
      summary: attempt.summary(title: title, answered: given.count, hides: hides, at: now), questions: questions)
  }

  // MARK: mistakes

  private func mistakes(of id: AttemptID, of user: UserID) async throws -> Page<AttemptQuestion> {
    let now = core.time.now()
    return try await core.database.read { db in Page(items: try reviewed(find(id, of: user, in: db), at: now, in: db)) }
  }

  /// The questions of a finished attempt that were not answered correctly.
  private func reviewed(_ attempt: StoredAttempt, at now: Timestamp, in db: any Connection) throws -> [AttemptQuestion]
  {
    guard attempt.finishedAt != nil else { throw Problem(.attemptRunning) }
    let view = try view(attempt, at: now, in: db)
    guard !view.summary.hidesSolutions else { throw Problem(.solutionsHidden) }
    return view.questions.filter { $0.solution?.grade.isRight == false }
  }

  // MARK: answering

  private func answer(_ request: StudyAPI.AnswerQuestions, by user: UserID) async throws -> AttemptSummary {
    guard request.answers.count <= QuestionCount.range.upperBound else {
      let message = "must be at most \(QuestionCount.range.upperBound)"
      throw Problem(.invalidRequest, errors: [.init(location: "body.answers", message: message)])
    }
    let received = core.time.now()
    let summary = try await core.database.write { tx -> AttemptSummary? in
      let attempt = try find(request.id, of: user, in: tx)
      guard !attempt.isOver(at: received) else {
        try finisher.finish(attempt.id, at: received, in: tx)
        return nil
      }
      try save(request.answers, to: attempt, in: tx)
      return try view(attempt, at: received, in: tx).summary
    }
    // After the commit, because the attempt may have been finished here.
    guard let summary else { throw Problem(.attemptFinished) }
    return summary
  }

  private func save(_ answers: [NumberedAnswer], to attempt: StoredAttempt, in tx: Transaction) throws {
    let questions = try finisher.attempts.open(attempt)
    for (index, given) in answers.enumerated() {
      func refuse(_ member: String, _ message: String) -> Problem {
        Problem(.invalidRequest, errors: [.init(location: "body.answers[\(index)].\(member)", message: message)])
      }
      guard questions.indices.contains(given.number) else { throw refuse("number", "is not the number of a question") }
      if let answer = given.answer, let violation = questions[given.number].violation(by: answer) {
        throw refuse("answer", violation)
      }
      try finisher.answers.save(given.answer, to: given.number, of: attempt.id, in: tx)
    }
  }

  // MARK: time

  var workers: [any Service] {
    let overdue = PeriodicTask("quizzes.finish-overdue", per: .platform, every: .seconds(2), logger: core.logger) {
      try await finishOverdue()
    }
    return [overdue]
  }

  private func finishOverdue() async throws {
    let now = core.time.now()
    for id in try await core.database.read({ db in try AttemptStore.overdue(at: now, limit: 500, in: db) }) {
      do {
        try await core.database.write { tx in _ = try finisher.finish(id, at: now, in: tx) }
      } catch {
        // The others must not wait for one that cannot be read.
        core.logger.error("an attempt could not be finished", metadata: ["attempt": "\(id)", "error": "\(error)"])
      }
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let now = core.time.now()
    let attempts = try AttemptStore.list(of: user, limit: 100_000, in: db).map(\.id)
    let views = try attempts.map { try JSONValue(view(find($0, of: user, in: db), at: now, in: db)) }
    return [("quizAttempts", .array(views))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try AnswerStore.delete(of: user, in: tx)
    try AttemptStore.delete(of: user, in: tx)
  }
}

extension StoredAttempt {
  func summary(title: ShortText?, answered: Int, hides: Bool, at now: Timestamp) -> AttemptSummary {
    AttemptSummary(
      id: id, quizID: quiz, title: title, sets: sets, status: finishedAt == nil ? .running : .finished,
      startedAt: startedAt, deadline: deadline,
      secondsLeft: finishedAt == nil ? deadline.map { max(0, $0.seconds(since: now)) } : nil, finishedAt: finishedAt,
      questionCount: questionCount, answered: answered, mistakesOf: mistakesOf, result: result, hidesSolutions: hides)
  }
}

extension AttemptID {
  /// The last bits of the UUID, which are random.
  fileprivate var randomBits: UInt64 {
    UInt64(rawValue.filter { $0 != "-" }.suffix(15), radix: 16) ?? 0
  }
}
