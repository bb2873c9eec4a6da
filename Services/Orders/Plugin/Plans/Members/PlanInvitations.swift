import Contracts
import Persistence
import PlatformRules
import ServiceKit
import ServiceLifecycle

/// Invitations to group plans, by e-mail or for a user. Seats are taken by those who accept.
struct PlanInvitations: Feature {
  static let lifetime = 14 * 86_400.0
  /// Open invitations per seat, for those who do not answer.
  private static let maxPerSeat = 3
  private static let maxOpen = 2000
  /// Invitations of one subscriber.
  private static let limit = RateLimit(500, per: 86_400, pause: .untilOneIsForgotten)
  /// Invitations of one subscriber to an address or a user.
  private static let repeated = RateLimit(3, per: 86_400, pause: .untilOneIsForgotten)
  /// Messages that an address or a user receives, from all subscribers together. Further invitations are stored without
  /// a message, so that no subscriber learns of others' invitations.
  private static let received = RateLimit(6, per: 86_400, pause: .untilOneIsForgotten)

  private let core: OrdersCore
  private let store: PlanInvitationStore
  private let transitions: SubscriptionTransitions
  private let mailer: Mailer
  private let purge: PeriodicTask

  init(_ core: OrdersCore, _ transitions: SubscriptionTransitions) throws {
    self.core = core
    store = PlanInvitationStore(keys: core.dataKeys)
    self.transitions = transitions
    mailer = try Mailer(core.environment)
    purge = PeriodicTask("plan-invitations.expire", per: .platform, every: .seconds(3600), logger: core.logger) {
      try await core.database.write { tx in try PlanInvitationStore.deleteExpired(in: tx) }
    }
  }

