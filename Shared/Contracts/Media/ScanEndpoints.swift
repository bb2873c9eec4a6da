extension MediaAPI {
  static let scans: [any Endpoint.Type] = [
    StartScan.self, GetScan.self, ListScannedPages.self, ListScannedPagesOfUser.self,
  ]

  /// Starts the scan of a picture, or of a PDF file of up to 300 pages. Allowed for the owner, whose stream reports the
  /// progress by `scan.changed` events. A scan that has not failed is not repeated.
  public struct StartScan: Endpoint {
    public typealias Response = Scan
    public static let operation = Operation.post(
      "/v1/media/{id}/scan", "Start a text scan of a media item", idempotency: .idempotent, success: 202,
      problems: [.mediaNotFound, .mediaNotReady, .mediaNotScannable])
    public var id: MediaID
    public init(id: MediaID) { self.id = id }
  }

  public struct GetScan: Endpoint {
    public typealias Response = Scan
    public static let operation = Operation.get(
      "/v1/media/{id}/scan", "Get the state of a scan", problems: [.mediaNotFound, .scanNotFound], caching: .own)
    public var id: MediaID
    public init(id: MediaID) { self.id = id }
  }

  /// In their order, up to the first page that is not recognized yet: the list is complete when the scan is `ready`.
  public struct ListScannedPages: PagedEndpoint {
    public typealias Response = Page<ScannedPage>
    public static let operation = Operation.get(
      "/v1/media/{id}/scan/pages", "List the scanned pages of a media item", problems: [.mediaNotFound, .scanNotFound],
      caching: .own)
    public var id: MediaID
    public var limit: PageSize?
    public var cursor: String?
    public init(id: MediaID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.id, self.limit, self.cursor) = (id, limit, cursor)
    }
  }

  /// Internal, for study-sync, which makes drafts of cards of the text. Only of a scan that is `ready`: the end of the
  /// list is then the end of the media item.
  public struct ListScannedPagesOfUser: PagedEndpoint {
    public typealias Response = Page<ScannedPage>
    public static let operation = Operation.get(
      "/internal/v1/media/{id}/scan/pages", "List the scanned pages of a user's media item",
      access: .services(StudyAPI.self),
      problems: [.mediaNotFound, .scanNotFound, .mediaNotReady], limits: .init(seconds: 10))
    public var id: MediaID
    public var user: UserID
    public var limit: PageSize?
    public var cursor: String?
    public init(id: MediaID, user: UserID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.id, self.user, self.limit, self.cursor) = (id, user, limit, cursor)
    }
  }
}

extension Problem.Kind {
  public static let scanNotFound = Self(
    "scan-not-found", status: 404, "The media item has not been scanned",
    meaning: "No scan of the media item was asked for.",
    remedy: "Start a scan first.")
  public static let mediaNotScannable = Self(
    "media-not-scannable", status: 422, "Only pictures and PDF files are scanned",
    meaning: "Text is recognized in pictures and PDF files only.",
    remedy: "Ask for a picture or a PDF file.")
}
