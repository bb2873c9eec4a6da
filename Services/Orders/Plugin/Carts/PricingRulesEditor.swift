import Contracts
import Persistence
import ServiceKit

/// The tax and shipping rules that the owner sets. Without rules there is no tax, and shipping is free.
struct PricingRulesEditor: Feature {
  let database: any Database

  init(_ core: OrdersCore) { database = core.database }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.GetPricingRules.self) { _, _ in try await database.read { try Self.current(in: $0) } }
    routes.on(OrdersAPI.PutPricingRules.self) { request, call in try await put(request, by: call.auditActor) }
  }

  static func current(in db: any Connection) throws -> PricingRules {
    try db.first("SELECT rules FROM pricing_rules WHERE id = 1") { row in
      return try row[json: "rules"]
    } ?? PricingRules()
  }

  private func put(_ request: OrdersAPI.PutPricingRules, by actor: AuditActor) async throws -> PricingRules {
    for (position, rule) in request.shipping.enumerated() {
      let others = [rule.perKilogram, rule.freeFrom].compactMap { $0?.currency }
      guard others.allSatisfy({ $0 == rule.base.currency }) else {
        let location = "body.shipping[\(position)]"
        throw Problem(.invalidRequest, errors: [.init(location: location, message: "must use a single currency")])
      }
    }
    return try await database.write { tx in
      let before = try Self.current(in: tx)
      try request.ifMatch?.require(before.version)
      let rules = PricingRules(tax: request.tax, shipping: request.shipping, version: before.version + 1)
      try tx.execute(
        """
        INSERT INTO pricing_rules (id, rules, version) VALUES (1, \(json: rules), \(rules.version))
        ON CONFLICT (id) DO UPDATE SET rules = excluded.rules, version = excluded.version
        """
      )
      let changes = [AuditChange("version", from: String(before.version), to: String(rules.version))]
      try tx.audit("pricing-rules.changed", object: "pricing-rules", by: actor, changes: changes)
      return rules
    }
  }
}
