import Contracts
import Persistence

/// Counts the reports of each listing's sale, so that a report that arrives late never overwrites a newer one.
enum ListingSaleStore {
  /// - Returns: The version of the next report.
  static func nextVersion(of listing: ListingID, in tx: Transaction) throws -> Int64 {
    try tx.execute(
      """
      INSERT INTO listing_sales (listing_id, version) VALUES (\(listing), 1)
      ON CONFLICT (listing_id) DO UPDATE SET version = listing_sales.version + 1
      """
    )
    return try tx.value("SELECT version FROM listing_sales WHERE listing_id = \(listing)") ?? 1
  }
}
