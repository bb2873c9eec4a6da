/// Someone who sees a set.
public struct SetMember: Codable, Sendable, Equatable {
  public var userID: UserID
  /// Absent while the user's name is unavailable.
  public var user: PublicName?
  public var role: SetRole
  public init(userID: UserID, user: PublicName? = nil, role: SetRole) {
    (self.userID, self.user, self.role) = (userID, user, role)
  }
}

/// The role that a share gives.
public enum ShareRole: String, WireEnum { case viewer, editor }

public typealias SetLinkID = ID<SetLink>

/// A link by which whoever has it becomes a member.
public struct SetLink: Codable, Sendable, Equatable {
  public var id: SetLinkID
  public var role: ShareRole
  public var createdAt: Timestamp
  public var expiresAt: Timestamp
  /// How many users have joined by it.
  public var uses: Int
  /// The token for `POST /v1/study-sets/shares/accept`; only in the response that creates the link.
  public var token: String?
  public init(
    id: SetLinkID, role: ShareRole, createdAt: Timestamp, expiresAt: Timestamp, uses: Int, token: String? = nil
  ) {
    (self.id, self.role, self.createdAt, self.expiresAt) = (id, role, createdAt, expiresAt)
    (self.uses, self.token) = (uses, token)
  }
}

/// The users who see a set.
public struct SetShares: Codable, Sendable, Equatable {
  /// The owner first; without those who see the set only as members of a course. A viewer sees the owner and themselves.
  public var members: [SetMember]
  /// Links that have not expired, for the owner.
  public var links: [SetLink]
  /// The courses whose members read the set, for the owner.
  public var courses: [CourseID]
  /// The member whom the owner has offered the ownership; for these two.
  public var offeredTo: UserID?
  public init(members: [SetMember], links: [SetLink], courses: [CourseID] = [], offeredTo: UserID? = nil) {
    (self.members, self.links, self.courses, self.offeredTo) = (members, links, courses, offeredTo)
  }
}

/// The result of sharing: a member or a link.
public struct SetShare: Codable, Sendable, Equatable {
  public var member: SetMember?
  public var link: SetLink?
  public init(member: SetMember? = nil, link: SetLink? = nil) { (self.member, self.link) = (member, link) }
}

/// How long a link is valid: 1 to 365 days.
public struct LinkDays: BoundedInteger {
  public static let range = 1...365
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 30) }
}

/// The token of a link.
public struct SetLinkToken: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 20...100, pattern: "^[A-Za-z0-9_-]+$", example: "k3Jd81c0bQ9fZtV2mXw5Ag7RpLh4sNy6uEo",
    violation: { text in
      let isClean = text.utf8.allSatisfy { byte in
        byte.isLowercaseOrDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || "-_".utf8.contains(byte)
      }
      return isClean ? nil : "is not a token of a link"
    }
  )
}
