import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Notifies the students of a course, a batch in each transaction, so that a big course does not hold the database.
struct CourseNotices: Sendable {
  enum Kind: String, Codable, Sendable { case published, dueChanged, dueTomorrow }

  private struct Work: Codable, Sendable {
    var kind: Kind
    var course: CourseID
    var assignment: AssignmentID
    /// The due date that the notice is about.
    var dueAt: Timestamp?
    /// The last student of the batch before.
    var after: UserID?
  }

  static let batch = 200
  static let dueSeconds = 86_400.0

  private let pending: PendingJobs<Work>
  private let jobs: DurableJobs<Work>

  init(_ environment: ServiceEnvironment) throws {
    let (database, pending) = (try environment.database, PendingJobs<Work>("course-notices", environment))
    self.pending = pending
    jobs = try DurableJobs("course-notices", environment) { work, job in
      try await database.write { tx in
        guard try job.complete(in: tx), let due = try AssignmentStore.dueDate(of: work.assignment, in: tx),
          due.state == .published, work.kind == .published || due.dueAt == work.dueAt
        else { return }
        let students = try Self.students(for: work, in: tx)
        for student in students { try Self.notify(student, work, in: tx) }
        guard students.count == Self.batch else { return }
        var rest = work
        rest.after = students.last
        try pending.add(rest, id: job.id, in: tx)
      }
      return .done
    }
  }

  var workers: [any Service] { [jobs] }

  /// Plans the notices about an assignment as it is now.
  ///
  /// - Parameter before: As it was; `nil` for a new one.
  func plan(_ assignment: StoredAssignment, before: StoredAssignment?, in tx: Transaction) throws {
    let reminder = "assignment-due:\(assignment.id)"
    guard assignment.state == .published else {
      try Job.cancel(reminder, in: tx)
      return
    }
    var work = Work(
      kind: .published, course: assignment.course, assignment: assignment.id, dueAt: assignment.dueAt)
    let isNew = before?.state != .published
    if isNew {
      try pending.add(work, id: "assignment-published:\(assignment.id)", in: tx)
    } else if before?.dueAt != assignment.dueAt {
      work.kind = .dueChanged
      try pending.add(work, id: "assignment-changed:\(assignment.id)", in: tx)
    }
    guard isNew || before?.dueAt != assignment.dueAt else { return }
    try Job.cancel(reminder, in: tx)
    guard let due = assignment.dueAt?.advanced(bySeconds: -Self.dueSeconds), due > tx.now else { return }
    work.kind = .dueTomorrow
    try pending.add(work, id: reminder, dueAt: due, in: tx)
  }

  func cancel(_ assignment: AssignmentID, in tx: Transaction) throws {
    for kind in ["due", "published", "changed"] { try Job.cancel("assignment-\(kind):\(assignment)", in: tx) }
  }

  private static func students(for work: Work, in tx: Transaction) throws -> [UserID] {
    let unsubmitted: SQL = """
      NOT EXISTS (SELECT 1 FROM submissions s
        WHERE s.assignment_id = \(work.assignment) AND s.student_id = m.user_id AND s.count > 0)
      """
    return try CourseMemberStore.students(
      of: work.course, after: work.after, where: work.kind == .dueTomorrow ? unsubmitted : nil, limit: batch, in: tx
    ).map(\.user)
  }

  private static func notify(_ student: UserID, _ work: Work, in tx: Transaction) throws {
    let (title, text) =
      switch work.kind {
      case .published: ("New assignment", "There is a new assignment in one of your courses.")
      case .dueChanged: ("Due date changed", "An assignment in one of your courses has another due date.")
      case .dueTomorrow: ("Due tomorrow", "An assignment in one of your courses is due tomorrow.")
      }
    try CourseEvents.notify(
      student, "assignment.\(work.kind.rawValue)", work.course, work.assignment, title: title, text: text, in: tx)
  }
}
