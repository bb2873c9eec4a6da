import Contracts
import Persistence
import ServiceKit

/// Students and instructors of a course reach each other's inbox. The courses themselves, and the export of memberships,
/// are with the service of study.
struct CourseMembers: Feature {
  func register(in routes: inout Routes) {
    routes.on(CourseMembershipChanged.self) { event, tx in
      switch event.role {
      case nil: try CourseMemberStore.delete(event.userID, from: event.courseID, in: tx)
      case _?: try CourseMemberStore.insert(event.userID, into: event.courseID, in: tx)
      }
    }
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try CourseMemberStore.delete(user, in: tx) }
}
