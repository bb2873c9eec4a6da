extension StudyAPI {
  static let quizzes: [any Endpoint.Type] = []
}
