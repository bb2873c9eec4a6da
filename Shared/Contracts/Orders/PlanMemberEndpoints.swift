extension OrdersAPI {
  /// Allowed for the subscriber only.
  public struct ListPlanMembers: PagedEndpoint {
    public typealias Response = Page<PlanMember>
    public static let operation = Operation.get(
      "/v1/subscriptions/{id}/members", "List the members of a group plan", problems: [.subscriptionNotFound]
    )
    public var id: SubscriptionID
    public var limit: PageSize?
    public var cursor: String?
    public init(id: SubscriptionID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.id, self.limit, self.cursor) = (id, limit, cursor)
    }
  }

  /// Either by e-mail, which contains a code, or by user id. Accepting takes a seat. The response does not reveal
  /// whether the user exists, or whether a message was sent: none is sent to those who were invited often, or across a
  /// block.
  public struct InvitePlanMember: Endpoint {
    public typealias Response = PlanInvitation
    public static let operation = Operation.post(
      "/v1/subscriptions/{id}/members", "Invite someone to a group plan", idempotency: .acceptsKey, success: 202,
      problems: [
        .subscriptionNotFound, .notGroupPlan, .planNotActive, .alreadyPlanMember, .tooManyPlanInvitations,
      ]
    )
    public var id: SubscriptionID
    public var email: EmailAddress?
    public var userID: UserID?
    public init(id: SubscriptionID, email: EmailAddress? = nil, userID: UserID? = nil) {
      (self.id, self.email, self.userID) = (id, email, userID)
    }
  }

  /// Removes a member; for the one who pays for the plan, and for the member.
  public struct RemovePlanMember: Endpoint {
    public static let operation = Operation.delete(
      "/v1/subscriptions/{id}/members/{userID}", "Remove a member of a group plan", success: 204,
      problems: [.subscriptionNotFound]
    )
    public var id: SubscriptionID
    public var userID: UserID
    public init(id: SubscriptionID, userID: UserID) { (self.id, self.userID) = (id, userID) }
  }

  /// Oldest first. Allowed for the subscriber only.
  public struct ListPlanInvitations: PagedEndpoint {
    public typealias Response = Page<PlanInvitation>
    public static let operation = Operation.get(
      "/v1/subscriptions/{id}/invitations", "List the open invitations to a group plan",
      problems: [.subscriptionNotFound]
    )
    public var id: SubscriptionID
    public var limit: PageSize?
    public var cursor: String?
    public init(id: SubscriptionID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.id, self.limit, self.cursor) = (id, limit, cursor)
    }
  }

  /// Its code is no longer valid. Has no effect on an invitation that does not exist.
  public struct DeletePlanInvitation: Endpoint {
    public static let operation = Operation.delete(
      "/v1/subscriptions/{id}/invitations/{invitation}", "Withdraw an invitation to a group plan", success: 204,
      problems: [.subscriptionNotFound]
    )
    public var id: SubscriptionID
    public var invitation: PlanInvitationID
    public init(id: SubscriptionID, invitation: PlanInvitationID) { (self.id, self.invitation) = (id, invitation) }
  }

  /// Only those for the caller's user id; the others have the code of their e-mail.
  public struct ListOwnPlanInvitations: PagedEndpoint {
    public typealias Response = Page<PlanInvitation>
    public static let operation = Operation.get("/v1/plan-invitations", "List the caller's invitations to group plans")
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  /// Takes a seat. Repeating it has no further effect.
  public struct AcceptPlanInvitation: Endpoint {
    public typealias Response = PlanMembership
    public static let operation = Operation.post(
      "/v1/plan-invitations/{code}/accept", "Accept an invitation to a group plan", idempotency: .idempotent,
      problems: [.planInvitationInvalid, .noSeatLeft]
    )
    public var code: PlanInvitationCode
    public init(code: PlanInvitationCode) { self.code = code }
  }

  /// Newest subscription first, at most 100.
  public struct ListPlanMemberships: Endpoint {
    public typealias Response = Page<PlanMembership>
    public static let operation = Operation.get("/v1/plan-memberships", "List the caller's memberships of group plans")
    public init() {}
  }
}

extension Problem.Kind {
  public static let planNotActive = Self(
    "plan-not-active", status: 409, "The plan is not paid",
    meaning: "The subscription to the plan is canceled or not paid.",
    remedy: "Let the owner pay for the plan first.")
  public static let notGroupPlan = Self(
    "not-group-plan", status: 409, "The plan has no seats",
    meaning: "The plan is for one person.",
    remedy: "Change to a plan with seats first.")
  public static let alreadyPlanMember = Self(
    "already-plan-member", status: 409, "The user is a member of the plan",
    meaning: "The user has a seat of the plan.",
    remedy: "Load the members of the plan again.")
  public static let tooManyPlanInvitations = Self(
    "too-many-plan-invitations", status: 409, "The plan has too many open invitations",
    meaning: "The plan has reached the limit of open invitations.",
    remedy: "Withdraw an invitation first.")
  public static let planInvitationInvalid = Self(
    "plan-invitation-invalid", status: 404, "There is no such invitation, or it has expired",
    meaning: "The invitation was withdrawn, used, or has expired.",
    remedy: "Ask the owner of the plan for a new one.")
  public static let noSeatLeft = Self(
    "no-seat-left", status: 409, "All seats of the plan are taken",
    meaning: "Every seat has a member.",
    remedy: "Let the owner add seats or remove a member.")
  public static let seatsInUse = Self(
    "seats-in-use", status: 409, "More seats are taken than would remain",
    meaning: "More members have seats than the plan would have.",
    remedy: "Remove members first.")
}
