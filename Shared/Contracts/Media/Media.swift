public enum MediaSubject {}
public typealias MediaID = ID<MediaSubject>

/// A picture, recording, video or document with what is derived from it, as its caller sees it.
public struct Media: Codable, Sendable, Equatable, Versioned {
  public var id: MediaID
  public var owner: UserID
  public var kind: MediaKind
  public var state: MediaState
  /// The reason why it could not be processed; in the state `ready`, why a crop could not be applied.
  public var failure: MediaFailure?
  public var visibility: MediaVisibility
  /// The type by its content, such as `video/mp4`; never by its name.
  public var contentType: String
  /// The size of the uploaded file, for callers who may load it.
  public var bytes: Int64?
  /// The hash of the uploaded file, in hexadecimal digits, for callers who may load it.
  public var sha256: String?
  public var title: ShortText?
  public var description: LongText?
  public var tags: [Tag]
  /// The type of workout that a video shows, such as `yoga`.
  public var workoutType: WorkoutTypeID?
  /// The product type that a video is about.
  public var productType: Slug?
  /// The link to the video, when it is stored elsewhere.
  public var link: VideoLink?
  /// The duration of playable media.
  public var milliseconds: Int64?
  /// Pixels, in the orientation in which it is shown.
  public var width: Int?
  public var height: Int?
  /// A picture of about 25 bytes to show until it is loaded, in base64.
  public var thumbHash: String?
  public var createdAt: Timestamp
  /// Incremented on every change.
  public var version: Int

  public init(
    id: MediaID, owner: UserID, kind: MediaKind, state: MediaState, failure: MediaFailure? = nil,
    visibility: MediaVisibility, contentType: String, bytes: Int64? = nil, sha256: String? = nil,
    title: ShortText? = nil,
    description: LongText? = nil, tags: [Tag] = [], workoutType: WorkoutTypeID? = nil, productType: Slug? = nil,
    link: VideoLink? = nil, milliseconds: Int64? = nil, width: Int? = nil, height: Int? = nil,
    thumbHash: String? = nil, createdAt: Timestamp, version: Int
  ) {
    (self.id, self.owner, self.kind, self.state, self.failure) = (id, owner, kind, state, failure)
    (self.visibility, self.contentType, self.bytes, self.sha256) = (visibility, contentType, bytes, sha256)
    (self.title, self.description, self.tags) = (title, description, tags)
    (self.milliseconds, self.width, self.height, self.thumbHash) = (milliseconds, width, height, thumbHash)
    (self.workoutType, self.productType, self.link) = (workoutType, productType, link)
    (self.createdAt, self.version) = (createdAt, version)
  }
}

public enum MediaKind: String, WireEnum {
  case image, audio, video, document
}

/// How far the processing of an upload is.
public enum MediaState: String, WireEnum {
  case uploaded, probing, processing, ready, failed
}

public enum MediaFailure: String, WireEnum {
  /// The content is damaged or is not what its first bytes claim.
  case invalidContent
  /// Too many pixels, too long, more memory or time than a file may take, or more than its owner may still store.
  case tooLarge
  /// The service lacks the program that would process it.
  case toolMissing
  case internalError
}

/// The users who may load a media item, besides those who see what it is used in.
public enum MediaVisibility: String, WireEnum {
  case owner, connections, everyone
}
