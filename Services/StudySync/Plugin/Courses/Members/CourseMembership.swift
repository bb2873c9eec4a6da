import Contracts
import Persistence
import ServiceKit

/// How users become members of courses and cease to be: with the study sets of the course, and the events that other
/// services and the gateway follow.
struct CourseMembership: Sendable {
  static let maxMembers = 1000
  /// Courses of which a user is a member.
  static let maxCourses = 500

  private let core: CourseCore

  init(_ core: CourseCore) { self.core = core }

  /// Adds a user. A member stays one; a student becomes an instructor when the role says so.
  func join(_ user: UserID, _ course: CourseID, as role: CourseRole, in tx: Transaction) throws {
    guard let access = try CourseAccess.find(course, of: user, in: tx) else {
      guard try CourseMemberStore.count(of: course, in: tx) < Self.maxMembers,
        try CourseMemberStore.memberships(of: user, in: tx).count < Self.maxCourses
      else { throw Problem(.courseLimit) }
      return try add(user, to: course, as: role, in: tx)
    }
    if role.teaches, !access.role.teaches { try change(user, of: course, to: role, in: tx) }
  }

  func add(_ user: UserID, to course: CourseID, as role: CourseRole, in tx: Transaction) throws {
    try CourseMemberStore.insert(user, into: course, as: role, in: tx)
    try CourseSets.grantAll(of: course, to: user, in: tx)
    try announce(user, role, in: course, tx)
  }

  func change(_ user: UserID, of course: CourseID, to role: CourseRole, in tx: Transaction) throws {
    try CourseMemberStore.update(user, of: course, to: role, in: tx)
    try announce(user, role, in: course, tx)
  }

  func remove(_ user: UserID, from course: CourseID, in tx: Transaction) throws {
    try CourseMemberStore.delete(user, from: course, in: tx)
    try CourseSets.revokeAll(of: course, from: user, in: tx)
    try announce(user, nil, in: course, tx)
    try tx.record(TopicAccessEnded([CourseEvents.topic(course)], for: user))
  }

  private func announce(_ user: UserID, _ role: CourseRole?, in course: CourseID, _ tx: Transaction) throws {
    try tx.record(CourseMembershipChanged(courseID: course, userID: user, role: role))
    try CourseEvents.changed("members.changed", in: course, tx)
  }
}
