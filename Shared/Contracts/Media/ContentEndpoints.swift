extension MediaAPI {
  static let content: [any Endpoint.Type] = []
}
