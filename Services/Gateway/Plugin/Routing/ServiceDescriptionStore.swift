import Contracts
import Persistence

/// The descriptions that services have given, so that a restarted gateway also routes to those that do not respond.
enum ServiceDescriptionStore {
  /// Without those of another version of the gateway that cannot be read: the services describe themselves again.
  static func list(in db: any Connection) throws -> [ServiceDescription] {
    try db.all("SELECT description FROM services ORDER BY name") { row in
      try? row[json: "description"] as ServiceDescription
    }.compactMap(\.self)
  }

  static func save(_ description: ServiceDescription, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO services (name, description, learned_at) VALUES (\(description.name), \(json: description), \(tx.now))
      ON CONFLICT (name) DO UPDATE SET description = excluded.description, learned_at = excluded.learned_at
      """
    )
  }
}
