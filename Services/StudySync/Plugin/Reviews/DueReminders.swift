import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Reminds users of due cards at the time of day at which they studied last, every day until they study again, for a week
/// of reminders at most. There is one job per user, which every review postpones.
struct DueReminders: Feature {
  struct Work: Codable, Sendable {
    /// Reminders since the last review.
    var sent = 0
    /// Days since the last review.
    var days = 0
  }

  static let kind = "due-cards"
  private static let daySeconds = 86_400.0
  private static let maxSent = 7
  private static let maxDays = 60

  private let jobs: DurableJobs<Work>

  init(_ core: StudyCore) throws {
    let pending = PendingJobs<Work>(Self.kind, core.environment)
    jobs = try DurableJobs(Self.kind, core.environment, concurrency: 8) { work, job in
      guard let user = job.person else { return .drop(reason: "the job has no user") }
      try await core.database.write { tx in
        guard try job.complete(in: tx) else { return }
        var next = work
        next.days += 1
        if try Self.isDue(for: user, core, in: tx) {
          next.sent += 1
          let push = PushRequested(
            to: user, title: "Cards are due", text: "Some of your cards are due for review.", kind: .dueCards)
          try tx.record(push)
        }
        guard next.sent < Self.maxSent, next.days < Self.maxDays else { return }
        try Self.add(next, for: user, to: pending, in: tx)
      }
      return .done
    }
  }

  var workers: [any Service] { [jobs] }

  /// Call it in the transaction that stores reviews.
  static func postpone(for user: UserID, _ pending: PendingJobs<Work>, in tx: Transaction) throws {
    try add(Work(), for: user, to: pending, in: tx)
  }

  private static func add(_ work: Work, for user: UserID, to pending: PendingJobs<Work>, in tx: Transaction) throws {
    try pending.add(
      work, id: "\(kind):\(user)", person: user, dueAt: tx.now.advanced(bySeconds: daySeconds), in: tx)
  }

  private static func isDue(for user: UserID, _ core: StudyCore, in tx: Transaction) throws -> Bool {
    let settings = try SchedulerSettings.of(user, core.records, in: tx)
    let today = try LocalToday(nil, of: user, settings, at: tx.now, in: tx)
    let due = try DueSets(VisibleSets.list(of: user, in: tx), of: user, today, settings, in: tx).total
    return due.learning + due.review > 0
  }
}
