import Contracts
import Persistence
import ServiceKit

/// Changes of live streams, each one transaction with its events.
struct LivestreamTransitions: Sendable {
  let store: LivestreamStore
  let database: any Database
  let jobs: PendingJobs<MeetingWorkflow.Work>
  let graceSeconds: Double

  /// The beginning of a meeting's agenda, by which it is found again.
  static func marker(of id: LivestreamID) -> String { "quintet:\(id)" }

  /// When a live stream is collected.
  func collection(endingAt end: Timestamp) -> Timestamp { end.advanced(bySeconds: graceSeconds) }

  func form(of row: StoredLivestream) throws -> ZoomMeetingForm {
    // Zoom allows 2000 characters.
    let description = try store.content(row).description.map { "\n" + $0.rawValue.prefix(1000) } ?? ""
    return ZoomMeetingForm(
      topic: row.title, startTime: "\(row.startsAt.description.prefix(19))Z", duration: row.minutes.value,
      agenda: Self.marker(of: row.id) + description)
  }

  // MARK: the host's

  func insert(_ row: StoredLivestream, in tx: Transaction) throws {
    try LivestreamStore.insert(row, in: tx)
    switch row.state {
    case .creating: try schedule(row.id, in: tx)
    default: try publish("livestream.scheduled", row, in: tx)
    }
  }

  /// Has the meeting created or removed in the background.
  func schedule(_ id: LivestreamID, in tx: Transaction) throws {
    try jobs.add(.init(livestream: id), id: Self.job(id), in: tx)
  }

  private static func job(_ id: LivestreamID) -> String { "\(MeetingWorkflow.jobKind):\(id)" }

  func start(_ row: inout StoredLivestream, in tx: Transaction) throws {
    guard row.state == .scheduled else { return }
    row.state = .live
    try change(&row, "livestream.started", in: tx)
    guard let host = row.host, row.visibility == .everyone else { return }
    try tx.record(
      FollowersPushRequested(
        toFollowersOf: host, about: Topic("livestream", row.id.rawValue), title: "Live now",
        text: "Someone whom you follow has started a live workout.", kind: .liveWorkouts))
  }

  func end(_ row: inout StoredLivestream, in tx: Transaction) throws {
    guard !row.isOver else { return }
    let wasListed = row.isListed
    row.state = .ended
    row.collectAt = collection(endingAt: tx.now)
    try change(&row, wasListed ? "livestream.ended" : nil, in: tx)
    if row.provider == .zoom { try schedule(row.id, in: tx) }
  }

  // MARK: the meeting's

  /// Stores the meeting that Zoom has created.
  /// - Returns: `false` when the live stream has another one or does not exist.
  func keep(_ meeting: Int64, _ link: WebLink?, for id: LivestreamID) async throws -> Bool {
    try await database.write { tx in
      guard var row = try LivestreamStore.find(id, in: tx), row.meeting == .attempted || row.meeting == .none else {
        return try LivestreamStore.find(id, in: tx)?.meetingID == meeting
      }
      (row.meeting, row.meetingID) = (.created, meeting)
      guard row.state == .creating else {
        // It was ended meanwhile; the next step removes the meeting.
        try LivestreamStore.update(&row, in: tx)
        return true
      }
      guard let link else {
        (row.state, row.failure) = (.failed, .refused)
        try change(&row, nil, in: tx)
        return true
      }
      var content = try store.content(row)
      content.joinURL = link
      row.sealed = try store.seal(content, of: id)
      row.state = .scheduled
      try change(&row, "livestream.scheduled", in: tx)
      return true
    }
  }

  /// - Parameter meeting: What is known of the meeting; unchanged by default.
  func fail(_ id: LivestreamID, _ failure: LivestreamFailure, meeting: MeetingStatus? = nil) async throws {
    try await database.write { tx in
      guard var row = try LivestreamStore.find(id, in: tx) else { return }
      row.meeting = meeting ?? row.meeting
      if row.state == .creating { (row.state, row.failure) = (.failed, failure) }
      try change(&row, nil, in: tx)
    }
  }

  /// Zoom has not executed an attempt.
  func forgetAttempt(of id: LivestreamID) async throws {
    try await database.write { tx in
      guard var row = try LivestreamStore.find(id, in: tx), row.meeting == .attempted else { return }
      row.meeting = .none
      try LivestreamStore.update(&row, in: tx)
    }
  }

  func removed(_ id: LivestreamID) async throws {
    try await database.write { tx in
      guard var row = try LivestreamStore.find(id, in: tx) else { return }
      row.meeting = .removed
      try LivestreamStore.update(&row, in: tx)
    }
  }

  // MARK: the collector's

  /// Has the collector look at it again later.
  ///
  /// - Parameter isLive: Whether its meeting is live at Zoom.
  func postpone(_ id: LivestreamID, bySeconds seconds: Double, isLive: Bool = false) async throws {
    try await database.write { tx in
      guard var row = try LivestreamStore.find(id, in: tx) else { return }
      row.collectAt = tx.now.advanced(bySeconds: seconds)
      if isLive, row.state == .scheduled { return try start(&row, in: tx) }
      try LivestreamStore.update(&row, in: tx)
    }
  }

  /// Deletes a live stream unless it has changed.
  func delete(_ row: StoredLivestream) async throws {
    try await database.write { tx in
      guard let current = try LivestreamStore.find(row.id, in: tx), current.version == row.version else { return }
      try LivestreamStore.delete(row.id, in: tx)
      try Job.cancel(Self.job(row.id), in: tx)
    }
  }

  // MARK: webhooks

  /// Applies what Zoom reports. Webhooks are repeated and arrive in any order: those that are not newer than the latest
  /// one have no effect.
  func apply(_ event: ZoomMeetingEvent, in tx: Transaction) throws {
    guard var row = try LivestreamStore.find(meeting: event.meeting, in: tx), !row.isOver,
      row.zoomEventAt.map({ $0 < event.at }) ?? true
    else { return }
    row.zoomEventAt = event.at
    switch event.kind {
    case .started where row.state == .scheduled: try start(&row, in: tx)
    case .ended where event.at < row.startsAt:
      // A rehearsal: the meeting can be started again.
      row.state = .scheduled
      try change(&row, "livestream.scheduled", in: tx)
    case .ended: try end(&row, in: tx)
    case .started: try LivestreamStore.update(&row, in: tx)
    }
  }

  // MARK: events

  /// Stores a change and reports it to the host, and to followers if they may see it.
  func change(_ row: inout StoredLivestream, _ event: String?, in tx: Transaction) throws {
    try LivestreamStore.update(&row, in: tx)
    if let event { try publish(event, row, in: tx) }
    guard let host = row.host else { return }
    let data: JSONValue = [
      "id": .string(row.id.rawValue), "state": .string(row.state.rawValue), "version": .integer(Int64(row.version)),
    ]
    try tx.record(RealtimeEvent(to: host, "livestream.changed", data))
  }

  /// The topic has followers as readers, so that only what everyone may see is reported there.
  private func publish(_ event: String, _ row: StoredLivestream, in tx: Transaction) throws {
    guard let host = row.host, row.visibility == .everyone else { return }
    let data: JSONValue = [
      "id": .string(row.id.rawValue), "title": .string(row.title), "startsAt": .string(row.startsAt.description),
    ]
    try tx.record(UserTopicEvent(host, .streams, event, data))
  }
}
