import Contracts
import Persistence

/// The known state of a live stream's meeting at Zoom.
enum MeetingStatus: String {
  /// There is none: the provider is another, or Zoom has not been asked.
  case none
  /// Zoom has been asked to create it, and has not been heard to answer.
  case attempted
  case created
  case removed
}

/// A live stream as stored. Its description and link stay encrypted until ``LivestreamStore/open(_:)``.
struct StoredLivestream: Sendable {
  let id: LivestreamID
  /// `nil` once the host's account has been deleted.
  var host: UserID?
  let provider: LivestreamProvider
  var state: LivestreamState
  var failure: LivestreamFailure?
  let visibility: LivestreamVisibility
  let title: String
  let tags: [Tag]
  let workoutType: WorkoutTypeID?
  var sealed: String
  let startsAt: Timestamp
  let minutes: LivestreamMinutes
  /// When the collector looks at it.
  var collectAt: Timestamp
  var meeting: MeetingStatus
  /// The Zoom user to whom the meeting belongs.
  var zoomUser: String?
  var attemptedAt: Timestamp?
  var meetingID: Int64?
  /// The time of the latest webhook that has been applied.
  var zoomEventAt: Timestamp?
  let createdAt: Timestamp
  var version: Int

  var endsAt: Timestamp { startsAt.advanced(bySeconds: Double(minutes.value) * 60) }
  var isListed: Bool { state == .scheduled || state == .live }
  var isOver: Bool { state == .ended || state == .failed }

  /// A position in a list by start.
  struct Cursor: PageCursor {
    var startsAt: Timestamp
    var id: LivestreamID

    init(_ row: StoredLivestream) { (startsAt, id) = (row.startsAt, row.id) }

    init?(cursor: String) {
      let parts = cursor.split(separator: "_", omittingEmptySubsequences: false)
      guard parts.count == 2, let start = Int64(parts[0]), let id = LivestreamID(String(parts[1])) else { return nil }
      (startsAt, self.id) = (Timestamp(microseconds: start), id)
    }

    var cursor: String { "\(startsAt.microseconds)_\(id)" }
  }
}
