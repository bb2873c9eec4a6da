import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The grades of a course: a row for each student, each of whom sees only their own.
struct Grades: Feature {
  private let core: CourseCore

  init(_ core: CourseCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.GetGradebook.self) { request, call in try await gradebook(request, for: core.caller(call)) }
  }

  private func gradebook(_ request: StudyAPI.GetGradebook, for user: UserID) async throws -> Page<GradebookRow> {
    let page = try request.page(by: UserID.self)
    let (found, scores, role) = try await core.database.read { db in
      let access = try CourseAccess(request.course, of: user, in: db)
      let found = try Self.students(page, for: access, in: db)
      return (found, try CourseScores(of: found.rows.map(\.user), access, in: db), access.role)
    }
    let names = await core.names.of(found.rows.map(\.user))
    return found.with(found.rows.map { scores.row(of: $0.user, name: names[$0.user], for: role) })
  }

  /// The students that a member sees: instructors all of them, students themselves.
  static func students(_ page: PageRequest<UserID>, for access: CourseAccess, in db: any Connection) throws
    -> FetchedPage<CourseMemberStore.Stored>
  {
    try page.fetch(
      { after, limit in
        try CourseMemberStore.students(
          of: access.course, after: after, where: access.role.teaches ? nil : "m.user_id = \(access.user)",
          limit: limit, in: db)
      }, key: { $0.user })
  }
}

/// The submissions of students to a course, read in one transaction.
struct CourseScores: Sendable {
  private let assignments: [AssignmentID: StoredAssignment]
  private let submissions: [UserID: [StoredSubmission]]

  init(of students: [UserID], _ access: CourseAccess, in db: any Connection) throws {
    let all = try AssignmentStore.list(.published, of: access.course, limit: .max, in: db)
    assignments = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
    submissions = Dictionary(
      grouping: try SubmissionStore.list(of: access.course, by: students, in: db), by: \.student)
  }

  var assignmentCount: Int { assignments.count }

  func submittedCount(of student: UserID) -> Int { submissions[student, default: []].count { $0.count > 0 } }

  func row(of student: UserID, name: PublicName?, for role: CourseRole) -> GradebookRow {
    let own = submissions[student, default: []]
    let grades = own.map { submission in
      let showsGrade = role.teaches || submission.isReturned
      return GradebookRow.Grade(
        assignment: submission.assignment, submission: submission.id,
        state: showsGrade ? submission.state : .submitted,
        points: showsGrade ? submission.points.map { Points(checked: $0) } : nil, isLate: submission.isLate)
    }
    let visible = zip(own, grades).filter { role.teaches || $0.0.isKnownToStudent }.map(\.1)
    let returned = own.filter { $0.isReturned && $0.points != nil }
    return GradebookRow(
      student: student, name: name, grades: visible, points: returned.reduce(0) { $0 + ($1.points ?? 0) },
      maxPoints: returned.reduce(0) { $0 + (assignments[$1.assignment]?.points ?? 0) })
  }
}
