import Contracts
import Persistence
import ServiceKit

/// Assignments and tests, written and published by instructors.
struct Assignments: Feature {
  static let maxCount = 200
  private static let maxMedia = 10

  private let core: CourseCore
  private let store: AssignmentStore

  init(_ core: CourseCore) { (self.core, store) = (core, AssignmentStore(keys: core.keys)) }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ListAssignments.self) { request, call in try await list(request, for: core.caller(call)) }
    routes.on(StudyAPI.CreateAssignment.self) { request, call in
      try await create(request, by: core.caller(call), call.idempotencyKey)
    }
    routes.on(StudyAPI.GetAssignment.self) { request, call in
      let user = try core.caller(call)
      let stored = try await core.database.read { db in
        try AssignmentStore.get(request.id, for: CourseAccess(request.course, of: user, in: db), in: db)
      }
      return try store.open(stored)
    }
    routes.on(StudyAPI.UpdateAssignment.self) { request, call in try await update(request, by: core.caller(call)) }
    routes.on(StudyAPI.DeleteAssignment.self) { request, call in try await delete(request, by: core.caller(call)) }
  }

  private func list(_ request: StudyAPI.ListAssignments, for user: UserID) async throws -> Page<Assignment> {
    let page = try request.page(by: AssignmentID.self, limit: 50)
    let found = try await core.database.read { db in
      let access = try CourseAccess(request.course, of: user, in: db)
      return try page.fetch(
        {
          try AssignmentStore.list(
            access.role.teaches ? nil : .published, of: request.course, after: $0, limit: $1, in: db)
        }, key: { $0.id })
    }
    return found.with(try found.rows.map(store.open))
  }

  private func create(_ request: StudyAPI.CreateAssignment, by user: UserID, _ key: IdempotentRequest?) async throws
    -> Assignment
  {
    let content = AssignmentStore.Content(title: request.title, instructions: request.instructions)
    let id: AssignmentID = core.ids.make()
    try Self.requireFew(request.media)
    try await core.media.require(request.media, of: user, for: id.topic)
    let stored = try await core.database.write { tx in
      let access = try CourseAccess.teaching(request.course, user, in: tx)
      let id = try tx.idempotent(key) {
        try access.requireActive()
        guard try AssignmentStore.count(of: request.course, in: tx) < Self.maxCount else {
          throw Problem(.courseLimit)
        }
        let assignment = StoredAssignment(
          id: id, course: request.course, kind: request.test == nil ? .work : .test,
          sealed: try store.seal(content, of: id), media: request.media ?? [], points: request.points.value,
          dueAt: request.dueAt, lateUntil: request.lateUntil, resubmission: request.resubmission ?? .untilGraded,
          test: request.test, state: request.state ?? .draft, createdAt: tx.now, version: 1)
        try check(assignment, before: nil, by: user, in: tx)
        try AssignmentStore.insert(assignment, in: tx)
        try CourseMedia.report(assignment, in: tx)
        try announce(assignment, before: nil, in: tx)
        return id
      }
      return try AssignmentStore.get(id, for: access, in: tx)
    }
    return try store.open(stored)
  }

  private func update(_ request: StudyAPI.UpdateAssignment, by user: UserID) async throws -> Assignment {
    try Self.requireFew(request.media)
    let known = try await core.database.read { db in
      try AssignmentStore.get(request.id, for: CourseAccess.teaching(request.course, user, in: db), in: db).media
    }
    try await core.media.require(request.media, besides: known, of: user, for: request.id.topic)
    let stored = try await core.database.write { tx in
      let access = try CourseAccess.editing(request.course, user, in: tx)
      let before = try AssignmentStore.get(request.id, for: access, in: tx)
      try request.ifMatch?.require(before.version)
      var after = before
      var content = try store.content(before)
      content.title = request.title ?? content.title
      content.instructions = request.instructions.applied(to: content.instructions)
      after.sealed = try store.seal(content, of: before.id)
      after.media = request.media ?? before.media
      after.points = request.points?.value ?? before.points
      after.dueAt = request.dueAt.applied(to: before.dueAt)
      after.lateUntil = request.lateUntil.applied(to: before.lateUntil)
      after.resubmission = request.resubmission ?? before.resubmission
      after.test = request.test ?? before.test
      after.state = request.state ?? before.state
      after.version += 1
      let isOther = after.points != before.points || after.test != before.test || after.state != before.state
      if try isOther && CourseTests.isInUse(before, in: tx) { throw Problem(.assignmentInUse) }
      try check(after, before: before, by: user, in: tx)
      try AssignmentStore.update(after, in: tx)
      try CourseMedia.report(after, in: tx)
      try announce(after, before: before, in: tx)
      return after
    }
    return try store.open(stored)
  }

  private func delete(_ request: StudyAPI.DeleteAssignment, by user: UserID) async throws {
    try await core.database.write { tx in
      let access = try CourseAccess.editing(request.course, user, in: tx)
      let assignment = try AssignmentStore.get(request.id, for: access, in: tx)
      guard try !CourseTests.isInUse(assignment, in: tx) else { throw Problem(.assignmentInUse) }
      try AssignmentStore.delete(assignment.id, in: tx)
      try CourseMedia.reportDeleted(assignment, in: tx)
      try core.notices.cancel(assignment.id, in: tx)
      if assignment.state == .published { try changed(assignment, in: tx) }
    }
  }

  private static func requireFew(_ media: [MediaID]?) throws {
    guard media?.count ?? 0 <= maxMedia else { throw Problem.invalid("media", "may have at most \(maxMedia) items") }
  }

  private func check(
    _ assignment: StoredAssignment, before: StoredAssignment?, by user: UserID, in tx: Transaction
  ) throws {
    if let late = assignment.lateUntil {
      guard let due = assignment.dueAt, late > due else { throw Problem.invalid("lateUntil", "must be after dueAt") }
    }
    guard (assignment.kind == .test) == (assignment.test != nil) else {
      throw Problem.invalid("test", "is for tests only")
    }
    guard let quiz = assignment.test?.quiz, quiz != before?.test?.quiz else { return }
    guard try core.quizzes.find(quiz, in: tx)?.ownerID == user,
      try AssignmentStore.find(testOf: quiz, in: tx) == nil
    else { throw Problem(.quizNotTestable) }
  }

  private func announce(_ assignment: StoredAssignment, before: StoredAssignment?, in tx: Transaction) throws {
    try core.notices.plan(assignment, before: before, in: tx)
    if assignment.state == .published || before?.state == .published { try changed(assignment, in: tx) }
  }

  private func changed(_ assignment: StoredAssignment, in tx: Transaction) throws {
    try CourseEvents.changed("assignments.changed", assignment.id.rawValue, in: assignment.course, tx)
  }
}
