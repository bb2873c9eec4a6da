extension StudyAPI {
  static let submissions: [any Endpoint.Type] = [
    Submit.self, ListSubmissions.self, GetSubmission.self, GradeSubmission.self, GetGradebook.self,
    GetCourseProgress.self,
  ]

  /// Replaces what the caller has submitted before, as far as the assignment allows it. The same content again changes
  /// nothing.
  public struct Submit: Endpoint {
    public typealias Response = Submission
    public static let operation = Operation.put(
      "/v1/courses/{course}/assignments/{assignment}/submission", "Submit work for an assignment",
      problems: [
        .courseNotFound, .courseArchived, .assignmentClosed, .submissionFinal, .courseLimit, .mediaNotFound,
        .mediaNotReady,
      ]
    )
    public var course: CourseID
    public var assignment: AssignmentID
    public var ifMatch: EntityTag?
    public var text: CourseText?
    /// At most 20.
    public var media: [MediaID]?
    public init(
      course: CourseID, assignment: AssignmentID, ifMatch: EntityTag? = nil, text: CourseText? = nil,
      media: [MediaID]? = nil
    ) {
      (self.course, self.assignment, self.ifMatch) = (course, assignment, ifMatch)
      (self.text, self.media) = (text, media)
    }
  }

  /// Oldest first. Instructors see those of all students, students their own.
  public struct ListSubmissions: PagedEndpoint {
    public typealias Response = Page<Submission>
    public static let operation = Operation.get(
      "/v1/courses/{course}/submissions", "List submissions to the assignments of a course",
      problems: [.courseNotFound]
    )
    public var course: CourseID
    public var assignment: AssignmentID?
    public var student: UserID?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      course: CourseID, assignment: AssignmentID? = nil, student: UserID? = nil, limit: PageSize? = nil,
      cursor: String? = nil
    ) {
      (self.course, self.assignment, self.student) = (course, assignment, student)
      (self.limit, self.cursor) = (limit, cursor)
    }
  }

  public struct GetSubmission: Endpoint {
    public typealias Response = SubmissionDetails
    public static let operation = Operation.get(
      "/v1/courses/{course}/submissions/{id}", "Get a submission with its history", problems: [.courseNotFound]
    )
    public var course: CourseID
    public var id: SubmissionID
    public init(course: CourseID, id: SubmissionID) { (self.course, self.id) = (course, id) }
  }

  /// Also of a student who has submitted nothing. `If-Match` with the version of the submission makes sure that the
  /// student has not submitted another one meanwhile.
  public struct GradeSubmission: Endpoint {
    public typealias Response = Submission
    public static let operation = Operation.put(
      "/v1/courses/{course}/assignments/{assignment}/grades/{student}", "Grade a student's work",
      problems: [.courseNotFound, .courseArchived]
    )
    public var course: CourseID
    public var assignment: AssignmentID
    public var student: UserID
    public var ifMatch: EntityTag?
    /// At most those of the assignment.
    public var points: Points?
    public var feedback: CourseText?
    /// Whether the student sees it now; what was returned stays so.
    public var isReturned: Bool
    public init(
      course: CourseID, assignment: AssignmentID, student: UserID, ifMatch: EntityTag? = nil, points: Points?,
      feedback: CourseText? = nil, isReturned: Bool
    ) {
      (self.course, self.assignment, self.student) = (course, assignment, student)
      (self.ifMatch, self.points, self.feedback) = (ifMatch, points, feedback)
      self.isReturned = isReturned
    }
  }

  /// One row for each student; for students only their own.
  public struct GetGradebook: PagedEndpoint {
    public typealias Response = Page<GradebookRow>
    public static let operation = Operation.get(
      "/v1/courses/{course}/grades", "Get the grades of a course", problems: [.courseNotFound], cost: .costly
    )
    public var course: CourseID
    public var limit: PageSize?
    public var cursor: String?
    public init(course: CourseID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.course, self.limit, self.cursor) = (course, limit, cursor)
    }
  }

  /// One row for each student; for students only their own.
  public struct GetCourseProgress: PagedEndpoint {
    public typealias Response = Page<CourseProgress>
    public static let operation = Operation.get(
      "/v1/courses/{course}/progress", "Get the progress of a course's students", problems: [.courseNotFound]
    )
    public var course: CourseID
    public var limit: PageSize?
    public var cursor: String?
    public init(course: CourseID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.course, self.limit, self.cursor) = (course, limit, cursor)
    }
  }
}

extension Problem.Kind {
  public static let assignmentClosed = Self(
    "assignment-closed", status: 409, "The assignment is no longer open",
    meaning: "The assignment takes no submissions at this time.",
    remedy: "Show when the assignment was due; only the instructor can extend it.")
  public static let submissionFinal = Self(
    "submission-final", status: 409, "The submission can no longer be replaced",
    meaning: "The assignment does not allow another submission, or not any more.",
    remedy: "Show the submission as it is.")
}
