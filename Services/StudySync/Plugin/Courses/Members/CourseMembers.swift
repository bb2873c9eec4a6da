import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The members of a course, and the code by which students join.
struct CourseMembers: Feature {
  /// Attempts with codes that do not exist.
  private static let guesses = RateLimit(10, per: 3600, pause: .doubling)

  private let core: CourseCore
  private let membership: CourseMembership

  init(_ core: CourseCore) { (self.core, membership) = (core, CourseMembership(core)) }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ListCourseMembers.self) { request, call in try await list(request, for: core.caller(call)) }
    routes.on(StudyAPI.RemoveCourseMember.self) { request, call in
      try await remove(request.user, from: request.id, by: core.caller(call))
    }
    routes.on(StudyAPI.JoinCourse.self) { request, call in try await join(request.code, core.caller(call)) }
    routes.on(StudyAPI.GetCourseCode.self) { request, call in
      let user = try core.caller(call)
      return try await core.database.read { db in
        _ = try CourseAccess.teaching(request.id, user, in: db)
        return CourseJoining(code: try core.store.code(of: request.id, in: db))
      }
    }
    routes.on(StudyAPI.RenewCourseCode.self) { request, call in
      let (user, code) = (try core.caller(call), Self.newCode())
      return try await core.database.write { tx in
        _ = try CourseAccess.editing(request.id, user, in: tx)
        try core.store.set(code, of: request.id, in: tx)
        return CourseJoining(code: code)
      }
    }
    routes.on(StudyAPI.DisableCourseCode.self) { request, call in
      try await disableCode(of: request.id, by: core.caller(call))
    }
  }

  private func list(_ request: StudyAPI.ListCourseMembers, for user: UserID) async throws -> Page<CourseMember> {
    let page = try request.page(by: UserID.self, limit: 50)
    let found = try await core.database.read { db in
      _ = try CourseAccess(request.id, of: user, in: db)
      return try page.fetch(
        { try CourseMemberStore.list(request.role, of: request.id, after: $0, limit: $1, in: db) }, key: { $0.user })
    }
    let names = await core.names.of(found.rows.map(\.user))
    return found.with(
      found.rows.map { CourseMember(userID: $0.user, name: names[$0.user], role: $0.role, joinedAt: $0.joinedAt) })
  }

  private func remove(_ member: UserID, from course: CourseID, by user: UserID) async throws {
    try await core.database.write { tx in
      let access = try CourseAccess(course, of: user, in: tx)
      if member != user, !access.role.teaches { throw Problem(.forbidden) }
      guard let other = try CourseAccess.find(course, of: member, in: tx) else { return }
      guard other.role != .owner else { throw Problem(.courseOwnerStays) }
      if member != user, other.role == .instructor { try access.requireOwner() }
      try membership.remove(member, from: course, in: tx)
      if member != user { try CourseRemovalStore.insert(member, from: course, in: tx) }
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let removals = try CourseRemovalStore.list(of: user, in: db).map { course, at -> JSONValue in
      ["course": .string(course.rawValue), "removedAt": .string(at.description)]
    }
    return [("courseRemovals", .array(removals))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try CourseRemovalStore.delete(of: user, in: tx) }

  // MARK: codes

  private func join(_ code: CourseCode, _ user: UserID) async throws -> Course {
    let limit = StoredLimit(Self.guesses, of: user.rawValue, for: "course-code", core.keys)
    // A failed attempt is counted, so it must not undo the transaction.
    let found = try await core.database.write { tx -> CourseID? in
      try limit.require(in: tx)
      guard let course = try core.store.find(code, in: tx),
        try CourseRemovalStore.find(user, from: course.id, in: tx) == nil
      else { return nil }
      guard course.state == .active else { throw Problem(.courseArchived) }
      try limit.undo(in: tx)
      try membership.join(user, course.id, as: .student, in: tx)
      return course.id
    }
    guard let id = found else { throw Problem(.courseCodeInvalid) }
    return try core.store.open(try await core.database.read { db in try CourseStore.get(id, of: user, in: db) })
  }

  private func disableCode(of course: CourseID, by user: UserID) async throws {
    try await core.database.write { tx in
      _ = try CourseAccess.teaching(course, user, in: tx)
      try core.store.set(nil, of: course, in: tx)
    }
  }

  /// 31⁸ codes: someone who tries one each quarter of an hour finds none.
  private static func newCode() -> CourseCode {
    let alphabet = Array(CourseCode.alphabet)
    var generator = SystemRandomNumberGenerator()
    let characters = (0..<CourseCode.count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
    return CourseCode(checked: String(characters))
  }
}
