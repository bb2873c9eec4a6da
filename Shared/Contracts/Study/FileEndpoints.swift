extension StudyAPI {
  static let files: [any Endpoint.Type] = []
}
