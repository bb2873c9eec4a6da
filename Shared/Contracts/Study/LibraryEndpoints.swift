extension StudyAPI {
  static let library: [any Endpoint.Type] = []
}
