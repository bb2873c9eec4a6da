extension MediaAPI {
  static let uploads: [RawRoute] = []
}
