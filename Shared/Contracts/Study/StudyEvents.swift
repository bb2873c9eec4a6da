/// A user has joined a course, has another role in it or has left. The members of a course with their roles are the sum
/// of its events, for services that let students and their instructors reach each other.
public struct CourseMembershipChanged: Event {
  public static let type = "app.quintet.study-sync.course-membership-changed"
  public var courseID: CourseID
  public var userID: UserID
  /// Absent for a user who has left.
  public var role: CourseRole?
  public var subject: String { courseID.rawValue }
  public init(courseID: CourseID, userID: UserID, role: CourseRole?) {
    (self.courseID, self.userID, self.role) = (courseID, userID, role)
  }
}
