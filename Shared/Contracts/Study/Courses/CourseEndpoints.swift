extension StudyAPI {
  static let courses: [any Endpoint.Type] =
    [ListCourses.self, CreateCourse.self, GetCourse.self, UpdateCourse.self] + courseMembers + materials + assignments
    + submissions + discussions

  /// The courses of which the caller is a member, newest first.
  public struct ListCourses: PagedEndpoint {
    public typealias Response = Page<Course>
    public static let operation = Operation.get("/v1/courses", "List the caller's courses")
    /// All by default.
    public var state: Course.State?
    public var limit: PageSize?
    public var cursor: String?
    public init(state: Course.State? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.state, self.limit, self.cursor) = (state, limit, cursor)
    }
  }

  /// For instructors, owners and administrators, who become the owner of the course.
  public struct CreateCourse: Endpoint {
    public typealias Response = Course
    public static let operation = Operation.post(
      "/v1/courses", "Create a course", idempotency: .acceptsKey, success: 201, problems: [.courseLimit]
    )
    public var title: ShortText
    public var description: LongText?
    public var term: ShortText?
    public var color: CourseColor?
    public init(
      title: ShortText, description: LongText? = nil, term: ShortText? = nil, color: CourseColor? = nil
    ) {
      (self.title, self.description, self.term, self.color) = (title, description, term, color)
    }
  }

  public struct GetCourse: Endpoint {
    public typealias Response = Course
    public static let operation = Operation.get("/v1/courses/{id}", "Get a course", problems: [.courseNotFound])
    public var id: CourseID
    public init(id: CourseID) { self.id = id }
  }

  /// For instructors; only the owner archives a course or makes it active again.
  public struct UpdateCourse: Endpoint {
    public typealias Response = Course
    public static let operation = Operation.patch(
      "/v1/courses/{id}", "Update, archive or reopen a course", idempotency: .idempotent,
      problems: [.courseNotFound, .courseArchived, .courseLimit]
    )
    public var id: CourseID
    public var ifMatch: EntityTag?
    public var title: ShortText?
    public var description: Patch<LongText>
    public var term: Patch<ShortText>
    public var color: Patch<CourseColor>
    public var state: Course.State?
    public init(
      id: CourseID, ifMatch: EntityTag? = nil, title: ShortText? = nil, description: Patch<LongText> = .keep,
      term: Patch<ShortText> = .keep, color: Patch<CourseColor> = .keep, state: Course.State? = nil
    ) {
      (self.id, self.ifMatch, self.title, self.description) = (id, ifMatch, title, description)
      (self.term, self.color, self.state) = (term, color, state)
    }
  }
}

extension Problem.Kind {
  public static let courseNotFound = Self(
    "course-not-found", status: 404, "There is no such course",
    meaning: "The course does not exist, or the caller is not a member of it. The answer is the same for both.",
    remedy: "Load the list of courses again, or join by the code of the course.")
  public static let courseArchived = Self(
    "course-archived", status: 409, "The course is archived",
    meaning: "Archived courses can be read only, and no one can join them.",
    remedy: "Show the course without what would change it.")
  public static let courseLimit = Self(
    "course-limit", status: 409, "There are too many of these",
    meaning: "A limit of the course, or of the caller's courses, is reached.",
    remedy: "Remove something of the same kind first.")
}
