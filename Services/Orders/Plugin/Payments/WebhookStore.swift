import Contracts
import Persistence

/// The ids of the notifications that payment providers have sent.
enum WebhookStore {
  /// - Returns: `false` for a duplicate.
  static func insert(_ id: String, of provider: PaymentProviderName, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      INSERT INTO webhook_events (provider, id, received_at) VALUES (\(provider), \(id), \(tx.now))
      ON CONFLICT DO NOTHING
      """
    ) == 1
  }

  static func delete(before moment: Timestamp, in tx: Transaction) throws {
    try tx.execute("DELETE FROM webhook_events WHERE received_at < \(moment)")
  }
}
