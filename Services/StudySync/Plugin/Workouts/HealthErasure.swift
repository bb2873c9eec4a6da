import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle
import SyncMerge

/// Deletes the weights of workouts, and the energy that was computed from them, when their user no longer consents to
/// health data; devices receive it like any change.
struct HealthErasure: Feature {
  private struct Work: Codable, Sendable {
    var user: UserID
    var before: String?
  }

  /// Workouts per transaction.
  private static let batch = 100

  private let pending: PendingJobs<Work>
  private let jobs: DurableJobs<Work>

  init(_ core: StudyCore) throws {
    let pending = PendingJobs<Work>("health-erasure", core.environment)
    self.pending = pending
    jobs = try DurableJobs("health-erasure", core.environment) { work, job in
      try await core.database.write { tx in
        guard try job.complete(in: tx) else { return }
        let cursor = work.before.flatMap { WorkoutStore.Cursor(cursor: $0) }
        let rows = try WorkoutStore.list(of: work.user, before: cursor, limit: Self.batch, in: tx)
        try Self.erase(rows, of: work.user, core, in: tx)
        guard let last = rows.last, rows.count == Self.batch else { return }
        let next = Work(user: work.user, before: WorkoutStore.Cursor(last.startedAt, last.id).cursor)
        try pending.add(next, id: job.id, person: work.user, in: tx)
      }
      return .done
    }
  }

  var workers: [any Service] { [jobs] }

  func register(in routes: inout Routes) {
    routes.on(ConsentChanged.self) { event, tx in
      guard event.purpose == .healthData, !event.isGiven else { return }
      try pending.add(
        Work(user: event.userID), id: "health-erasure:\(event.userID)", person: event.userID, in: tx)
    }
  }

  private static func erase(_ rows: [WorkoutStore.Stored], of user: UserID, _ core: StudyCore, in tx: Transaction)
    throws
  {
    let contents = try core.workouts(in: RecordStore.find(rows.map(\.id.record), in: tx))
    let affected = rows.filter { contents[$0.id]?.weight != nil || contents[$0.id]?.energy != nil }
    guard !affected.isEmpty else { return }
    try core.write(as: user, in: tx) { writer in
      try writer.load(affected.map(\.id.record))
      let space = try writer.ownSpace()
      for row in affected {
        try Workouts.put(
          [.init(name: "weight", value: .null), .init(name: "kilocalories", value: .null)], to: row.id, in: space,
          writer)
      }
    }
  }
}
