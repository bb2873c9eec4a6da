import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// How far the students of a course are: with its assignments and its study sets, nothing else. Instructors see all
/// students, students themselves.
struct StudentProgress: Feature {
  private let core: CourseCore

  init(_ core: CourseCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.GetCourseProgress.self) { request, call in
      try await progress(request, for: core.caller(call))
    }
  }

  private func progress(_ request: StudyAPI.GetCourseProgress, for user: UserID) async throws -> Page<CourseProgress> {
    let page = try request.page(by: UserID.self, limit: 10)
    let now = core.time.now()
    let (found, scores, studied) = try await core.database.read { db in
      let access = try CourseAccess(request.course, of: user, in: db)
      let found = try Grades.students(page, for: access, in: db)
      let students = found.rows.map(\.user)
      let studied = try SetsStudied(students, request.course, core.records, at: now, in: db)
      return (found, try CourseScores(of: students, access, in: db), studied)
    }
    let names = await core.names.of(found.rows.map(\.user))
    return found.with(
      found.rows.map { member in
        let row = scores.row(of: member.user, name: names[member.user], for: .student)
        return CourseProgress(
          student: member.user, name: row.name, assignmentCount: scores.assignmentCount,
          submittedCount: scores.submittedCount(of: member.user), points: row.points, maxPoints: row.maxPoints,
          sets: studied.progress(of: member.user))
      })
  }
}

/// The progress of students in the study sets of a course.
private struct SetsStudied: Sendable {
  private struct Key: Hashable {
    var user: UserID
    var set: StudySetID
  }

  private let sets: [StudySetID]
  private let cards: [StudySetID: Int]
  private let known: [UserID: [StudySetID: SetProgress]]
  private let milliseconds: [Key: Int64]

  init(_ students: [UserID], _ course: CourseID, _ records: RecordStore, at now: Timestamp, in db: any Connection)
    throws
  {
    sets = try MaterialStore.sets(of: course, in: db)
    cards = try SetProgress.cardCounts(of: sets, in: db)
    known = try SetProgress.of(students, in: sets, records, at: now, db)
    // Days are local, so the one on which a student joined may have begun or ended up to a day before or after.
    let rows = try db.all(
      """
      SELECT d.user_id, d.set_id, CAST(SUM(d.milliseconds) AS BIGINT) AS milliseconds
      FROM study_days d JOIN course_members m ON m.course_id = \(course) AND m.user_id = d.user_id
      WHERE d.user_id IN \(list: students) AND d.set_id IN \(list: sets)
        AND d.day >= m.joined_at / 86400000000 - 2 AND d.last_at >= m.joined_at
      GROUP BY d.user_id, d.set_id
      """
    ) { row -> (key: Key, milliseconds: Int64) in
      (Key(user: try row["user_id"], set: try row["set_id"]), try row["milliseconds"])
    }
    milliseconds = Dictionary(rows.map { ($0.key, $0.milliseconds) }) { first, _ in first }
  }

  func progress(of user: UserID) -> [CourseProgress.SetProgress] {
    sets.map { set in
      CourseProgress.SetProgress(
        set: set, mastery: known[user]?[set]?.mastery ?? CardMastery(new: cards[set] ?? 0),
        studiedMilliseconds: milliseconds[Key(user: user, set: set)] ?? 0)
    }
  }
}
