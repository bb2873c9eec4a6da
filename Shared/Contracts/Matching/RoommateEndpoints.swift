extension MatchingAPI {
  static let roommates: [any Endpoint.Type] = []
}
