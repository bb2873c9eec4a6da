import Contracts
import Logging
import Observability
import Persistence
import ServiceKit

/// Deletes live streams a while after their end, with their meetings at Zoom. Each row states when it is looked at, so
/// nothing depends on when the process runs: a meeting that is still live is looked at again a day later.
struct LivestreamCollector: Sendable {
  private enum Result: String {
    case removed
    /// Its meeting is live, or Zoom does not respond.
    case left, failed
  }

  private let transitions: LivestreamTransitions
  private let workflow: MeetingWorkflow?
  private let database: any Database
  private let time: TimeSource
  private let logger: Logger
  private let counters: [String: Metrics.Counter]

  private static let batch = 20
  private static let pollInterval = Duration.seconds(5)
  private static let day = 86_400.0
  private static let pauseAfterFailure = 600.0

  init(_ core: MediaCore, transitions: LivestreamTransitions, workflow: MeetingWorkflow?) {
    (self.transitions, self.workflow) = (transitions, workflow)
    (database, time, logger) = (core.database, core.time, core.logger)
    let metrics = core.environment.metrics
    let results = [Result.removed, .left, .failed]
    counters = Dictionary(
      uniqueKeysWithValues: results.map { result in
        let counter = metrics.counter(
          "livestreams_collected_total", help: "Live streams that the collector has looked at.",
          labels: [("result", result.rawValue)])
        return (result.rawValue, counter)
      })
  }

  var worker: PeriodicTask {
    PeriodicTask(
      "livestreams.collect", per: .platform, every: Self.pollInterval, inBatchesOf: Self.batch, logger: logger, runOnce)
  }

  /// - Returns: How many were due, or fewer when Zoom's rate limit is reached.
  private func runOnce() async throws -> Int {
    let now = time.now()
    let due = try await database.read { db in try LivestreamStore.due(at: now, limit: Self.batch, in: db) }
    var counts: [String: Int] = [:]
    var done = 0
    for row in due {
      do throws(ZoomError) {
        let result = try await collect(row)
        counts[result.rawValue, default: 0] += 1
      } catch {
        if case .limited = error { break }
        counts[Result.failed.rawValue, default: 0] += 1
        logger.warning(
          "a live stream is not collected", metadata: ["livestream": "\(row.id)", "error": "\(error)"])
        try await transitions.postpone(row.id, bySeconds: Self.pauseAfterFailure)
      }
      done += 1
    }
    for (result, count) in counts { counters[result]?.increment(by: count) }
    if !counts.isEmpty {
      logger.info(
        "collected live streams", metadata: .init(uniqueKeysWithValues: counts.map { ($0, "\($1)") }))
    }
    return done
  }

  private func collect(_ row: StoredLivestream) async throws(ZoomError) -> Result {
    if row.meeting == .attempted || row.meeting == .created {
      guard let workflow else {
        // Zoom is no longer configured, but may be again.
        try await stored { try await transitions.postpone(row.id, bySeconds: Self.day) }
        return .left
      }
      for meeting in try await workflow.meetings(of: row) {
        if try await isLive(meeting.id, workflow.zoom) {
          guard row.isOver else {
            try await stored { try await transitions.postpone(row.id, bySeconds: Self.day, isLive: true) }
            return .left
          }
          try await workflow.zoom.end(meeting.id)
        }
        try await workflow.zoom.delete(meeting.id)
      }
    }
    try await stored { try await transitions.delete(row) }
    return .removed
  }

  private func isLive(_ meeting: Int64, _ zoom: ZoomClient) async throws(ZoomError) -> Bool {
    do {
      return try await zoom.get(meeting).isLive
    } catch {
      if case .notFound = error { return false }
      throw error
    }
  }

  private func stored(_ body: () async throws -> Void) async throws(ZoomError) {
    do { try await body() } catch { throw .unknown("the database: \(error)") }
  }
}
