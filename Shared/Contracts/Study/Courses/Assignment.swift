public typealias AssignmentID = ID<Assignment>

/// Work that the students of a course submit, or a test that they take.
public struct Assignment: Codable, Sendable, Equatable, Versioned {
  public enum Kind: String, WireEnum {
    /// Texts and media, graded by an instructor.
    case work
    /// A quiz, graded at once.
    case test
  }

  public enum State: String, WireEnum {
    /// Seen by instructors only.
    case draft
    case published
  }

  /// When a student may replace what was submitted.
  public enum Resubmission: String, WireEnum {
    case never, untilGraded
    /// Also after the grade was returned.
    case afterReturn
  }

  public var id: AssignmentID
  public var kind: Kind
  public var title: ShortText
  public var instructions: CourseText?
  public var media: [MediaID]
  /// The most that can be reached.
  public var points: Points
  public var dueAt: Timestamp?
  /// Until when submissions after `dueAt` are accepted and marked as late; without it, they are refused.
  public var lateUntil: Timestamp?
  public var resubmission: Resubmission
  /// For tests.
  public var test: CourseTest?
  public var state: State
  public var createdAt: Timestamp
  public var version: Int
  public init(
    id: AssignmentID, kind: Kind, title: ShortText, instructions: CourseText?, media: [MediaID], points: Points,
    dueAt: Timestamp?, lateUntil: Timestamp?, resubmission: Resubmission, test: CourseTest?, state: State,
    createdAt: Timestamp, version: Int
  ) {
    (self.id, self.kind, self.title, self.instructions) = (id, kind, title, instructions)
    (self.media, self.points, self.dueAt, self.lateUntil) = (media, points, dueAt, lateUntil)
    (self.resubmission, self.test, self.state) = (resubmission, test, state)
    (self.createdAt, self.version) = (createdAt, version)
  }
}

/// Points in hundredths: 10000 are 100 points. At most 10,000 points.
public struct Points: BoundedInteger {
  public static let range = 0...1_000_000
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 10_000) }
}

/// How a test is taken: by attempts at a quiz, whose results are the submissions.
public struct CourseTest: Codable, Sendable, Equatable {
  /// When right answers are shown to a student.
  public enum Solutions: String, WireEnum {
    case afterAttempt
    /// After `lateUntil`, or `dueAt` without it.
    case afterClosing
    case never
  }

  /// A quiz of the instructor, who may have one test of it. It may ask about sets that the students do not have.
  public var quiz: QuizID
  public var attempts: AttemptCount
  public var solutions: Solutions
  public init(quiz: QuizID, attempts: AttemptCount, solutions: Solutions) {
    (self.quiz, self.attempts, self.solutions) = (quiz, attempts, solutions)
  }

  /// How often a student may take the test, 1 to 20; the best result counts.
  public struct AttemptCount: BoundedInteger {
    public static let range = 1...20
    public let value: Int
    public init(checked: Int) { value = checked }
  }
}
