import Contracts
import Logging
import Persistence
import ServiceKit

/// Creates and removes the meetings of live streams at Zoom, each exactly once.
///
/// Before Zoom is asked to create a meeting, the attempt is stored. A process that is killed, or an answer that is lost,
/// leaves an attempt without a result: the meeting is then looked for by its marker before another one is created.
struct MeetingWorkflow: Sendable {
  struct Work: Codable, Sendable {
    var livestream: LivestreamID
  }

  /// The outcome of a step.
  enum Progress: Equatable, Sendable {
    /// There may be a next step.
    case stepped
    case wait(seconds: Double)
    case finished
  }

  static let jobKind = "livestream-meeting"

  let zoom: ZoomClient
  let pace: ZoomPace
  let transitions: LivestreamTransitions
  let database: any Database
  let time: TimeSource
  let logger: Logger

  /// Steps of one run; a job runs again after that.
  private static let maxSteps = 8

  /// Advances a live stream until nothing is to be done or it has to wait.
  func run(_ id: LivestreamID) async throws -> DurableJobs<Work>.Outcome {
    for _ in 0..<Self.maxSteps {
      switch try await step(id) {
      case .stepped: continue
      case .wait(let seconds): return .retry(afterSeconds: seconds)
      case .finished: return .done
      }
    }
    return .retry(afterSeconds: 5)
  }

  func step(_ id: LivestreamID) async throws -> Progress {
    let now = time.now()
    guard let row = try await database.read({ db in try LivestreamStore.find(id, in: db) }) else { return .finished }
    switch MeetingAction(row, at: now) {
    case .nothing: return .finished
    case .create:
      switch try await begin(id) {
      case .wait(let seconds): return .wait(seconds: seconds)
      case .attempt(let attempt): return try await record(try await perform(attempt), of: attempt)
      case nil: return .stepped
      }
    case .giveUp:
      try await transitions.fail(id, .providerUnavailable)
      return .stepped
    case .resolve(let moment), .remove(.some(let moment)):
      let seconds = moment.seconds(since: now)
      if seconds > 0 { return .wait(seconds: seconds) }
      return try await row.state == .creating ? resolve(row) : remove(row)
    case .remove(nil): return try await remove(row)
    }
  }

  // MARK: creating

  struct Attempt: Sendable {
    var id: LivestreamID
    var user: String
    var form: ZoomMeetingForm
  }

  enum Beginning: Sendable {
    case attempt(Attempt)
    case wait(seconds: Double)
  }

  /// Stores that Zoom is going to be asked, within its limits.
  /// - Returns: `nil` when the live stream no longer wants a meeting.
  func begin(_ id: LivestreamID) async throws -> Beginning? {
    try await database.write { tx in
      guard var row = try LivestreamStore.find(id, in: tx), MeetingAction(row, at: tx.now) == .create,
        let user = row.zoomUser
      else { return nil }
      guard try ZoomRequestStore.count(of: user, at: tx.now, in: tx) < ZoomRequestStore.dailyLimit else {
        return .wait(seconds: Double(ZoomRequestStore.secondsLeft(of: tx.now)))
      }
      if let seconds = try pace.take(.medium, in: tx) { return .wait(seconds: Double(seconds)) }
      try ZoomRequestStore.add(of: user, in: tx)
      (row.meeting, row.attemptedAt) = (.attempted, tx.now)
      try LivestreamStore.update(&row, in: tx)
      return .attempt(Attempt(id: id, user: user, form: try transitions.form(of: row)))
    }
  }

  func perform(_ attempt: Attempt) async throws -> Result<ZoomMeeting, ZoomError> {
    do throws(ZoomError) {
      return .success(try await zoom.create(attempt.form, for: attempt.user))
    } catch {
      return .failure(error)
    }
  }

  func record(_ result: Result<ZoomMeeting, ZoomError>, of attempt: Attempt) async throws -> Progress {
    switch result {
    case .success(let meeting):
      try await keep(meeting, for: attempt.id)
      return .stepped
    case .failure(let error):
      logger.warning(
        "cannot create a meeting", metadata: ["livestream": "\(attempt.id)", "error": "\(error)"])
      switch error {
      case .refused, .notFound:
        try await transitions.fail(attempt.id, .refused, meeting: MeetingStatus.none)
        return .stepped
      case .notSent, .limited:
        try await transitions.forgetAttempt(of: attempt.id)
        return .wait(seconds: Double(error.retryAfter ?? 5))
      case .unknown: return .stepped
      }
    }
  }

  /// Looks for the meeting of an attempt without a result.
  private func resolve(_ row: StoredLivestream) async throws -> Progress {
    do throws(ZoomError) {
      let found = try await meetings(of: row)
      guard let meeting = found.first else {
        try await stored { try await transitions.forgetAttempt(of: row.id) }
        return .stepped
      }
      for extra in found.dropFirst() { try await removeMeeting(extra.id) }
      try await stored { try await keep(meeting, for: row.id) }
      return .stepped
    } catch {
      return waiting(error, row.id)
    }
  }

  /// Stores a meeting that exists. Without a usable link it is of no use, and is removed.
  private func keep(_ meeting: ZoomMeeting, for id: LivestreamID) async throws {
    let link = meeting.joinURL.flatMap { try? WebLink(validating: $0) }
    let isKept = try await transitions.keep(meeting.id, link, for: id)
    guard !isKept else { return }
    // The live stream has another meeting, or is gone.
    do throws(ZoomError) { try await removeMeeting(meeting.id) } catch {
      logger.error(
        "a meeting without a live stream remains at Zoom",
        metadata: ["meeting": "\(meeting.id)", "error": "\(error)"])
    }
  }

  // MARK: removing

  /// Ends and deletes the meeting of a live stream that is over.
  func remove(_ row: StoredLivestream) async throws -> Progress {
    do throws(ZoomError) {
      for meeting in try await meetings(of: row) { try await removeMeeting(meeting.id) }
      try await stored { try await transitions.removed(row.id) }
      return .stepped
    } catch {
      return waiting(error, row.id)
    }
  }

  private func removeMeeting(_ id: Int64) async throws(ZoomError) {
    try await zoom.end(id)
    try await zoom.delete(id)
  }

  /// The meetings at Zoom: the known one, or those with the marker, oldest first.
  func meetings(of row: StoredLivestream) async throws(ZoomError) -> [ZoomMeeting] {
    if let id = row.meetingID { return [ZoomMeeting(id: id)] }
    guard let user = row.zoomUser else { return [] }
    return try await zoom.find(LivestreamTransitions.marker(of: row.id), of: user).sorted { $0.id < $1.id }
  }

  private func waiting(_ error: ZoomError, _ id: LivestreamID) -> Progress {
    logger.warning("Zoom does not do what is needed", metadata: ["livestream": "\(id)", "error": "\(error)"])
    return .wait(seconds: Double(error.retryAfter ?? 600))
  }

  /// A failure of the database is like one of the network: the step is repeated.
  private func stored(_ body: () async throws -> Void) async throws(ZoomError) {
    do { try await body() } catch { throw .unknown("the database: \(error)") }
  }
}
