extension MediaAPI {
  static let items: [any Endpoint.Type] = []
}
