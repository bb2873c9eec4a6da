import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// The study sets of courses: every member may read them, so that synchronization brings them to the members' devices.
struct CourseSets: Sendable {
  /// Sets of a course.
  static let maxCount = 100

  private struct Work: Codable, Sendable {
    var course: CourseID
    var set: StudySetID
    /// The last member of the batch before.
    var after: UserID?
  }

  /// Members in a transaction.
  private static let batch = 100

  private let pending: PendingJobs<Work>
  private let jobs: DurableJobs<Work>

  init(_ environment: ServiceEnvironment) throws {
    let (database, pending) = (try environment.database, PendingJobs<Work>("course-sets", environment))
    self.pending = pending
    jobs = try DurableJobs("course-sets", environment) { work, job in
      try await database.write { tx in
        guard try job.complete(in: tx), let last = try Self.adjust(work, in: tx) else { return }
        var rest = work
        rest.after = last
        try pending.add(rest, id: job.id, in: tx)
      }
      return .done
    }
  }

  var workers: [any Service] { [jobs] }

  static func source(_ course: CourseID) -> String { "course:\(course)" }

  /// Makes the members' access to a set follow whether it is attached: in the background, because there may be many.
  func adjust(_ set: StudySetID, of course: CourseID, in tx: Transaction) throws {
    try pending.add(Work(course: course, set: set), id: "course-set:\(course):\(set)", in: tx)
  }

  /// Lets a new member read every set of the course.
  static func grantAll(of course: CourseID, to user: UserID, in tx: Transaction) throws {
    let sets = try MaterialStore.sets(of: course, in: tx)
    for set in sets { try SpaceStore.grant(.viewer, to: user, in: set.space, source: source(course), tx) }
    if !sets.isEmpty { try hint([user], in: tx) }
  }

  static func revokeAll(of course: CourseID, from user: UserID, in tx: Transaction) throws {
    let source = source(course)
    let spaces: [SpaceID] = try tx.values(
      "SELECT space_id FROM space_grants WHERE source = \(source) AND user_id = \(user)")
    for space in spaces { try SpaceStore.revoke(user, in: space, source: source, tx) }
    if !spaces.isEmpty { try hint([user], in: tx) }
  }

  /// Grants or revokes a batch.
  /// - Returns: The last member of the batch when more follow.
  private static func adjust(_ work: Work, in tx: Transaction) throws -> UserID? {
    let (source, space) = (source(work.course), work.set.space)
    let isAttached = try MaterialStore.sets(of: work.course, in: tx).contains(work.set)
    let users: [UserID]
    if isAttached {
      users = try CourseMemberStore.list(nil, of: work.course, after: work.after, limit: batch, in: tx).map(\.user)
      for user in users { try SpaceStore.grant(.viewer, to: user, in: space, source: source, tx) }
    } else {
      let rest: SQL? = work.after.map { "user_id > \($0)" }
      let condition = SQL.and("space_id = \(space)", "source = \(source)", rest)
      users = try tx.values("SELECT user_id FROM space_grants WHERE \(condition) ORDER BY user_id LIMIT \(batch)")
      for user in users { try SpaceStore.revoke(user, in: space, source: source, tx) }
    }
    try hint(users, in: tx)
    return users.count == batch ? users.last : nil
  }

  /// Notifies the devices of users that there is something to synchronize.
  private static func hint(_ users: [UserID], in tx: Transaction) throws {
    guard !users.isEmpty else { return }
    let readers: [UserID] = try tx.values(
      "SELECT DISTINCT user_id FROM sync_devices WHERE user_id IN \(list: users) ORDER BY user_id")
    for reader in readers { try tx.record(TopicEvent(SyncHint.topic(of: reader), SyncHint.event, [:])) }
  }
}
