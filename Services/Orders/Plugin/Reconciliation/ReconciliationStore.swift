import Contracts
import Persistence

/// The booked payments and refunds, and which of them a provider's report contains.
enum ReconciliationStore {
  /// A payment, with what the ledger says the provider received for it.
  struct BookedPayment: Sendable {
    var id: PaymentID
    var order: OrderID
    var reference: String?
    /// The amount that the provider was asked for.
    var amount: Money
    /// `nil` when nothing is booked.
    var booked: Money?
    var createdAt: Timestamp
  }

  /// A refund, with what the ledger says the provider returned for it.
  struct BookedRefund: Sendable {
    var id: RefundID
    /// The provider's id of the payment.
    var payment: String
    var reference: String?
    var status: Refund.Status
    var booked: Money?
    var createdAt: Timestamp
  }

  private static let payments: SQL = """
    SELECT p.id, p.order_id, p.reference, p.amount, p.currency, p.created_at, t.amount AS booked,
      t.currency AS booked_currency
    FROM payments p LEFT JOIN ledger_transfers t ON t.id = p.id || ':payment'
    """
  private static let refunds: SQL = """
    SELECT r.id, r.reference, r.status, r.created_at, p.reference AS payment, t.amount AS booked,
      t.currency AS booked_currency
    FROM refunds r JOIN payments p ON p.id = r.payment_id LEFT JOIN ledger_transfers t ON t.id = r.id || ':refund'
    """

  static func payments(_ references: [String], of provider: PaymentProviderName, in db: any Connection) throws
    -> [BookedPayment]
  {
    try db.all(
      "\(payments) WHERE p.provider = \(provider) AND p.reference IN \(list: references) ORDER BY p.id", decode)
  }

  /// Payments whose ids a provider reports; the response with its own id may have been lost.
  static func payments(_ ids: [PaymentID], of provider: PaymentProviderName, in db: any Connection) throws
    -> [BookedPayment]
  {
    try db.all("\(payments) WHERE p.id IN \(list: ids) AND p.provider = \(provider) ORDER BY p.id", decode)
  }

  static func refunds(ofPayments references: [String], of provider: PaymentProviderName, in db: any Connection) throws
    -> [BookedRefund]
  {
    try db.all(
      """
      \(refunds)
      WHERE r.order_id IN (SELECT q.order_id FROM payments q
                           WHERE q.provider = \(provider) AND q.reference IN \(list: references))
        AND p.provider = \(provider)
      ORDER BY r.id
      """,
      decodeRefund)
  }

  /// Booked payments since a time that a report does not contain, oldest first.
  static func unseenPayments(
    _ run: String, of provider: PaymentProviderName, since: Timestamp, after last: BookedPayment?, in db: any Connection
  ) throws -> [BookedPayment] {
    let (time, id) = (last?.createdAt ?? since, last?.id.rawValue ?? "")
    return try db.all(
      """
      \(payments)
      WHERE p.provider = \(provider) AND (p.created_at, p.id) > (\(time), \(id))
        AND t.id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM reconciliation_seen s WHERE s.run = \(run) AND s.object = p.id)
      ORDER BY p.created_at, p.id LIMIT 100
      """,
      decode)
  }

  /// Refunds since a time that a provider has made and a report does not contain, oldest first.
  static func unseenRefunds(
    _ run: String, of provider: PaymentProviderName, since: Timestamp, after last: BookedRefund?, in db: any Connection
  ) throws -> [BookedRefund] {
    let (time, id) = (last?.createdAt ?? since, last?.id.rawValue ?? "")
    return try db.all(
      """
      \(refunds)
      WHERE (r.created_at, r.id) > (\(time), \(id)) AND r.status = 'succeeded'
        AND p.provider = \(provider)
        AND NOT EXISTS (SELECT 1 FROM reconciliation_seen s WHERE s.run = \(run) AND s.object = r.id)
      ORDER BY r.created_at, r.id LIMIT 100
      """,
      decodeRefund)
  }

  private static func decode(_ row: Row) throws -> BookedPayment {
    BookedPayment(
      id: try row["id"], order: try row["order_id"], reference: try row["reference"],
      amount: try row.money("amount", "currency"), booked: try row.money("booked", "booked_currency"),
      createdAt: try row["created_at"])
  }

  private static func decodeRefund(_ row: Row) throws -> BookedRefund {
    BookedRefund(
      id: try row["id"], payment: try row["payment"], reference: try row["reference"], status: try row["status"],
      booked: try row.money("booked", "booked_currency"), createdAt: try row["created_at"])
  }

  // MARK: writing

  static func see(_ objects: [String], _ run: String, in tx: Transaction) throws {
    for object in objects {
      try tx.execute(
        """
        INSERT INTO reconciliation_seen (run, object, seen_at) VALUES (\(run), \(object), \(tx.now))
        ON CONFLICT DO NOTHING
        """
      )
    }
  }

  /// Forgets a comparison, and those that were interrupted a day ago.
  static func end(_ run: String, in tx: Transaction) throws {
    try tx.execute("DELETE FROM reconciliation_seen WHERE run = \(run)")
    try tx.execute("DELETE FROM reconciliation_seen WHERE seen_at < \(tx.now.advanced(bySeconds: -86_400))")
  }
}
