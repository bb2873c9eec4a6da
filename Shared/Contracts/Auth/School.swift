public typealias SchoolID = ID<School>

/// An institution that manages accounts.
public struct School: Codable, Sendable, Equatable, Versioned {
  public var id: SchoolID
  public var name: ShortText
  public var country: CountryCode
  /// An inactive school keeps its members, but its staff can no longer manage them.
  public var isActive: Bool
  public var createdAt: Timestamp
  public var version: Int
  public init(
    id: SchoolID, name: ShortText, country: CountryCode, isActive: Bool, createdAt: Timestamp, version: Int
  ) {
    (self.id, self.name, self.country, self.isActive) = (id, name, country, isActive)
    (self.createdAt, self.version) = (createdAt, version)
  }
}

/// The role of someone at a school. Instructors and students have managed accounts; staff manage them.
public enum SchoolRole: String, WireEnum { case student, instructor, staff }

/// A role that a school's staff may give; staff are appointed by administrators.
public enum GivenSchoolRole: String, WireEnum {
  case student, instructor
  public var role: SchoolRole {
    switch self {
    case .student: .student
    case .instructor: .instructor
    }
  }
}

/// A member as the school's staff see it.
public struct SchoolMember: Codable, Sendable, Equatable {
  public var userID: UserID
  public var role: SchoolRole
  /// The school's own number of the member; unset for staff.
  public var number: SourceID?
  public var username: String?
  public var displayName: String
  /// Whether the member has not chosen a password yet.
  public var hasTemporaryPassword: Bool
  public var joinedAt: Timestamp
  public init(
    userID: UserID, role: SchoolRole, number: SourceID?, username: String?, displayName: String,
    hasTemporaryPassword: Bool, joinedAt: Timestamp
  ) {
    (self.userID, self.role, self.number, self.username) = (userID, role, number, username)
    (self.displayName, self.hasTemporaryPassword, self.joinedAt) = (displayName, hasTemporaryPassword, joinedAt)
  }
}

/// The caller's membership.
public struct SchoolMembership: Codable, Sendable, Equatable {
  public var school: School
  public var role: SchoolRole
  public init(school: School, role: SchoolRole) { (self.school, self.role) = (school, role) }
}

/// A password that a member uses once, to choose another one (``AuthAPI/ChooseFirstPassword``). It is not stored and
/// cannot be shown again.
public struct TemporaryPassword: Codable, Sendable, Equatable {
  public var userID: UserID
  public var number: SourceID
  public var username: String
  public var password: String
  public var expiresAt: Timestamp
  public init(userID: UserID, number: SourceID, username: String, password: String, expiresAt: Timestamp) {
    (self.userID, self.number, self.username) = (userID, number, username)
    (self.password, self.expiresAt) = (password, expiresAt)
  }
}

/// The outcome of an import of a list of members.
public struct SchoolImportReport: Codable, Sendable, Equatable {
  public var report: ImportReport
  /// The passwords of the accounts that were created, of members who came back, and of those whose unused temporary
  /// passwords had expired or were to be replaced.
  public var passwords: [TemporaryPassword]
  public init(report: ImportReport, passwords: [TemporaryPassword]) {
    (self.report, self.passwords) = (report, passwords)
  }
}
