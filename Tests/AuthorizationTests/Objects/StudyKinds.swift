import Contracts
import TestKit

extension MatrixFixtures {
  static let study = [studySet, deletedSet, card, quiz, attempt, workout, course]

  private static let studySet = MatrixKind(
    name: "study set", api: StudyAPI.self, path: "/v1/study-sets/{id}",
    harmless: [
      // They depend on more than the set: on media, a link, or an offer of the owner's.
      "POST /v1/study-sets/{id}/drafts", "POST /v1/study-sets/{id}/shares", "POST /v1/study-sets/{id}/ownership",
    ],
    bodies: [
      "POST /v1/study-sets/{id}/cards": #"{"front":"mine","back":"mine"}"#,
      "GET /v1/study-sets/{id}/export": "?format=csv",
      "POST /v1/study-sets/{id}/shares": #"{"role":"editor"}"#,
      "PATCH /v1/study-sets/{id}/shares/{userID}": #"{"role":"editor"}"#,
    ]
  ) { _, people in
    let set = try await newSet(people.owner)
    return .init(id: set.rawValue, view: "/v1/study-sets/\(set)")
  }

  /// A deleted set with the edits that it lost.
  private static let deletedSet = MatrixKind(
    name: "deleted set", api: StudyAPI.self, path: "/v1/sync/conflicts/{id}"
  ) { _, people in
    let set = try await newSet(people.owner)
    _ = try await newCard(people.owner, in: set)
    _ = try await people.owner.client.send(StudyAPI.DeleteSet(id: set))
    return .init(id: set.rawValue, view: "/v1/study-sets?deleted=true")
  }

  private static let card = MatrixKind(
    name: "card", api: StudyAPI.self, path: "/v1/cards/{id}",
    harmless: ["PUT /v1/cards/{id}/position"]
  ) { _, people in
    let card = try await newCard(people.owner, in: newSet(people.owner))
    return .init(id: card.rawValue, view: "/v1/cards/\(card)")
  }

  private static let quiz = MatrixKind(name: "quiz", api: StudyAPI.self, path: "/v1/quizzes/{id}") { _, people in
    let quiz = try await newQuiz(people.owner)
    return .init(id: quiz.rawValue, view: "/v1/quizzes/\(quiz)")
  }

  private static let attempt = MatrixKind(
    name: "attempt", api: StudyAPI.self, path: "/v1/attempts/{id}",
    harmless: ["POST /v1/attempts/{id}/answers"],
    bodies: ["POST /v1/attempts/{id}/answers": #"{"answers":[]}"#]
  ) { _, people in
    let quiz = try await newQuiz(people.owner)
    let attempt = try await people.owner.client.send(StudyAPI.StartAttempt(id: quiz))
    return .init(id: attempt.summary.id.rawValue, view: "/v1/attempts/\(attempt.summary.id)")
  }

  private static let workout = MatrixKind(
    name: "workout", api: StudyAPI.self, path: "/v1/workouts/{id}",
    harmless: ["DELETE /v1/workouts/{id}/reactions/{emoji}"]
  ) { _, people in
    let workout = try await people.owner.client.send(StudyAPI.StartWorkout(type: WorkoutTypeID(checked: "running")))
    return .init(id: workout.id.rawValue, view: "/v1/workouts/\(workout.id)")
  }

  private static let course = MatrixKind(
    name: "course", api: StudyAPI.self, path: "/v1/courses/{id}",
    harmless: [
      "POST /v1/courses/{course}/materials", "PUT /v1/courses/{course}/materials/order",
      "PUT /v1/courses/{course}/assignments/{assignment}/submission",
    ],
    bodies: [
      "POST /v1/courses/{course}/assignments": #"{"title":"Mine","points":10}"#,
      "POST /v1/courses/{course}/discussions": #"{"title":"Mine","text":"Mine"}"#,
      "POST /v1/courses/{course}/discussions/{discussion}/replies": #"{"text":"Mine"}"#,
      "PATCH /v1/courses/{course}/discussions/{discussion}/replies/{id}": #"{"text":"Mine"}"#,
      "POST /v1/courses/{id}/invitations": #"{"email":"eve@example.com"}"#,
      "POST /v1/courses/{course}/materials": #"{"title":"Mine"}"#,
      "PUT /v1/courses/{course}/materials/order": #"{"materials":[]}"#,
      "PUT /v1/courses/{course}/assignments/{assignment}/grades/{student}": #"{"isReturned":true}"#,
    ]
  ) { matrix, people in
    // Courses are for instructors, whom administrators appoint.
    guard let token = try await matrix.token(of: .owner, for: people.owner.id) else { throw TestKitError("no token") }
    let course = try await matrix.test.client.with(accessToken: token)
      .send(StudyAPI.CreateCourse(title: ShortText(validating: "Latin 101")))
    return .init(id: course.id.rawValue, view: "/v1/courses/\(course.id)")
  }

  private static func newSet(_ owner: TestUser) async throws -> StudySetID {
    try await owner.client.send(StudyAPI.CreateSet(title: SetTitle(validating: "Latin"))).id
  }

  private static func newCard(_ owner: TestUser, in set: StudySetID, _ front: String = "aqua") async throws -> CardID {
    let card = StudyAPI.CreateCard(id: set, front: CardText(checked: front), back: CardText(checked: "of \(front)"))
    return try await owner.client.send(card).id
  }

  private static func newQuiz(_ owner: TestUser) async throws -> QuizID {
    let set = try await newSet(owner)
    for front in ["aqua", "ignis", "terra", "ventus"] { _ = try await newCard(owner, in: set, front) }
    return try await owner.client.send(StudyAPI.CreateQuiz(sets: [set])).id
  }
}
