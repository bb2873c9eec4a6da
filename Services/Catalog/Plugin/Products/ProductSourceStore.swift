import Contracts
import Persistence

/// The imported products, and the rows that they came from.
enum ProductSourceStore {
  struct Source: Sendable {
    var product: ProductID
    /// The fingerprint of the row that was imported last.
    var fingerprint: String
  }

  static func find(_ keys: [String], in db: any Connection) throws -> [String: Source] {
    let found = try db.all(
      "SELECT source, product_id, fingerprint FROM product_sources WHERE source IN \(list: keys)"
    ) { row -> (String, Source) in
      (try row["source"], Source(product: try row["product_id"], fingerprint: try row["fingerprint"]))
    }
    return Dictionary(found) { first, _ in first }
  }

  static func save(_ key: String, _ source: Source, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO product_sources (source, product_id, fingerprint)
      VALUES (\(key), \(source.product), \(source.fingerprint))
      ON CONFLICT (source) DO UPDATE SET product_id = excluded.product_id, fingerprint = excluded.fingerprint
      """
    )
  }

  /// A deleted product can be imported again.
  static func delete(of product: ProductID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM product_sources WHERE product_id = \(product)")
  }
}
