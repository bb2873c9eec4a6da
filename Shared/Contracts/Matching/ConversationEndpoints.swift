extension MatchingAPI {
  static let conversations: [any Endpoint.Type] = []
}
