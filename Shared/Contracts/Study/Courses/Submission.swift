public typealias SubmissionID = ID<Submission>

/// The work that a student has submitted to an assignment, with its grade.
public struct Submission: Codable, Sendable, Equatable, Versioned {
  public enum State: String, WireEnum {
    case submitted
    /// Not yet shown to the student, who sees `submitted`.
    case graded
    /// The student sees grade and feedback.
    case returned
  }

  public var id: SubmissionID
  public var assignment: AssignmentID
  public var student: UserID
  /// Absent when it is not known at the moment.
  public var name: PublicName?
  public var state: State
  public var text: CourseText?
  public var media: [MediaID]
  /// The number of versions, or of attempts at a test; 0 when an instructor has graded without a submission.
  public var count: Int
  public var submittedAt: Timestamp?
  public var isLate: Bool
  public var points: Points?
  public var feedback: CourseText?
  public var gradedAt: Timestamp?
  public var version: Int
  public init(
    id: SubmissionID, assignment: AssignmentID, student: UserID, name: PublicName? = nil, state: State,
    text: CourseText? = nil, media: [MediaID], count: Int, submittedAt: Timestamp?, isLate: Bool,
    points: Points? = nil, feedback: CourseText? = nil, gradedAt: Timestamp? = nil, version: Int
  ) {
    (self.id, self.assignment, self.student, self.name) = (id, assignment, student, name)
    (self.state, self.text, self.media, self.count) = (state, text, media, count)
    (self.submittedAt, self.isLate, self.points) = (submittedAt, isLate, points)
    (self.feedback, self.gradedAt, self.version) = (feedback, gradedAt, version)
  }
}

/// A submission with what was before.
public struct SubmissionDetails: Codable, Sendable, Equatable, Versioned {
  public var submission: Submission
  /// Replaced versions, oldest first. They are deleted when the submission is graded.
  public var versions: [Version]
  /// Every grade, oldest first; for instructors.
  public var grades: [Grade]?
  public var version: Int { submission.version }
  public init(submission: Submission, versions: [Version], grades: [Grade]?) {
    (self.submission, self.versions, self.grades) = (submission, versions, grades)
  }

  public struct Version: Codable, Sendable, Equatable {
    public var number: Int
    public var text: CourseText?
    public var media: [MediaID]
    public var submittedAt: Timestamp
    public var isLate: Bool
    public init(number: Int, text: CourseText?, media: [MediaID], submittedAt: Timestamp, isLate: Bool) {
      (self.number, self.text, self.media) = (number, text, media)
      (self.submittedAt, self.isLate) = (submittedAt, isLate)
    }
  }

  public struct Grade: Codable, Sendable, Equatable {
    public var points: Points?
    /// Absent for tests and after the instructor's account was deleted.
    public var gradedBy: UserID?
    public var gradedAt: Timestamp
    public init(points: Points?, gradedBy: UserID?, gradedAt: Timestamp) {
      (self.points, self.gradedBy, self.gradedAt) = (points, gradedBy, gradedAt)
    }
  }
}
