extension StudyAPI {
  static let sharing: [any Endpoint.Type] = [
    ListShares.self, ShareSet.self, ChangeShare.self, TakeOwnership.self, RemoveShare.self, RevokeSetLink.self,
    AcceptShare.self,
  ]

  public struct ListShares: Endpoint {
    public typealias Response = SetShares
    public static let operation = Operation.get(
      "/v1/study-sets/{id}/shares", "List the members and links of a set", problems: [.studySetNotFound]
    )
    public var id: StudySetID
    public init(id: StudySetID) { self.id = id }
  }

  /// For the owner: with a user (not by guests), who is notified, or by a link when neither `userID` nor `username` is given. Sharing
  /// with a member again changes the role.
  public struct ShareSet: Endpoint {
    public typealias Response = SetShare
    public static let operation = Operation.post(
      "/v1/study-sets/{id}/shares", "Share a set", publishes: true, success: 201,
      problems: [.studySetNotFound, .userNotFound, .tooManyShares, .tooManyStudySets]
    )
    public var id: StudySetID
    public var role: ShareRole
    public var userID: UserID?
    public var username: Username?
    /// How long a link is valid; 30 by default.
    public var days: LinkDays?
    public init(
      id: StudySetID, role: ShareRole, userID: UserID? = nil, username: Username? = nil, days: LinkDays? = nil
    ) {
      (self.id, self.role, self.userID, self.username, self.days) = (id, role, userID, username, days)
    }
  }

  /// For the owner. The role `owner` offers the ownership to the member; another role withdraws the offer.
  public struct ChangeShare: Endpoint {
    public typealias Response = SetShares
    public static let operation = Operation.patch(
      "/v1/study-sets/{id}/shares/{userID}", "Change the role of a member", idempotency: .idempotent,
      problems: [.studySetNotFound, .shareNotFound]
    )
    public var id: StudySetID
    public var userID: UserID
    public var role: SetRole
    public init(id: StudySetID, userID: UserID, role: SetRole) {
      (self.id, self.userID, self.role) = (id, userID, role)
    }
  }

  /// Accepts the ownership, as the member to whom it is offered: the owner before becomes an editor, and the set is no
  /// longer published.
  public struct TakeOwnership: Endpoint {
    public typealias Response = SetShares
    public static let operation = Operation.post(
      "/v1/study-sets/{id}/ownership", "Accept the ownership of a set",
      problems: [.studySetNotFound, .shareNotFound, .tooManyStudySets]
    )
    public var id: StudySetID
    public init(id: StudySetID) { self.id = id }
  }

  /// Removes a member, as the owner, or as the member, who leaves the set. Their devices delete their copies at the
  /// next synchronization.
  public struct RemoveShare: Endpoint {
    public static let operation = Operation.delete(
      "/v1/study-sets/{id}/shares/{userID}", "Remove a member from a set, or leave it", success: 204,
      problems: [.studySetNotFound]
    )
    public var id: StudySetID
    public var userID: UserID
    public init(id: StudySetID, userID: UserID) { (self.id, self.userID) = (id, userID) }
  }

  /// For the owner. Those who have joined by the link remain members.
  public struct RevokeSetLink: Endpoint {
    public static let operation = Operation.delete(
      "/v1/study-sets/{id}/links/{link}", "Revoke a link", success: 204, problems: [.studySetNotFound]
    )
    public var id: StudySetID
    public var link: SetLinkID
    public init(id: StudySetID, link: SetLinkID) { (self.id, self.link) = (id, link) }
  }

  /// A member who has a higher role keeps it.
  public struct AcceptShare: Endpoint {
    public typealias Response = StudySet
    public static let operation = Operation.post(
      "/v1/study-sets/shares/accept", "Join a set with a link", idempotency: .idempotent,
      problems: [.linkNotFound, .tooManyShares, .tooManyStudySets]
    )
    public var token: SetLinkToken
    public init(token: SetLinkToken) { self.token = token }
  }
}

extension Problem.Kind {
  public static let shareNotFound = Self(
    "share-not-found", status: 404, "The user is not a member of the set, or nothing was offered",
    meaning: "The user is not a member of the set, or nothing was offered to the caller.",
    remedy: "Load the members of the set again.")
  public static let linkNotFound = Self(
    "link-not-found", status: 404, "The link does not exist or has expired",
    meaning: "The link was never made, was withdrawn, or has expired.",
    remedy: "Ask whoever shared the link for a new one.")
  public static let tooManyShares = Self(
    "too-many-shares", status: 409, "The set is shared with too many users",
    meaning: "The set has reached the limit of users with whom it is shared.",
    remedy: "Remove a member, or publish the set in the library.")
}
