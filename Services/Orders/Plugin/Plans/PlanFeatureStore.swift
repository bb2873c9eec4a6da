import Contracts
import Persistence

/// The features of plans that were last reported to subscribers.
enum PlanFeatureStore {
  static func all(in db: any Connection) throws -> [String: Set<FeatureName>] {
    let rows = try db.all("SELECT plan, features FROM plan_features") { row -> (String, [FeatureName]) in
      (try row["plan"], try row[words: "features"])
    }
    return Dictionary(uniqueKeysWithValues: rows).mapValues { Set($0) }
  }

  static func save(_ plan: String, _ features: Set<FeatureName>, in tx: Transaction) throws {
    let sorted = features.sorted { $0.rawValue < $1.rawValue }
    try tx.execute(
      """
      INSERT INTO plan_features (plan, features) VALUES (\(plan), \(words: sorted))
      ON CONFLICT (plan) DO UPDATE SET features = excluded.features
      """
    )
  }
}
