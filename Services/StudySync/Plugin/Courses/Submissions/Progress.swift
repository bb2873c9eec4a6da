import Contracts
import Persistence
import ServiceKit

/// How far the students of a course are: with its assignments and its study sets, nothing else. Instructors see all
/// students, students themselves.
struct Progress: Feature {
  private let core: CourseCore

  init(_ core: CourseCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.GetCourseProgress.self) { request, call in
      try await progress(request, for: core.caller(call))
    }
  }

  private func progress(_ request: StudyAPI.GetCourseProgress, for user: UserID) async throws -> Page<CourseProgress> {
    let page = try request.page(by: UserID.self)
    let (found, scores, sets, studied) = try await core.database.read { db in
      let access = try CourseAccess(request.course, of: user, in: db)
      let found = try Grades.students(page, for: access, in: db)
      let scores = try CourseScores(of: found.rows.map(\.user), access, in: db)
      let sets = try MaterialStore.sets(of: request.course, in: db)
      return (found, scores, sets, try SetsStudied(found.rows.map(\.user), sets, request.course, in: db))
    }
    let names = await core.names.of(found.rows.map(\.user))
    return found.with(
      found.rows.map { member in
        let row = scores.row(of: member.user, name: names[member.user], for: .student)
        return CourseProgress(
          student: member.user, name: row.name, assignmentCount: scores.assignmentCount,
          submittedCount: scores.submittedCount(of: member.user), points: row.points, maxPoints: row.maxPoints,
          sets: sets.map { studied.progress(of: member.user, in: $0) })
      })
  }
}

/// What students have learned of study sets.
struct SetsStudied: Sendable {
  private struct Key: Hashable {
    var user: UserID
    var set: StudySetID
  }

  private var milliseconds: [Key: Int64] = [:]

  /// Time counts from when a student joined the course.
  init(_ students: [UserID], _ sets: [StudySetID], _ course: CourseID, in db: any Connection) throws {
    let rows = try db.all(
      """
      SELECT l.user_id, l.set_id, CAST(SUM(l.milliseconds) AS BIGINT) AS milliseconds
      FROM study_log l JOIN course_members m ON m.course_id = \(course) AND m.user_id = l.user_id
      WHERE l.user_id IN \(list: students) AND l.set_id IN \(list: sets) AND l.at >= m.joined_at
      GROUP BY l.user_id, l.set_id
      """
    ) { row -> (key: Key, milliseconds: Int64) in
      (Key(user: try row["user_id"], set: try row["set_id"]), try row["milliseconds"])
    }
    milliseconds = Dictionary(rows.map { ($0.key, $0.milliseconds) }) { first, _ in first }
  }

  func progress(of user: UserID, in set: StudySetID) -> CourseProgress.SetProgress {
    CourseProgress.SetProgress(set: set, studiedMilliseconds: milliseconds[Key(user: user, set: set)] ?? 0)
  }
}
