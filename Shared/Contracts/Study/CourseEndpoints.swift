extension StudyAPI {
  static let courses: [any Endpoint.Type] = []
}
