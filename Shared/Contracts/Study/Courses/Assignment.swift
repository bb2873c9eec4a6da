public typealias AssignmentID = ID<Assignment>

/// Work that the students of a course submit, or a test that they take.
public struct Assignment: Codable, Sendable, Equatable, Versioned {
  public enum Kind: String, WireEnum {
    /// Texts and media, graded by an instructor.
    case work
    /// A quiz over attached study sets, graded at once.
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

/// How a test is made. Each attempt has questions of its own.
public struct CourseTest: Codable, Sendable, Equatable {
  /// 1 to 20 study sets that are materials of the course.
  public var sets: [StudySetID]
  public var questions: QuestionCount
  /// Seconds that an attempt may take; unlimited by default.
  public var timeLimit: TestSeconds?
  public var attempts: AttemptCount
  public init(sets: [StudySetID], questions: QuestionCount, timeLimit: TestSeconds?, attempts: AttemptCount) {
    (self.sets, self.questions, self.timeLimit, self.attempts) = (sets, questions, timeLimit, attempts)
  }

  public struct QuestionCount: BoundedInteger {
    public static let range = 1...200
    public let value: Int
    public init(checked: Int) { value = checked }
  }

  public struct TestSeconds: BoundedInteger {
    public static let range = 30...86_400
    public let value: Int
    public init(checked: Int) { value = checked }
  }

  /// How often a student may take the test; the best result counts.
  public struct AttemptCount: BoundedInteger {
    public static let range = 1...20
    public let value: Int
    public init(checked: Int) { value = checked }
  }
}
