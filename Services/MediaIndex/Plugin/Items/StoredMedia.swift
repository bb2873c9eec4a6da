import Contracts
import Persistence

/// A media item as it is stored, with what callers do not see.
struct StoredMedia: Sendable {
  var media: Media
  /// The app through which it was uploaded.
  var app: ClientApp
  /// The name that the uploader's device gave it.
  var fileName: String?
  /// The video on YouTube that it is instead of a file.
  var video: YouTubeVideo?
  /// It is kept after the deletion of its owner's account while it is used in something.
  var deletedAt: Timestamp?

  var id: MediaID { media.id }
}

extension StoredMedia {
  /// Whether those who may load everything get the uploaded file. What a camera or phone has written into a picture,
  /// video or recording, such as the place, is for its owner only; what is in a file that has not been processed is not
  /// known.
  var sharesOriginal: Bool {
    guard media.state == .ready else { return false }
    return media.kind == .document || media.kind == .audio && !isInContainerOfDevices
  }

  /// Whether phones record in the container of this file.
  var isInContainerOfDevices: Bool {
    media.contentType.hasPrefix("video/") || media.contentType == "audio/mp4"
  }

  /// The media item as a user with a right to it sees it. Whoever has a file could look up whether it is one that is
  /// withheld.
  func shown(to user: UserID?, with right: MediaRight) -> Media {
    if deletedAt == nil, user == media.owner { return media }
    if case .everything = right, sharesOriginal { return media }
    var media = media
    (media.sha256, media.bytes) = (nil, nil)
    return media
  }
}

/// The properties that processing finds out about a media item; unset ones stay as they are.
struct MediaProperties: Sendable {
  var kind: MediaKind?
  var milliseconds: Int64?
  var width: Int?
  var height: Int?
  var thumbHash: String?
}

/// Keeps what is derived from media, such as an index, in the transaction of each change.
protocol MediaObserver: Sendable {
  /// A media item has been added or has changed.
  func changed(_ stored: StoredMedia, in tx: Transaction) throws
  /// A media item has been deleted; called again when it is kept for a while and then removed.
  func deleted(_ id: MediaID, in tx: Transaction) throws
}
