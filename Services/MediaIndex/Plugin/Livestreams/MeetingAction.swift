import Contracts

/// The next action for the meeting of a live stream at Zoom.
enum MeetingAction: Equatable, Sendable {
  case create
  /// Find out whether an attempt to create it has succeeded; not before a moment at which Zoom lists what it created.
  case resolve(notBefore: Timestamp)
  /// Stop trying: the planned time is over.
  case giveUp
  /// End and delete it; not before that moment if it is not known whether it exists.
  case remove(notBefore: Timestamp?)
  case nothing

  /// How long after an attempt its meeting is looked for, in seconds: longer than a request can take.
  static let settleSeconds = 30.0

  init(_ row: StoredLivestream, at now: Timestamp) {
    let settled = row.attemptedAt.map { $0.advanced(bySeconds: Self.settleSeconds) }
    guard row.provider == .zoom else {
      self = .nothing
      return
    }
    switch (row.state, row.meeting) {
    case (.creating, _) where now >= row.endsAt: self = .giveUp
    case (.creating, .none): self = .create
    case (.creating, .attempted): self = .resolve(notBefore: settled ?? now)
    case (.ended, .attempted), (.failed, .attempted): self = .remove(notBefore: settled)
    case (.ended, .created), (.failed, .created): self = .remove(notBefore: nil)
    default: self = .nothing
    }
  }
}
