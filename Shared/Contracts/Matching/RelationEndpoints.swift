extension MatchingAPI {
  static let relations: [any Endpoint.Type] = []
}
