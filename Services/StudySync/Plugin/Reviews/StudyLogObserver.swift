import Contracts
import Persistence
import PlatformRules
import ServiceKit
import SyncMerge

/// Keeps schedules and statistics in the transaction of the entries that they follow from.
struct StudyLogObserver: StudyObserver {
  let records: RecordStore
  let rescheduling: PendingJobs<Rescheduling.Work>
  let fitting: PendingJobs<SchedulerFitting.Work>
  let reminders: PendingJobs<DueReminders.Work>
  /// Whether weights are fitted without a request: where only plans unlock it, a user has to ask for it, because
  /// devices report reviews long after them.
  let fitsUnasked: Bool

  init(_ environment: ServiceEnvironment, _ records: RecordStore, _ restricted: RestrictedFeatures) {
    self.records = records
    rescheduling = PendingJobs(Rescheduling.kind, environment)
    fitting = PendingJobs(SchedulerFitting.kind, environment)
    reminders = PendingJobs(DueReminders.kind, environment)
    fitsUnasked = !restricted.contains(PlanFeatures.fitting)
  }

  func recordsChanged(_ changes: [RecordChange], by user: UserID, in tx: Transaction) throws {
    for change in changes where change.collection == .studySettings {
      let before = SchedulerSettings(change.before.flatMap { $0.isDeleted ? nil : $0 })
      let after = SchedulerSettings(change.after.isDeleted ? nil : change.after)
      guard before.fingerprint != after.fingerprint else { continue }
      try Rescheduling.add(for: user, to: rescheduling, in: tx)
    }
  }

  func entriesAppended(_ entries: [LogEntry], by user: UserID, in tx: Transaction) throws {
    var totals = StudyTotals()
    for entry in entries { totals.add(entry) }
    let reviews = entries.compactMap { LoggedReview($0) }
    if !reviews.isEmpty {
      try DueReminders.postpone(for: user, reminders, in: tx)
      let settings = try SchedulerSettings.of(user, records, in: tx)
      let update = try ScheduleUpdate(reviews, of: user, settings, in: tx)
      try CardStateStore.put(update.states, of: user, in: tx)
      if !update.deferred.isEmpty {
        try DeferredReviewStore.insert(update.deferred, of: user, in: tx)
        try Rescheduling.add(for: user, to: rescheduling, in: tx)
      }
      totals.add(update.tallies)
      try countPredicted(update.tallies.predicted, of: user, settings, in: tx)
    }
    totals = totals.keeping(try VisibleSets.known(totals.named, to: user, in: tx))
    try StudyDayStore.add(totals, of: user, in: tx)
    try SetActivityStore.add(totals, of: user, in: tx)
  }

  /// Has the weights fitted once there are enough reviews that the last fit has not seen.
  private func countPredicted(_ count: Int, of user: UserID, _ settings: SchedulerSettings, in tx: Transaction) throws {
    guard count > 0 else { return }
    let stored = try SchedulerFitStore.find(user, in: tx)
    let total = (stored?.newReviews ?? 0) + count
    let isDue = fitsUnasked && settings.fitsWeights && total >= SchedulerFitting.threshold(after: stored?.fit)
    try SchedulerFitStore.setNewReviews(isDue ? 0 : total, of: user, in: tx)
    if isDue { try SchedulerFitting.add(for: user, to: fitting, in: tx) }
  }
}
