import Contracts

/// An upload as it is stored.
struct StoredUpload: Sendable {
  /// The role of an upload (tus, "Concatenation").
  enum Role: String {
    case whole
    /// A part of a later upload.
    case partial
    /// The parts, joined.
    case final
  }

  var id: UploadID
  /// The media item that it becomes.
  var media: MediaID
  var owner: UserID
  var app: ClientApp
  /// `nil` while it is unknown.
  var length: Int64?
  /// The bytes that are on the disk.
  var received: Int64 = 0
  /// The bytes that count for the quota while the length is unknown: up to here, the current request may append.
  var reserved: Int64 = 0
  var metadata: UploadMetadata?
  var role = Role.whole
  /// `Upload-Concat` as it was received.
  var concat: String?
  var parts: [UploadID] = []
  /// The upload that joins this part, as long as it exists.
  var final: UploadID?
  /// The folder that holds its bytes (``UploadFiles/place``).
  var place: String
  /// Grows with each writer. One that finds another epoch has been superseded.
  var epoch: Int64 = 0
  /// The process that writes, or wrote when it died.
  var writer: String?
  /// Whether it has become its media item.
  var isFinished = false
  var createdAt: Timestamp
  var expiresAt: Timestamp

  /// Whether the last byte has arrived.
  var isComplete: Bool { length == received }
  /// Whether it is complete and not a part of something else.
  var becomesMedium: Bool { isComplete && role != .partial }
  var isBeingFinished: Bool { becomesMedium && !isFinished }
}
