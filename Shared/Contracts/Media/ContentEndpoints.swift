/// Users' files. Callers without a token load what is public, or what a link allows (``MediaAPI/LinkMedia``): `by`,
/// `expires` and `signature` are its query.
extension MediaAPI {
  static let content: [any Endpoint.Type] = [
    GetContent.self, GetPreview.self, GetPoster.self, GetWaveform.self, GetStreamFile.self,
  ]

  private static let contentProblems: [Problem.Kind] = [.mediaNotFound, .mediaNotReady, .mediaNotLicensed]

  /// The owner's token loads the file as it was uploaded; everyone else, and links, of pictures and videos a copy
  /// without what a camera has written into it.
  public struct GetContent: Endpoint {
    public typealias Response = StoredBytes
    public static let operation = Operation.get(
      "/v1/media/{id}/content", "Get the content of a media item", access: .anyone,
      problems: contentProblems + [.fileNotLicensed, .rangeNotSatisfiable])
    public var id: MediaID
    public var by: UserID?
    public var expires: Int64?
    public var signature: String?
    /// The file of a licensed recording; by default the best one that the caller's licenses name.
    public var file: LicensedFile?
    /// In the links that orders creates, with the recording's seller.
    public var license: LicenseID?
    public var seller: String?
    /// Whether browsers are to save it instead of showing it.
    public var download: Bool?
    public init(
      id: MediaID, by: UserID? = nil, expires: Int64? = nil, signature: String? = nil, file: LicensedFile? = nil,
      license: LicenseID? = nil, seller: String? = nil, download: Bool? = nil
    ) {
      (self.id, self.by, self.expires, self.signature) = (id, by, expires, signature)
      (self.file, self.license, self.seller, self.download) = (file, license, seller, download)
    }
  }

  /// With a tag that is heard, for those who have not bought the recording.
  public struct GetPreview: Endpoint {
    public typealias Response = StoredBytes
    public static let operation = Operation.get(
      "/v1/media/{id}/preview", "Get the preview of a recording", access: .anyone,
      problems: contentProblems + [.rangeNotSatisfiable])
    public var id: MediaID
    public var by: UserID?
    public var expires: Int64?
    public var signature: String?
    public init(id: MediaID, by: UserID? = nil, expires: Int64? = nil, signature: String? = nil) {
      (self.id, self.by, self.expires, self.signature) = (id, by, expires, signature)
    }
  }

  public struct GetPoster: Endpoint {
    public typealias Response = StoredBytes
    public static let operation = Operation.get(
      "/v1/media/{id}/poster", "Get a picture of a video", access: .anyone,
      problems: contentProblems + [.rangeNotSatisfiable])
    public var id: MediaID
    public var by: UserID?
    public var expires: Int64?
    public var signature: String?
    public init(id: MediaID, by: UserID? = nil, expires: Int64? = nil, signature: String? = nil) {
      (self.id, self.by, self.expires, self.signature) = (id, by, expires, signature)
    }
  }

  /// In the JSON format of audiowaveform, version 2.
  public struct GetWaveform: Endpoint {
    public typealias Response = StoredBytes
    public static let operation = Operation.get(
      "/v1/media/{id}/waveform", "Get the waveform of a recording", access: .anyone,
      problems: contentProblems + [.rangeNotSatisfiable])
    public var id: MediaID
    /// `256`, `1024` (by default) or `4096` samples for each pair of numbers.
    public var samplesPerPixel: Int?
    public var by: UserID?
    public var expires: Int64?
    public var signature: String?
    public init(
      id: MediaID, samplesPerPixel: Int? = nil, by: UserID? = nil, expires: Int64? = nil, signature: String? = nil
    ) {
      (self.id, self.samplesPerPixel) = (id, samplesPerPixel)
      (self.by, self.expires, self.signature) = (by, expires, signature)
    }
  }

  /// HTTP Live Streaming (RFC 8216); begins with `master.m3u8`. A playlist that is loaded by a link links its files.
  public struct GetStreamFile: Endpoint {
    public typealias Response = StoredBytes
    public static let operation = Operation.get(
      "/v1/media/{id}/hls/{file}", "Get a playlist or a segment of a video", access: .anyone,
      problems: contentProblems + [.rangeNotSatisfiable])
    public var id: MediaID
    public var file: String
    public var by: UserID?
    public var expires: Int64?
    public var signature: String?
    public init(id: MediaID, file: String, by: UserID? = nil, expires: Int64? = nil, signature: String? = nil) {
      (self.id, self.file, self.by, self.expires, self.signature) = (id, file, by, expires, signature)
    }
  }
}
