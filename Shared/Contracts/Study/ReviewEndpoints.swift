extension StudyAPI {
  static let reviews: [any Endpoint.Type] = []
}
