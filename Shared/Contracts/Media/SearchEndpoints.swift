extension MediaAPI {
  static let search: [any Endpoint.Type] = []
}
