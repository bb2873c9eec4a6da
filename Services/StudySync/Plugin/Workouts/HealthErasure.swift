import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle
import SyncMerge

/// Deletes the weights of workouts, and the energy that was computed from them, when their user no longer consents to
/// health data; devices receive it like any change. Deleted workouts lose them too, because they can be restored.
struct HealthErasure: Feature {
  private struct Work: Codable, Sendable {
    /// The position at which the records of the batch before ended.
    struct Position: Codable, Sendable {
      var position: String
      var id: String
    }

    var user: UserID
    /// The time from which data stays, because the user had consented again; `nil` when they have not.
    var until: Timestamp?
    var after: Position?
    var isRepeated = false
  }

  /// Workouts per transaction.
  private static let batch = 100
  /// After how many seconds everything is gone through again: a request that was accepted just before the withdrawal may
  /// be stored after it.
  private static let repeatedAfter = 120.0
  private static let fields: Set<String> = ["weight", "kilocalories"]

  private let pending: PendingJobs<Work>
  private let jobs: DurableJobs<Work>

  init(_ core: StudyCore) throws {
    let pending = PendingJobs<Work>("health-erasure", core.environment)
    self.pending = pending
    jobs = try DurableJobs("health-erasure", core.environment) { work, job in
      try await core.database.write { tx in
        guard try job.complete(in: tx) else { return }
        let last = try Self.eraseBatch(work, core, in: tx)
        var next = work
        next.after = last
        if last != nil {
          try pending.add(next, id: job.id, person: work.user, in: tx)
        } else if !work.isRepeated {
          next.isRepeated = true
          let dueAt = tx.now.advanced(bySeconds: Self.repeatedAfter)
          try pending.add(next, id: job.id, person: work.user, dueAt: dueAt, in: tx)
        }
      }
      return .done
    }
  }

  var workers: [any Service] { [jobs] }

  func register(in routes: inout Routes) {
    routes.on(
      ConsentChanged.self,
      bySender: { event, _, time, tx in
        guard event.purpose == .healthData else { return }
        let id = "health-erasure:\(event.userID)"
        if !event.isGiven {
          try pending.add(Work(user: event.userID), id: id, person: event.userID, in: tx)
        } else if try Job.cancel(id, in: tx) {
          // Data from after a new consent stays; data that the withdrawal was about is erased nevertheless. As a job of
          // its own, because the time must not become a later one by yet another consent.
          try pending.add(Work(user: event.userID, until: time), person: event.userID, in: tx)
        }
      })
  }

  /// - Returns: Where the batch ends; `nil` when it was the last one.
  private static func eraseBatch(_ work: Work, _ core: StudyCore, in tx: Transaction) throws -> Work.Position? {
    let user = work.user
    let after = work.after.map { (position: $0.position, id: RecordID(trusted: $0.id)) }
    let records = try RecordStore.all(.workouts, of: user.space, after: after, limit: batch, in: tx)
    var live: [RecordID] = []
    for record in records {
      var content = try core.records.open(record)
      guard isErased(content, until: work.until) else { continue }
      guard content.isDeleted else {
        live.append(record.id)
        continue
      }
      content.clearDeleted(fields: fields)
      var cleared = record
      cleared.sealed = try core.records.seal(content, of: record.id)
      try RecordStore.update(cleared, in: tx)
    }
    try erase(live, of: user, core, in: tx)
    guard let last = records.last, records.count == batch else { return nil }
    return Work.Position(position: last.position, id: last.id.rawValue)
  }

  /// The energy goes and stays with the weight that it was computed from.
  private static func isErased(_ content: MergeRecord<JSONValue>, until end: Timestamp?) -> Bool {
    let values = ["weight", "kilocalories"].compactMap { name in
      content.fields.first { $0.name == name && $0.value != .null }
    }
    guard let value = values.first else { return false }
    return end.map { value.version.milliseconds < $0.hybridMilliseconds } ?? true
  }

  private static func erase(_ ids: [RecordID], of user: UserID, _ core: StudyCore, in tx: Transaction) throws {
    guard !ids.isEmpty else { return }
    try core.write(as: user, in: tx) { writer in
      try writer.load(ids)
      let space = try writer.ownSpace()
      for id in ids {
        try Workouts.put(
          fields.sorted().map { .init(name: $0, value: .null) }, to: WorkoutID(trusted: id.rawValue), in: space, writer)
      }
    }
  }
}
