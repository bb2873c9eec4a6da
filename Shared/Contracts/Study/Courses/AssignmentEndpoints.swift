extension StudyAPI {
  static let assignments: [any Endpoint.Type] = [
    ListAssignments.self, CreateAssignment.self, GetAssignment.self, UpdateAssignment.self, DeleteAssignment.self,
  ]

  /// Oldest first. Students see those that are published.
  public struct ListAssignments: PagedEndpoint {
    public typealias Response = Page<Assignment>
    public static let operation = Operation.get(
      "/v1/courses/{course}/assignments", "List the assignments of a course", problems: [.courseNotFound]
    )
    public var course: CourseID
    public var limit: PageSize?
    public var cursor: String?
    public init(course: CourseID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.course, self.limit, self.cursor) = (course, limit, cursor)
    }
  }

  /// A test when `test` is set, otherwise work. Publishing notifies the students.
  public struct CreateAssignment: Endpoint {
    public typealias Response = Assignment
    public static let operation = Operation.post(
      "/v1/courses/{course}/assignments", "Create an assignment", idempotency: .acceptsKey, success: 201,
      problems: [.courseNotFound, .courseArchived, .courseLimit, .quizNotTestable, .mediaNotFound, .mediaNotReady]
    )
    public var course: CourseID
    public var title: ShortText
    public var instructions: CourseText?
    /// At most 10.
    public var media: [MediaID]?
    public var points: Points
    public var dueAt: Timestamp?
    public var lateUntil: Timestamp?
    /// `untilGraded` by default.
    public var resubmission: Assignment.Resubmission?
    public var test: CourseTest?
    /// `draft` by default.
    public var state: Assignment.State?
    public init(
      course: CourseID, title: ShortText, instructions: CourseText? = nil, media: [MediaID]? = nil, points: Points,
      dueAt: Timestamp? = nil, lateUntil: Timestamp? = nil, resubmission: Assignment.Resubmission? = nil,
      test: CourseTest? = nil, state: Assignment.State? = nil
    ) {
      (self.course, self.title, self.instructions, self.media) = (course, title, instructions, media)
      (self.points, self.dueAt, self.lateUntil) = (points, dueAt, lateUntil)
      (self.resubmission, self.test, self.state) = (resubmission, test, state)
    }
  }

  public struct GetAssignment: Endpoint {
    public typealias Response = Assignment
    public static let operation = Operation.get(
      "/v1/courses/{course}/assignments/{id}", "Get an assignment", problems: [.courseNotFound]
    )
    public var course: CourseID
    public var id: AssignmentID
    public init(course: CourseID, id: AssignmentID) { (self.course, self.id) = (course, id) }
  }

  /// A new due date notifies the students. Points, the test and the state stay once something was submitted or an attempt has begun.
  public struct UpdateAssignment: Endpoint {
    public typealias Response = Assignment
    public static let operation = Operation.patch(
      "/v1/courses/{course}/assignments/{id}", "Update or publish an assignment", idempotency: .idempotent,
      problems: [
        .courseNotFound, .courseArchived, .assignmentInUse, .quizNotTestable, .mediaNotFound, .mediaNotReady,
      ]
    )
    public var course: CourseID
    public var id: AssignmentID
    public var ifMatch: EntityTag?
    public var title: ShortText?
    public var instructions: Patch<CourseText>
    public var media: [MediaID]?
    public var points: Points?
    public var dueAt: Patch<Timestamp>
    public var lateUntil: Patch<Timestamp>
    public var resubmission: Assignment.Resubmission?
    public var test: CourseTest?
    public var state: Assignment.State?
    public init(
      course: CourseID, id: AssignmentID, ifMatch: EntityTag? = nil, title: ShortText? = nil,
      instructions: Patch<CourseText> = .keep, media: [MediaID]? = nil, points: Points? = nil,
      dueAt: Patch<Timestamp> = .keep, lateUntil: Patch<Timestamp> = .keep,
      resubmission: Assignment.Resubmission? = nil, test: CourseTest? = nil, state: Assignment.State? = nil
    ) {
      (self.course, self.id, self.ifMatch, self.title) = (course, id, ifMatch, title)
      (self.instructions, self.media, self.points) = (instructions, media, points)
      (self.dueAt, self.lateUntil, self.resubmission) = (dueAt, lateUntil, resubmission)
      (self.test, self.state) = (test, state)
    }
  }

  public struct DeleteAssignment: Endpoint {
    public static let operation = Operation.delete(
      "/v1/courses/{course}/assignments/{id}", "Delete an assignment without submissions", success: 204,
      problems: [.courseNotFound, .courseArchived, .assignmentInUse]
    )
    public var course: CourseID
    public var id: AssignmentID
    public init(course: CourseID, id: AssignmentID) { (self.course, self.id) = (course, id) }
  }
}

extension Problem.Kind {
  public static let quizNotTestable = Self(
    "quiz-not-testable", status: 409, "The quiz is unknown, belongs to someone else or is a test already",
    meaning: "Only a quiz of the caller that is not the test of an assignment yet can become one.",
    remedy: "Choose another quiz, or create one.")
  public static let assignmentInUse = Self(
    "assignment-in-use", status: 409, "Something was submitted or graded",
    meaning: "Submissions or grades refer to what would be changed.",
    remedy: "Create another assignment instead.")
}
