extension StudyAPI {
  static let sharing: [any Endpoint.Type] = []
}
