extension StudyAPI {
  static let sets: [any Endpoint.Type] = []
}
