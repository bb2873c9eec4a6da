extension StudyAPI {
  static let statistics: [any Endpoint.Type] = []
}
