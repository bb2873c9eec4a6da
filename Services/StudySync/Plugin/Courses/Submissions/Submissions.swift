import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The submissions of students and their grading by instructors.
struct Submissions: Feature {
  static let maxVersions = 100
  private static let maxMedia = 20

  private let core: CourseCore
  private let store: SubmissionStore
  private let versions: SubmissionVersionStore

  init(_ core: CourseCore) {
    (self.core, store) = (core, SubmissionStore(keys: core.keys))
    versions = SubmissionVersionStore(keys: core.keys)
  }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.Submit.self) { request, call in try await submit(request, by: core.caller(call)) }
    routes.on(StudyAPI.ListSubmissions.self) { request, call in try await list(request, for: core.caller(call)) }
    routes.on(StudyAPI.GetSubmission.self) { request, call in try await get(request, for: core.caller(call)) }
    routes.on(StudyAPI.GradeSubmission.self, grade)
    routes.readers(CourseMedia.submissionKind) { reader, submissions in
      try await core.database.read { db in try CourseMedia.readableSubmissions(submissions, by: reader, in: db) }
    }
  }

  // MARK: students

  private func submit(_ request: StudyAPI.Submit, by user: UserID) async throws -> Submission {
    let content = SubmissionStore.Content(text: request.text, media: request.media ?? [])
    guard content.text != nil || !content.media.isEmpty else {
      throw Problem.invalid("text", "is required without media")
    }
    guard content.media.count <= Self.maxMedia else {
      throw Problem.invalid("media", "may have at most \(Self.maxMedia) items")
    }
    let fingerprint = try store.fingerprint(content)
    let known = try await core.database.read { db in
      let access = try CourseAccess(request.course, of: user, in: db)
      return try SubmissionStore.find(AssignmentStore.get(request.assignment, for: access, in: db).id, by: user, in: db)
    }
    let id = known?.id ?? core.ids.make()
    if known?.fingerprint != fingerprint {
      try await core.media.require(content.media, of: user, for: id.topic)
    }
    let stored = try await core.database.write { tx in
      let access = try CourseAccess(request.course, of: user, in: tx)
      guard access.role == .student else { throw Problem(.forbidden, detail: "Instructors do not submit.") }
      let assignment = try AssignmentStore.get(request.assignment, for: access, in: tx)
      guard assignment.kind == .work else {
        throw Problem(.invalidRequest, detail: "A test is submitted by finishing attempts at its quiz.")
      }
      let before = try SubmissionStore.find(assignment.id, by: user, in: tx)
      // A repeated request, whatever has happened since.
      if let before, before.fingerprint == fingerprint { return before }
      // One that arrives after a newer submission; a caller that names the version wants the old content again.
      if let before, request.ifMatch == nil,
        try SubmissionVersionStore.exists(fingerprint, of: before.id, in: tx)
      {
        return before
      }
      try access.requireActive()
      try request.ifMatch?.require(before?.version ?? 0)
      let isLate = try assignment.isLate(at: tx.now)
      if let before { try replace(before, of: assignment, in: tx) }
      var submission = before ?? StoredSubmission(id, by: user, to: assignment)
      submission.state = .submitted
      submission.sealedContent = try store.seal(content, of: submission.id)
      submission.fingerprint = fingerprint
      (submission.submittedAt, submission.isLate) = (tx.now, isLate)
      // The grade was for another version; it stays in the history.
      (submission.points, submission.sealedFeedback, submission.gradedAt) = (nil, nil, nil)
      submission.count += 1
      let saved = try SubmissionStore.save(submission, in: tx)
      try reportMedia(of: saved, in: tx)
      return saved
    }
    return try store.open(stored, for: .student)
  }

  private func reportMedia(of submission: StoredSubmission, in tx: Transaction) throws {
    let replaced = try SubmissionVersionStore.list(of: submission.id, in: tx).flatMap { try versions.open($0).media }
    try CourseMedia.report(Set(try store.content(submission)?.media ?? []).union(replaced), in: submission, tx)
  }

  /// Keeps the version that is about to be replaced.
  private func replace(_ submission: StoredSubmission, of assignment: StoredAssignment, in tx: Transaction) throws {
    guard let content = try store.content(submission) else { return }
    let isAllowed =
      switch assignment.resubmission {
      case .never: false
      case .untilGraded: submission.state == .submitted
      case .afterReturn: submission.state != .graded
      }
    guard isAllowed else { throw Problem(.submissionFinal) }
    guard submission.count < Self.maxVersions else { throw Problem(.courseLimit) }
    try versions.insert(content, of: submission, core.ids.text(), in: tx)
  }

  // MARK: reading

  private func list(_ request: StudyAPI.ListSubmissions, for user: UserID) async throws -> Page<Submission> {
    let page = try request.page(by: SubmissionID.self)
    let (found, role) = try await core.database.read { db in
      let access = try CourseAccess(request.course, of: user, in: db)
      guard access.role.teaches || request.student == nil || request.student == user else {
        throw Problem(.forbidden, detail: "Students see their own submissions.")
      }
      let found = try page.fetch(
        {
          try SubmissionStore.list(
            for: access, to: request.assignment, by: request.student, after: $0, limit: $1, in: db)
        }, key: { $0.id })
      return (found, access.role)
    }
    let names = await core.names.of(found.rows.map(\.student))
    return found.with(
      try found.rows.map { stored in
        var submission = try store.open(stored, for: role)
        submission.name = names[stored.student]
        return submission
      })
  }

  private func get(_ request: StudyAPI.GetSubmission, for user: UserID) async throws -> SubmissionDetails {
    let (stored, replaced, grades, role) = try await core.database.read { db in
      let access = try CourseAccess(request.course, of: user, in: db)
      let stored = try SubmissionStore.get(request.id, of: request.course, in: db)
      guard access.role.teaches || (stored.student == user && stored.isKnownToStudent) else { throw Problem(.notFound) }
      let grades = access.role.teaches ? try GradeStore.list(of: stored.id, in: db) : nil
      return (stored, try SubmissionVersionStore.list(of: stored.id, in: db), grades, access.role)
    }
    var submission = try store.open(stored, for: role)
    submission.name = await core.names.of([stored.student])[stored.student]
    return SubmissionDetails(submission: submission, versions: try replaced.map(versions.open), grades: grades)
  }

  // MARK: grading

  private func grade(_ request: StudyAPI.GradeSubmission, _ call: Call) async throws -> Submission {
    let user = try core.caller(call)
    let stored = try await core.database.write { tx in
      let access = try CourseAccess.editing(request.course, user, in: tx)
      let assignment = try AssignmentStore.get(request.assignment, for: access, in: tx)
      guard let student = try CourseAccess.find(request.course, of: request.student, in: tx), student.role == .student,
        assignment.state == .published
      else { throw Problem(.notFound) }
      let points = request.points?.value
      guard points ?? 0 <= assignment.points else {
        throw Problem.invalid("points", "must be at most \(assignment.points)")
      }
      let before = try SubmissionStore.find(assignment.id, by: student.user, in: tx)
      try request.ifMatch?.require(before?.version ?? 0)
      var submission = before ?? StoredSubmission(core.ids.make(), by: student.user, to: assignment)
      let feedback = try store.seal(feedback: request.feedback, of: submission.id)
      (submission.points, submission.sealedFeedback, submission.gradedAt) = (points, feedback, tx.now)
      submission.state = request.isReturned || submission.isReturned ? .returned : .graded
      let saved = try SubmissionStore.save(submission, in: tx)
      try SubmissionVersionStore.delete(of: saved.id, in: tx)
      if saved.count > 0 { try reportMedia(of: saved, in: tx) }
      try GradeStore.insert(core.ids.text(), points, of: saved.id, by: user, in: tx)
      try tx.audit(
        "submission.graded", object: "submission:\(saved.id)", by: call.auditActor,
        changes: [.masked("points", hadValue: before?.points != nil, hasValue: points != nil)])
      if saved.isReturned {
        try CourseEvents.notify(
          student.user, "submission.returned", request.course, assignment.id, title: "Grade returned",
          text: "An assignment in one of your courses was graded.", in: tx)
      }
      return saved
    }
    return try store.open(stored, for: .instructor)
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let own = try SubmissionStore.list(by: user, in: db).map { try JSONValue(store.open($0, for: .student)) }
    let replaced = try SubmissionVersionStore.list(by: user, in: db).map { try JSONValue(versions.open($0)) }
    return [("submissions", .array(own)), ("submissionVersions", .array(replaced))]
  }

  /// Everything of a student goes, the grades too; the grades that an instructor gave stay without the name.
  func erase(_ user: UserID, in tx: Transaction) throws {
    for submission in try SubmissionStore.list(by: user, in: tx) where submission.count > 0 {
      try CourseMedia.reportDeleted(submission, in: tx)
    }
    try SubmissionVersionStore.delete(by: user, in: tx)
    try GradeStore.delete(by: user, in: tx)
    try SubmissionStore.delete(by: user, in: tx)
    try GradeStore.forget(user, in: tx)
  }
}
