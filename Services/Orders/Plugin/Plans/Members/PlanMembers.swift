import Contracts
import Persistence
import PlatformRules
import ServiceKit
import ServiceLifecycle

/// The members of group plans: whoever pays sees and removes them, and they leave on their own.
struct PlanMembers: Feature {
  private let core: OrdersCore
  private let transitions: SubscriptionTransitions
  private let names: PublicNames
  private let notices: any Worker

  init(_ core: OrdersCore, _ transitions: SubscriptionTransitions) throws {
    self.core = core
    self.transitions = transitions
    names = PublicNames(core.environment)
    notices = try transitions.notices.worker(core.environment, transitions)
  }

  var workers: [any Service] { [notices] }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListPlanMembers.self) { request, call in try await list(request, for: call.user.id) }
    routes.on(OrdersAPI.RemovePlanMember.self) { request, call in try await remove(request, by: call) }
    routes.on(OrdersAPI.ListPlanMemberships.self) { _, call in
      let user = try call.user.id
      return Page(items: try await core.database.read { db in try PlanMemberStore.memberships(of: user, in: db) })
    }
  }

  private func list(_ request: OrdersAPI.ListPlanMembers, for user: UserID) async throws -> Page<PlanMember> {
    let page = try request.page(by: UserID.self)
    let found = try await core.database.read { db in
      let subscription = try transitions.store.get(request.id, of: user, in: db)
      return try page.fetch(
        { try PlanMemberStore.list(of: subscription.id, after: $0, limit: $1, in: db) }, key: { $0.userID })
    }
    let known = await names.of(found.rows.map(\.userID))
    return found.with(
      found.rows.map { PlanMember(userID: $0.userID, name: known[$0.userID], joinedAt: $0.joinedAt) })
  }

  /// Removing a user who is no member has no effect.
  private func remove(_ request: OrdersAPI.RemovePlanMember, by call: Call) async throws {
    let user = try call.user.id
    try await core.database.write { tx in
      guard let subscription = try transitions.store.find(request.id, in: tx) else {
        throw Problem(.subscriptionNotFound)
      }
      let mayLeave = try request.userID == user && PlanMemberStore.exists(user, in: request.id, in: tx)
      guard subscription.user == user || mayLeave else { throw Problem(.subscriptionNotFound) }
      try transitions.remove(request.userID, from: subscription, in: tx)
      try PlanInvitationStore.delete(acceptedByOrFor: request.userID, of: request.id, in: tx)
      try tx.audit("plan-member.removed", object: "subscription:\(request.id)", by: call.auditActor)
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("planMemberships", try JSONValue(PlanMemberStore.memberships(of: user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try PlanMemberStore.delete(user, in: tx) }
}
