/// A student's grades in a course.
public struct GradebookRow: Codable, Sendable, Equatable {
  public var student: UserID
  /// Absent when it is not known at the moment.
  public var name: PublicName?
  /// One for each assignment to which something was submitted or that was graded, oldest assignment first.
  public var grades: [Grade]
  /// The sum of the returned points, in hundredths.
  public var points: Int
  /// The maximum of the assignments with returned points, in hundredths.
  public var maxPoints: Int
  public init(student: UserID, name: PublicName?, grades: [Grade], points: Int, maxPoints: Int) {
    (self.student, self.name, self.grades) = (student, name, grades)
    (self.points, self.maxPoints) = (points, maxPoints)
  }

  public struct Grade: Codable, Sendable, Equatable {
    public var assignment: AssignmentID
    public var submission: SubmissionID
    public var state: Submission.State
    public var points: Points?
    public var isLate: Bool
    public init(
      assignment: AssignmentID, submission: SubmissionID, state: Submission.State, points: Points?, isLate: Bool
    ) {
      (self.assignment, self.submission, self.state) = (assignment, submission, state)
      (self.points, self.isLate) = (points, isLate)
    }
  }
}

/// How far a student of a course is.
public struct CourseProgress: Codable, Sendable, Equatable {
  public var student: UserID
  /// Absent when it is not known at the moment.
  public var name: PublicName?
  /// The published assignments, and those to which the student has submitted.
  public var assignmentCount: Int
  public var submittedCount: Int
  /// The sum of the returned points and what could have been reached with them, in hundredths.
  public var points: Int
  public var maxPoints: Int
  /// The study sets that are materials of the course.
  public var sets: [SetProgress]
  public init(
    student: UserID, name: PublicName?, assignmentCount: Int, submittedCount: Int, points: Int, maxPoints: Int,
    sets: [SetProgress]
  ) {
    (self.student, self.name, self.assignmentCount) = (student, name, assignmentCount)
    (self.submittedCount, self.points, self.maxPoints) = (submittedCount, points, maxPoints)
    self.sets = sets
  }

  public struct SetProgress: Codable, Sendable, Equatable {
    public var set: StudySetID
    public var mastery: CardMastery
    /// Time spent with the set since the day on which the student joined the course.
    public var studiedMilliseconds: Int64
    public init(set: StudySetID, mastery: CardMastery, studiedMilliseconds: Int64) {
      (self.set, self.mastery, self.studiedMilliseconds) = (set, mastery, studiedMilliseconds)
    }
  }
}
