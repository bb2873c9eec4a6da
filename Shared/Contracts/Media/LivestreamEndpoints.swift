extension MediaAPI {
  static let livestreams: [any Endpoint.Type] = []
}
