extension MediaAPI {
  static let pictures: [any Endpoint.Type] = [GetThumbnail.self, GetPictureCrop.self, CropPicture.self]

  /// Allowed for everyone who may load the media item; for those who may load its preview, up to 640 pixels.
  public struct GetThumbnail: Endpoint {
    public typealias Response = StoredBytes
    public static let operation = Operation.get(
      "/v1/media/{id}/thumbnail", "Get a thumbnail of a media item", access: .anyone,
      problems: [.mediaNotFound, .mediaNotReady, .rangeNotSatisfiable])
    public var id: MediaID
    /// At least this many pixels if the picture has them; 320 by default. One of a few prepared sizes is sent.
    public var width: PictureLength?
    /// The format; by default WebP for clients whose `Accept` names it, otherwise JPEG.
    public var format: ThumbnailFormat?
    /// The user of a link (``LinkMedia``).
    public var by: UserID?
    public var expires: Int64?
    public var signature: String?
    public init(id: MediaID, width: PictureLength? = nil, format: ThumbnailFormat? = nil) {
      (self.id, self.width, self.format) = (id, width, format)
    }
  }

  /// Allowed for the owner.
  public struct GetPictureCrop: Endpoint {
    public typealias Response = CroppedPicture
    public static let operation = Operation.get(
      "/v1/media/{id}/crop", "Get the crop of a picture", problems: [.mediaNotFound, .mediaNotReady])
    public var id: MediaID
    public init(id: MediaID) { self.id = id }
  }

  /// Allowed for the owner. The uploaded picture is kept; what others see of it is made again, which
  /// `media.changed` reports.
  public struct CropPicture: Endpoint {
    public typealias Response = Media
    public static let operation = Operation.put(
      "/v1/media/{id}/crop", "Rotate and crop a picture",
      problems: [.mediaNotFound, .mediaNotReady, .storageQuotaExceeded])
    public var id: MediaID
    public var ifMatch: EntityTag?
    public var quarterTurns: QuarterTurns?
    public var rectangle: PictureRectangle?
    public init(
      id: MediaID, ifMatch: EntityTag? = nil, quarterTurns: QuarterTurns? = nil, rectangle: PictureRectangle? = nil
    ) {
      (self.id, self.ifMatch, self.quarterTurns, self.rectangle) = (id, ifMatch, quarterTurns, rectangle)
    }
  }
}
