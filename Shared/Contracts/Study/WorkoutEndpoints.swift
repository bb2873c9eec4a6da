extension StudyAPI {
  static let workouts: [any Endpoint.Type] = []
}
