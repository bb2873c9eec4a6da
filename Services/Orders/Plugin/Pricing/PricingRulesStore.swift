import Contracts
import Persistence

/// The tax and shipping rules: one row, with the rules as JSON.
enum PricingRulesStore {
  static func find(in db: any Connection) throws -> PricingRules {
    try db.first("SELECT rules FROM pricing_rules WHERE id = 1") { row in try row[json: "rules"] } ?? PricingRules()
  }

  static func save(_ rules: PricingRules, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO pricing_rules (id, rules, version) VALUES (1, \(json: rules), \(rules.version))
      ON CONFLICT (id) DO UPDATE SET rules = excluded.rules, version = excluded.version
      """
    )
  }
}
