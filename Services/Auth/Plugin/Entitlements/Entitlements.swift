import Contracts
import Persistence
import ServiceKit

/// Puts the features that plans unlock into access tokens. When they change, the user's apps are asked to refresh
/// theirs; a token that is not refreshed keeps its features until it expires. Without further reports, the features of
/// a plan end by themselves.
struct Entitlements: Feature {
  func register(in routes: inout Routes) {
    routes.on(EntitlementChanged.self) { event, tx in
      let before = try EntitlementStore.features(of: event.userID, at: tx.now, in: tx)
      if event.isActive {
        let entitlement = EntitlementStore.Entitlement(
          subscription: event.subscriptionID, plan: event.plan, features: event.features, until: event.until,
          accessUntil: event.accessUntil)
        try EntitlementStore.save(entitlement, of: event.userID, in: tx)
      } else {
        try EntitlementStore.delete(event.subscriptionID, of: event.userID, in: tx)
      }
      let after = try EntitlementStore.features(of: event.userID, at: tx.now, in: tx)
      guard before != after else { return }
      let data: JSONValue = ["features": .array(after.map { .string($0.rawValue) })]
      try tx.record(RealtimeEvent(to: event.userID, "entitlement.changed", data))
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("entitlements", try JSONValue(EntitlementStore.list(of: user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try EntitlementStore.delete(of: user, in: tx) }
}
