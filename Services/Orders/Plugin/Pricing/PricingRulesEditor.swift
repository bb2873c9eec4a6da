import Contracts
import Persistence
import ServiceKit

/// The tax and shipping rules that the owner sets. Without tax rules there is no tax; without a
/// shipping rule for a region, nothing is shipped there.
struct PricingRulesEditor: Feature {
  let core: OrdersCore

  init(_ core: OrdersCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.GetPricingRules.self) { _, _ in
      try await core.database.read { try PricingRulesStore.find(in: $0) }
    }
    routes.on(OrdersAPI.PutPricingRules.self) { request, call in try await put(request, by: call.auditActor) }
  }

  private func put(_ request: OrdersAPI.PutPricingRules, by actor: AuditActor) async throws -> PricingRules {
    for (position, rule) in request.shipping.enumerated() {
      let others = [rule.perKilogram, rule.freeFrom].compactMap { $0?.currency }
      guard others.allSatisfy({ $0 == rule.base.currency }) else {
        let location = "body.shipping[\(position)]"
        throw Problem(.invalidRequest, errors: [.init(location: location, message: "must use a single currency")])
      }
    }
    return try await core.database.write { tx in
      let before = try PricingRulesStore.find(in: tx)
      try request.ifMatch?.require(before.version)
      let rules = PricingRules(tax: request.tax, shipping: request.shipping, version: before.version + 1)
      try PricingRulesStore.save(rules, in: tx)
      let changes = [AuditChange("version", from: String(before.version), to: String(rules.version))]
      try tx.audit("pricing-rules.changed", object: "pricing-rules", by: actor, changes: changes)
      return rules
    }
  }
}