  var workers: [any Service] { mailer.workers + [purge] }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.InvitePlanMember.self) { request, call in try await invite(request, call) }
    routes.on(OrdersAPI.ListPlanInvitations.self) { request, call in try await list(request, of: call.user.id) }
    routes.on(OrdersAPI.DeletePlanInvitation.self) { request, call in try await delete(request, by: call.user.id) }
    routes.on(OrdersAPI.ListOwnPlanInvitations.self) { request, call in
      let (page, user, now) = (try request.page(by: PlanInvitationID.self), try call.user.id, core.time.now())
      let found = try await core.database.read { db in
        try page.fetch(
          { try PlanInvitationStore.list(for: user, after: $0, limit: $1, at: now, in: db) }, key: { $0.id })
      }
      return found.with(try found.rows.map { try store.open($0, showsAddress: false) })
    }
    routes.on(OrdersAPI.AcceptPlanInvitation.self) { request, call in try await accept(request.code, by: call) }
  }

  private func invite(_ request: OrdersAPI.InvitePlanMember, _ call: Call) async throws -> PlanInvitation {
    let (user, now) = (try call.user.id, core.time.now())
    guard [request.email.map { _ in 1 }, request.userID.map { _ in 1 }].compactMap({ $0 }).count == 1 else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.email", message: "either email or userID")])
    }
    let id: PlanInvitationID = core.ids.make()
    let code = request.email.map { _ in PlanInvitationCode(checked: Base64URL.encode(SecureBytes.random(32))) }
    let invitee = request.email?.rawValue ?? request.userID?.rawValue ?? ""
    let limits = [
      StoredLimit(Self.limit, of: user.rawValue, for: "plan-invitation", core.dataKeys),
      StoredLimit(Self.repeated, of: "\(user) \(invitee)", for: "plan-invitation-again", core.dataKeys),
    ]
    let received = StoredLimit(Self.received, of: invitee, for: "plan-invited", core.dataKeys)
    let made = try await core.database.write { tx in
      // The answer that is kept for a repetition has no address.
      try tx.idempotent(call.idempotencyKey) {
        let subscription = try transitions.store.get(request.id, of: user, in: tx)
        guard let seats = transitions.seats(of: subscription), seats > 0 else { throw Problem(.notGroupPlan) }
        // An unpaid plan sends no messages to others.
        guard subscription.isActive else { throw Problem(.planNotActive) }
        if let invited = request.userID, try PlanMemberStore.exists(invited, in: subscription.id, in: tx) {
          throw Problem(.alreadyPlanMember)
        }
        for limit in limits { try limit.require(in: tx) }
        let invitation = PlanInvitation(
          id: id, subscriptionID: subscription.id, plan: subscription.plan, email: request.email,
          userID: request.userID, createdAt: now, expiresAt: now.advanced(bySeconds: Self.lifetime))
        try store.save(invitation, code, in: tx)
        let maxOpen = min(seats * Self.maxPerSeat, Self.maxOpen)
        guard try PlanInvitationStore.countOpen(of: subscription.id, in: tx) <= maxOpen else {
          throw Problem(.tooManyPlanInvitations)
        }
        // Across a block it looks as to someone who does not answer: who has blocked whom is not revealed.
        let isBlocked = try request.userID.map { try ReportedBlocks.exist(between: user, and: $0, in: tx) } ?? false
        if try !isBlocked && received.take(in: tx) == nil { try notify(invitation, code, in: tx) }
        var kept = invitation
        kept.email = nil
        return kept
      }
    }
    var answer = made
    answer.email = request.email
    return answer
  }

  private func notify(_ invitation: PlanInvitation, _ code: PlanInvitationCode?, in tx: Transaction) throws {
    if let user = invitation.userID {
      let data: JSONValue = ["invitation": .string(invitation.id.rawValue), "plan": .string(invitation.plan)]
      try tx.record(RealtimeEvent(to: user, "plan.invited", data))
      try tx.record(PushRequested(to: user, title: "Invitation", text: "You are invited to a plan.", kind: .sharing))
    }
    guard let email = invitation.email, let code else { return }
    let title = transitions.plan(invitation.plan)?.title ?? invitation.plan
    try mailer.send(PlanMails.invitation(to: email, title, code), in: tx)
  }

  private func list(_ request: OrdersAPI.ListPlanInvitations, of user: UserID) async throws -> Page<PlanInvitation> {
    let (page, now) = (try request.page(by: PlanInvitationID.self), core.time.now())
    let found = try await core.database.read { db in
      let subscription = try transitions.store.get(request.id, of: user, in: db)
      return try page.fetch(
        { try PlanInvitationStore.list(of: subscription.id, after: $0, limit: $1, at: now, in: db) }, key: { $0.id })
    }
    return found.with(try found.rows.map { try store.open($0, showsAddress: true) })
  }

  private func delete(_ request: OrdersAPI.DeletePlanInvitation, by user: UserID) async throws {
    try await core.database.write { tx in
      let subscription = try transitions.store.get(request.id, of: user, in: tx)
      try PlanInvitationStore.delete(request.invitation, of: subscription.id, in: tx)
    }
  }

  private func accept(_ code: PlanInvitationCode, by call: Call) async throws -> PlanMembership {
    let user = try call.user.id
    return try await core.database.write { tx in
      guard let invitation = try store.find(code, by: user, in: tx),
        let subscription = try transitions.store.find(invitation.subscription, in: tx), subscription.isLiving,
        subscription.user != user
      else { throw Problem(.planInvitationInvalid) }
      if try !PlanMemberStore.exists(user, in: subscription.id, in: tx) {
        let seats = transitions.seats(of: subscription) ?? 0
        guard try PlanMemberStore.count(of: subscription.id, in: tx) < seats else { throw Problem(.noSeatLeft) }
        try PlanMemberStore.insert(user, into: subscription.id, in: tx)
        try tx.record(transitions.entitlement(of: user, from: subscription))
        try tx.audit("plan-member.joined", object: "subscription:\(subscription.id)", by: call.auditActor)
      }
      try PlanInvitationStore.accept(invitation.id, by: user, in: tx)
      let membership = try PlanMemberStore.memberships(of: user, in: tx).first { $0.subscriptionID == subscription.id }
      guard let membership else { throw Problem(.planInvitationInvalid) }
      return membership
    }
  }

  // MARK: privacy

  func erase(_ user: UserID, in tx: Transaction) throws { try PlanInvitationStore.delete(of: user, in: tx) }
}

/// The text contains the code instead of a link, because each app has its own links.
enum PlanMails {
  static func invitation(to email: EmailAddress, _ plan: String, _ code: PlanInvitationCode) -> MailMessage {
    MailMessage(
      to: email,
      subject: "Invitation to a plan",
      text: """
        You are invited to use the plan "\(plan)". Enter this code in the app; it is valid for 14 days:

        \(code.rawValue)

        If you do not know about this plan, you can ignore this message.
        """
    )
  }
}
