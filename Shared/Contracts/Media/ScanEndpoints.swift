extension MediaAPI {
  static let scans: [any Endpoint.Type] = []
}
