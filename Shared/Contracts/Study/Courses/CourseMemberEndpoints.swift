extension StudyAPI {
  static let courseMembers: [any Endpoint.Type] = [
    ListCourseMembers.self, RemoveCourseMember.self, JoinCourse.self, GetCourseCode.self, RenewCourseCode.self,
    DisableCourseCode.self, InviteToCourse.self, ListCourseInvitations.self, DeleteCourseInvitation.self,
    AcceptCourseInvitation.self,
  ]

  public struct ListCourseMembers: PagedEndpoint {
    public typealias Response = Page<CourseMember>
    public static let operation = Operation.get(
      "/v1/courses/{id}/members", "List the members of a course", problems: [.courseNotFound]
    )
    public var id: CourseID
    public var role: CourseRole?
    public var limit: PageSize?
    public var cursor: String?
    public init(id: CourseID, role: CourseRole? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.id, self.role, self.limit, self.cursor) = (id, role, limit, cursor)
    }
  }

  /// Instructors remove students, the owner removes instructors, and everyone but the owner leaves. What a student has
  /// submitted is kept for the time when they join again.
  public struct RemoveCourseMember: Endpoint {
    public static let operation = Operation.delete(
      "/v1/courses/{id}/members/{user}", "Leave a course, or remove a member", success: 204,
      problems: [.courseNotFound, .courseOwnerStays]
    )
    public var id: CourseID
    public var user: UserID
    public init(id: CourseID, user: UserID) { (self.id, self.user) = (id, user) }
  }

  /// Members stay what they are.
  public struct JoinCourse: Endpoint {
    public typealias Response = Course
    public static let operation = Operation.post(
      "/v1/courses/join", "Join a course with its code", idempotency: .idempotent,
      problems: [.courseCodeInvalid, .courseArchived, .courseLimit]
    )
    public var code: CourseCode
    public init(code: CourseCode) { self.code = code }
  }

  public struct GetCourseCode: Endpoint {
    public typealias Response = CourseJoining
    public static let operation = Operation.get(
      "/v1/courses/{id}/code", "Get the join code of a course", problems: [.courseNotFound]
    )
    public var id: CourseID
    public init(id: CourseID) { self.id = id }
  }

  /// The code before is no longer accepted.
  public struct RenewCourseCode: Endpoint {
    public typealias Response = CourseJoining
    public static let operation = Operation.post(
      "/v1/courses/{id}/code", "Replace the join code of a course", problems: [.courseNotFound, .courseArchived]
    )
    public var id: CourseID
    public init(id: CourseID) { self.id = id }
  }

  public struct DisableCourseCode: Endpoint {
    public static let operation = Operation.delete(
      "/v1/courses/{id}/code", "Delete the join code of a course", success: 204, problems: [.courseNotFound]
    )
    public var id: CourseID
    public init(id: CourseID) { self.id = id }
  }

  /// The e-mail has a token that is valid for 14 days, once; another invitation of the same address replaces it. Only the
  /// owner invites instructors.
  public struct InviteToCourse: Endpoint {
    public typealias Response = CourseInvitation
    public static let operation = Operation.post(
      "/v1/courses/{id}/invitations", "Invite someone to a course by e-mail", success: 201,
      problems: [.courseNotFound, .courseArchived, .courseLimit]
    )
    public var id: CourseID
    public var email: EmailAddress
    /// `student` by default.
    public var role: InvitedRole?
    public init(id: CourseID, email: EmailAddress, role: InvitedRole? = nil) {
      (self.id, self.email, self.role) = (id, email, role)
    }
  }

  public struct ListCourseInvitations: PagedEndpoint {
    public typealias Response = Page<CourseInvitation>
    public static let operation = Operation.get(
      "/v1/courses/{id}/invitations", "List the invitations to a course", problems: [.courseNotFound]
    )
    public var id: CourseID
    public var limit: PageSize?
    public var cursor: String?
    public init(id: CourseID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.id, self.limit, self.cursor) = (id, limit, cursor)
    }
  }

  public struct DeleteCourseInvitation: Endpoint {
    public static let operation = Operation.delete(
      "/v1/courses/{id}/invitations/{invitation}", "Withdraw an invitation", success: 204, problems: [.courseNotFound]
    )
    public var id: CourseID
    public var invitation: CourseInvitationID
    public init(id: CourseID, invitation: CourseInvitationID) { (self.id, self.invitation) = (id, invitation) }
  }

  /// Only instructors, owners and administrators accept an invitation as an instructor.
  public struct AcceptCourseInvitation: Endpoint {
    public typealias Response = Course
    public static let operation = Operation.post(
      "/v1/course-invitations/accept", "Accept an invitation to a course", idempotency: .acceptsKey,
      problems: [.courseInvitationInvalid, .courseArchived, .courseLimit]
    )
    public var token: CourseInvitationToken
    public init(token: CourseInvitationToken) { self.token = token }
  }
}

extension Problem.Kind {
  public static let courseCodeInvalid = Self(
    "course-code-invalid", status: 404, "No course has this code",
    meaning: "No course can be joined by this code; instructors may have replaced it.",
    remedy: "Check the code for typing mistakes, or ask the instructor for the current one.")
  public static let courseInvitationInvalid = Self(
    "course-invitation-invalid", status: 404, "The invitation is unknown, was used or has expired",
    meaning: "The invitation does not exist, was accepted before, or has expired.",
    remedy: "Ask the instructor for a new invitation.")
  public static let courseOwnerStays = Self(
    "course-owner-stays", status: 409, "The owner cannot leave the course",
    meaning: "A course always has its owner.",
    remedy: "Archive or delete the course instead.")
}
