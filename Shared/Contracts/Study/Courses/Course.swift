public typealias CourseID = ID<Course>

/// A course as one of its members sees it.
public struct Course: Codable, Sendable, Equatable, Versioned {
  public enum State: String, WireEnum {
    case active
    /// Read-only.
    case archived
  }

  public var id: CourseID
  public var title: ShortText
  public var description: LongText?
  /// When it takes place, such as `Fall 2026`.
  public var term: ShortText?
  public var color: CourseColor?
  public var state: State
  /// The caller's role.
  public var role: CourseRole
  public var studentCount: Int
  public var createdAt: Timestamp
  public var version: Int
  public init(
    id: CourseID, title: ShortText, description: LongText?, term: ShortText?, color: CourseColor?, state: State,
    role: CourseRole, studentCount: Int, createdAt: Timestamp, version: Int
  ) {
    (self.id, self.title, self.description, self.term, self.color) = (id, title, description, term, color)
    (self.state, self.role, self.studentCount) = (state, role, studentCount)
    (self.createdAt, self.version) = (createdAt, version)
  }
}

/// The role of a member in a course.
public enum CourseRole: String, WireEnum {
  /// An instructor who also archives the course and chooses the other instructors.
  case owner
  case instructor
  case student

  public var teaches: Bool { self != .student }
}

/// A color of the form `#rrggbb`.
public struct CourseColor: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 7...7, pattern: "^#[0-9A-Fa-f]{6}$", example: "#3366cc", normalize: { $0.lowercased() },
    violation: { text in
      let digits = text.utf8.dropFirst()
      let isColor = text.utf8.first == UInt8(ascii: "#") && digits.allSatisfy { "0123456789abcdef".utf8.contains($0) }
      return isColor ? nil : "must be a color such as #3366cc"
    }
  )
}

/// The code by which students join a course: 8 characters without those that look alike (0, O, 1, I, L). Lower case,
/// spaces and hyphens are accepted.
public struct CourseCode: ValidatedString {
  public static let alphabet = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
  public static let count = 8

  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: count...count, pattern: "^[2-9A-HJKMNP-Z]{8}$", example: "K7RW2MXQ",
    normalize: { $0.uppercased().filter { $0 != " " && $0 != "-" } },
    violation: { $0.allSatisfy { alphabet.contains($0) } ? nil : "must be letters and digits without 0, O, 1, I, L" }
  )
}

/// The data that members of a course need to let others join.
public struct CourseJoining: Codable, Sendable, Equatable {
  /// Absent when no one can join by a code.
  public var code: CourseCode?
  public init(code: CourseCode?) { self.code = code }
}
