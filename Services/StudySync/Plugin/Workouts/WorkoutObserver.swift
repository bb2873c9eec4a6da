import Contracts
import Persistence
import PlatformRules
import ServiceKit
import SyncMerge

/// Keeps the lists of workouts, and notifies followers of what is shown to them, whether a device or an endpoint
/// changed it.
struct WorkoutObserver: StudyObserver {
  /// Events of one kind about one user; followers see the other workouts when they look.
  private static let limit = RateLimit(20, per: 3600, pause: .untilOneIsForgotten)

  let keys: DataKeys

  func recordsChanged(_ changes: [RecordChange], by user: UserID, in tx: Transaction) throws {
    let workouts = changes.filter { $0.collection == .workouts }
    guard !workouts.isEmpty else { return }
    let ids = workouts.map { WorkoutID(trusted: $0.id.rawValue) }
    let stored = try WorkoutStore.find(ids, in: tx)
    let known = Dictionary(stored.map { ($0.id, $0) }) { first, _ in first }
    for (id, change) in zip(ids, workouts) { try update(id, known[id], to: change.after, of: user, in: tx) }
  }

  private func update(
    _ id: WorkoutID, _ known: WorkoutStore.Stored?, to record: MergeRecord<JSONValue>, of user: UserID,
    in tx: Transaction
  ) throws {
    let content = WorkoutContent(record)
    let isShared = content.map { $0.isShared && $0.finishedAt != nil } ?? false
    if let content {
      let workout = WorkoutStore.Stored(
        id: id, user: user, startedAt: content.startedAt, finishedAt: content.finishedAt,
        sharedAt: isShared ? known?.sharedAt ?? tx.now : nil)
      try WorkoutStore.save(workout, in: tx)
      if isShared, known?.sharedAt == nil { try announce(id, content, of: user, in: tx) }
    } else if known != nil {
      try WorkoutStore.delete(id, in: tx)
    }
    if known?.sharedAt != nil, !isShared {
      try WorkoutStore.reactions.delete(to: id, in: tx)
      let data: JSONValue = ["id": .string(id.rawValue)]
      try notifyFollowers("workout.unshared", data, of: user, in: tx)
    }
  }

  private func announce(_ id: WorkoutID, _ content: WorkoutContent, of user: UserID, in tx: Transaction) throws {
    let minutes = Int64(((content.activeSeconds ?? 0) / 60).rounded())
    let kilocalories = content.includesKilocalories ? content.energy?.kilocalories.rounded() : nil
    let data = JSONValue.object([
      ("id", .string(id.rawValue)), ("type", .string(content.type)), ("minutes", .integer(minutes)),
      ("kilocalories", kilocalories.map { .integer(Int64($0)) }),
    ])
    try notifyFollowers("workout.shared", data, of: user, in: tx)
  }

  private func notifyFollowers(_ name: String, _ data: JSONValue, of user: UserID, in tx: Transaction) throws {
    guard try StoredLimit(Self.limit, of: user.rawValue, for: name, keys).take(in: tx) == nil else { return }
    try tx.record(UserTopicEvent(user, .progress, name, data))
  }
}
