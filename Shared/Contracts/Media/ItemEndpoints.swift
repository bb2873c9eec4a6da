extension MediaAPI {
  static let items: [any Endpoint.Type] = []
}

extension Problem.Kind {
  public static let mediaNotFound = Self("media-not-found", status: 404, "There is no such medium")
  public static let mediaNotReady = Self("media-not-ready", status: 409, "The medium is not ready to be used")
  public static let mediaInUse = Self("media-in-use", status: 409, "The medium is used in something")
  public static let mediaTypeUnsupported = Self(
    "media-type-unsupported", status: 415, "Files of this type are not accepted")
}
