import Contracts
import Persistence
import PlatformRules
import ServiceKit
import ServiceLifecycle
import StudyModel
import SyncMerge
import Threads

/// Fits the weights of the scheduler to a user's reviews, as a durable job on a thread of its own. Weights that predict
/// better become part of the synchronized settings, so that devices and server schedule alike.
struct SchedulerFitting: Feature {
  struct Work: Codable, Sendable {
    var user: UserID
  }

  static let kind = "fit-scheduler"
  /// Each page reads the whole log.
  private static let pageSize = 50_000
  /// More reviews than this would not make the weights better.
  private static let maxReviews = 200_000
  private static let requestsPerDay = RateLimit(10, per: 86_400, pause: .untilOneIsForgotten)

  private let core: StudyCore
  private let thread: WorkThreads
  private let jobs: DurableJobs<Work>
  private let limit: RateLimit

  var workers: [any Service] { [thread, jobs] }

  init(_ core: StudyCore) throws {
    let thread = WorkThreads(1, named: "fit-scheduler", waiting: 16)
    (self.core, self.thread, limit) = (core, thread, Self.requestsPerDay)
    jobs = try DurableJobs(Self.kind, core.environment) { work, job in
      try await Self.fit(work.user, job, thread, core)
      return .done
    }
  }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.FitScheduler.self) { _, call -> Void in
      try core.restricted.require(PlanFeatures.fitting, of: call.user)
      try await request(by: call.user.id)
    }
  }

  private func request(by user: UserID) async throws {
    try await core.database.write { [jobs, limit, core] tx in
      try StoredLimit(limit, of: user.rawValue, for: Self.kind, core.keys).require(in: tx)
      try jobs.add(Work(user: user), id: Self.job(of: user), person: user, in: tx)
    }
  }

  static func add(for user: UserID, to jobs: PendingJobs<Work>, in tx: Transaction) throws {
    try jobs.add(Work(user: user), id: job(of: user), person: user, in: tx)
  }

  private static func job(of user: UserID) -> String { "\(kind)-\(user)" }

  /// How many new reviews are needed for another fit: a quarter more than the last one had.
  static func threshold(after fit: SchedulerFit?) -> Int {
    max(FSRSFitting().minimumReviews, (fit?.reviews ?? 0) / 4)
  }

  // MARK: work

  private static func fit(_ user: UserID, _ job: Job, _ thread: WorkThreads, _ core: StudyCore) async throws {
    let histories = try await histories(of: user, core)
    let current = try await core.database.read { db in try SchedulerSettings.of(user, core.records, in: db) }
    let result = try await thread.run { FitResult(histories, current: current.scheduler.weights) }
    try await core.database.write { tx in
      guard try job.complete(in: tx) else { return }
      try SchedulerFitStore.put(result.report(at: tx.now), of: user, in: tx)
      guard let weights = result.weights else { return }
      let settings = try SchedulerSettings.of(user, core.records, in: tx)
      // The user has chosen other weights meanwhile.
      guard settings.scheduler.weights == current.scheduler.weights else { return }
      try core.write(as: user, in: tx) { writer in
        try SettingsWriter.set(["weights": try JSONValue(SchedulerWeights(weights))], of: user, writer)
      }
    }
  }

  private static func histories(of user: UserID, _ core: StudyCore) async throws -> [[CardReview]] {
    var (histories, card, count): ([[CardReview]], CardID?, Int) = ([], nil, 0)
    var last: LoggedReview?
    repeat {
      let page = try await core.database.read { [last] db in
        try ReviewLog.reviews(of: user, after: last, limit: pageSize, in: db)
      }
      for review in page {
        if review.card == card {
          histories[histories.count - 1].append(review.review)
        } else {
          histories.append([review.review])
          card = review.card
        }
      }
      count += page.count
      last = page.count == pageSize && count < maxReviews ? page.last : nil
    } while last != nil
    return histories
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    guard let fit = try SchedulerFitStore.find(user, in: db)?.fit else { return [] }
    return [("schedulerFit", try JSONValue(fit))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try SchedulerFitStore.delete(of: user, in: tx) }
}

extension SchedulerWeights {
  init(_ weights: FSRSWeights) {
    self.init(
      algorithm: SchedulerSettings.algorithm, version: Int64(FSRSWeights.algorithmVersion), w: weights.values)
  }
}
