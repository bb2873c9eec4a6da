/// A user whose features a group plan pays for.
public struct PlanMember: Codable, Sendable, Equatable {
  public var userID: UserID
  /// Absent when it is not known at the moment.
  public var name: PublicName?
  public var joinedAt: Timestamp
  public init(userID: UserID, name: PublicName?, joinedAt: Timestamp) {
    (self.userID, self.name, self.joinedAt) = (userID, name, joinedAt)
  }
}

public typealias PlanInvitationID = ID<PlanInvitation>

/// An invitation to a group plan, by e-mail or for a user.
public struct PlanInvitation: Codable, Sendable, Equatable {
  public var id: PlanInvitationID
  public var subscriptionID: SubscriptionID
  /// The name of the plan, such as `school`.
  public var plan: String
  /// Visible only to who pays for the plan.
  public var email: EmailAddress?
  public var userID: UserID?
  public var createdAt: Timestamp
  public var expiresAt: Timestamp
  public init(
    id: PlanInvitationID, subscriptionID: SubscriptionID, plan: String, email: EmailAddress?, userID: UserID?,
    createdAt: Timestamp, expiresAt: Timestamp
  ) {
    (self.id, self.subscriptionID, self.plan) = (id, subscriptionID, plan)
    (self.email, self.userID, self.createdAt, self.expiresAt) = (email, userID, createdAt, expiresAt)
  }
}

/// The code that accepts an invitation: that of the e-mail, or the id of an invitation for the caller. Never printed.
public struct PlanInvitationCode: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public var description: String { "(hidden)" }
  public static let rule = StringRule(
    length: 1...100,
    pattern: "^[A-Za-z0-9_-]{1,100}$",
    example: "3q2-7wAAABCd0mN4Yx1kq8hJ5uTzRfVb2LcWgEsPoIA",
    violation: { text in
      PercentCoding.encode(text) == text ? nil : "may contain only letters, digits, - and _"
    }
  )
}

/// The plan that a member uses.
public struct PlanMembership: Codable, Sendable, Equatable {
  public var subscriptionID: SubscriptionID
  public var plan: String
  public var isActive: Bool
  public var joinedAt: Timestamp
  public init(subscriptionID: SubscriptionID, plan: String, isActive: Bool, joinedAt: Timestamp) {
    (self.subscriptionID, self.plan, self.isActive, self.joinedAt) = (subscriptionID, plan, isActive, joinedAt)
  }
}
