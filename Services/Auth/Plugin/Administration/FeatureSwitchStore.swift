import Contracts
import Persistence

/// The decisions of administrators about each feature switch.
enum FeatureSwitchStore {
  /// All switches, also those of which nothing is decided.
  static func list(in db: any Connection) throws -> [FeatureState] {
    let decided = try db.all("SELECT name, is_on, version FROM feature_switches") { row in
      FeatureState(name: try row["name"], isOn: try row["is_on"], version: try row["version"])
    }
    return FeatureSwitch.allCases.map { feature in
      decided.first { $0.name == feature.rawValue }
        ?? FeatureState(name: feature.rawValue, isOn: feature.isOnByDefault, version: 0)
    }
  }

  static func save(_ state: FeatureState, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO feature_switches (name, is_on, version) VALUES (\(state.name), \(state.isOn), \(state.version))
      ON CONFLICT (name) DO UPDATE SET is_on = excluded.is_on, version = excluded.version
      """
    )
  }
}
