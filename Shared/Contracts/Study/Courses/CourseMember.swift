/// A member of a course, as other members see it.
public struct CourseMember: Codable, Sendable, Equatable {
  public var userID: UserID
  /// Absent when it is not known at the moment.
  public var name: PublicName?
  public var role: CourseRole
  public var joinedAt: Timestamp
  public init(userID: UserID, name: PublicName?, role: CourseRole, joinedAt: Timestamp) {
    (self.userID, self.name, self.role, self.joinedAt) = (userID, name, role, joinedAt)
  }
}

/// The roles to which instructors invite.
public enum InvitedRole: String, WireEnum {
  case student, instructor
}

public typealias CourseInvitationID = ID<CourseInvitation>

/// An invitation by e-mail that has not been accepted.
public struct CourseInvitation: Codable, Sendable, Equatable {
  public var id: CourseInvitationID
  public var email: EmailAddress
  public var role: InvitedRole
  public var createdAt: Timestamp
  public var expiresAt: Timestamp
  public init(
    id: CourseInvitationID, email: EmailAddress, role: InvitedRole, createdAt: Timestamp, expiresAt: Timestamp
  ) {
    (self.id, self.email, self.role, self.createdAt, self.expiresAt) = (id, email, role, createdAt, expiresAt)
  }
}

/// The token of an invitation. Never printed.
public struct CourseInvitationToken: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public var description: String { "(hidden)" }
  public static let rule = StringRule(length: 1...200, example: "3q2-7wAAABCd0mN4Yx1kq8hJ5uTzRfVb2LcWgEsPoIA")
}
