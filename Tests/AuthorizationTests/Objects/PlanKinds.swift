import Contracts
import Persistence
import ServiceKit
import TestKit

@testable import OrdersService

/// Subscriptions and who uses them.
extension MatrixFixtures {
  static let plans = [subscription, invitation]

  private static let subscription = MatrixKind(
    name: "subscription", api: OrdersAPI.self, path: "/v1/subscriptions/{id}",
    bodies: [
      "POST /v1/subscriptions/{id}/members": #"{"userID":"01890a5d-ac96-774b-bcce-b302099a9999"}"#,
      "PATCH /v1/subscriptions/{id}": #"{"renews":false}"#,
    ]
  ) { matrix, people in
    let id = try await subscribe(people.owner, matrix)
    return .init(id: id.rawValue, view: "/v1/subscriptions/\(id)")
  }

  /// For a user, who accepts it by its id; a code that was mailed is a secret that anybody may be given.
  private static let invitation = MatrixKind(
    name: "invitation to a plan", api: OrdersAPI.self, path: "/v1/plan-invitations/{code}"
  ) { matrix, people in
    let plan = try await subscribe(people.owner, matrix)
    let invitation = try await people.owner.client.send(
      OrdersAPI.InvitePlanMember(id: plan, userID: people.friend.id), idempotencyKey: matrix.test.ids.text())
    return .init(id: invitation.id.rawValue, view: "/v1/subscriptions/\(plan)/invitations")
  }

  /// A subscription that the provider has reported.
  private static func subscribe(_ user: TestUser, _ matrix: MatrixPlatform) async throws -> SubscriptionID {
    let core = try matrix.test.plugin(OrdersPlugin.self).core
    let until = core.time.now().advanced(bySeconds: 30 * 86_400)
    var new = StoredSubscription(
      id: core.ids.make(), user: user.id, plan: "school", provider: .storekit, reference: core.ids.text(),
      status: .active, until: until, accessUntil: until, createdAt: core.time.now(), changedAt: core.time.now())
    new.isActive = true
    let store = SubscriptionStore(keys: core.environment.dataKeys)
    try await core.database.write { [new] tx in _ = try store.insert(new, in: tx) }
    return new.id
  }
}
