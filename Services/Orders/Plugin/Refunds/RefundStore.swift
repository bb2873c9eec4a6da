import Contracts
import Persistence

/// A refund as stored.
struct StoredRefund: Sendable, Equatable {
  var id: RefundID
  var orderID: OrderID
  /// The payment that is refunded; `nil` for a refund to store credit.
  var payment: PaymentID?
  var amount: Money
  /// Whether it refunds a payment that was not due, because the order was already paid or had ended.
  var isSurplus = false
  /// The payment that was not due, if store credit makes up for it.
  var surplusPayment: PaymentID?
  var status = Refund.Status.pending
  var reason: String?
  /// The provider's id of the refund or dispute.
  var reference: String?
  var failure: String?
  /// Whether the provider made it on its own account.
  var isByProvider = false
  /// The part of a failed refund that the buyer has got another way.
  var settled: Int64 = 0
  /// The part of a provider's refund that exceeded what was left of the order, and that the shop has borne.
  var loss: Int64 = 0
  var createdAt = Timestamp(microseconds: 0)

  /// The payment that was not due, for a refund of one.
  var surplus: PaymentID? { isSurplus ? surplusPayment ?? payment : nil }
  /// Whether the provider has not yet accepted it.
  var isDue: Bool { status == .pending && reference == nil }
  /// The amount that a failed refund still owes to the buyer.
  var owed: Int64 { status == .failed ? amount.amount - settled : 0 }

  func response(_ parts: [RefundPart]) -> Refund {
    func money(_ amount: Int64) -> Money { Money(amount, self.amount.currency) }
    return Refund(
      id: id, orderID: orderID, amount: amount, toCredit: payment == nil, status: status, reason: reason,
      failure: failure, isByProvider: isByProvider,
      lines: parts.filter { $0.position != RefundPart.shipping }.map {
        Refund.Line(position: $0.position, quantity: $0.quantity, amount: money($0.shares.total))
      },
      shipping: parts.first { $0.position == RefundPart.shipping }.map { money($0.shares.total) },
      owed: owed > 0 ? money(owed) : nil, createdAt: createdAt
    )
  }
}

enum RefundStore {
  // MARK: reading

  static func list(of order: OrderID, in db: any Connection) throws -> [StoredRefund] {
    try db.all("SELECT \(columns) FROM refunds WHERE order_id = \(order) ORDER BY id", decode)
  }

  /// Refunds that match the condition, newest first.
  static func list(_ condition: SQL, before cursor: RefundID?, limit: Int, in db: any Connection) throws
    -> [StoredRefund]
  {
    let filter = SQL.and(condition, cursor.map { "id < \($0)" })
    return try db.all("SELECT \(columns) FROM refunds WHERE \(filter) ORDER BY id DESC LIMIT \(limit)", decode)
  }

  static func find(_ id: RefundID, in db: any Connection) throws -> StoredRefund? {
    try db.first("SELECT \(columns) FROM refunds WHERE id = \(id)", decode)
  }

  /// The refund that a provider made on its own account.
  static func find(of payment: PaymentID, reference: String, in db: any Connection) throws -> StoredRefund? {
    try db.first(
      """
      SELECT \(columns) FROM refunds
      WHERE payment_id = \(payment) AND reference = \(reference) AND is_by_provider = 1
      """,
      decode
    )
  }

  static func parts(of refunds: [RefundID], in db: any Connection) throws -> [RefundID: [RefundPart]] {
    let rows = try db.all(
      """
      SELECT refund_id, position, proceeds, fee, tax, quantity, revokes FROM refund_parts
      WHERE refund_id IN \(list: refunds) ORDER BY refund_id, position
      """
    ) { row -> (RefundID, RefundPart) in
      let part = RefundPart(
        position: try row["position"],
        shares: Shares(proceeds: try row["proceeds"], fee: try row["fee"], tax: try row["tax"]),
        quantity: try row["quantity"], revokes: try row["revokes"]
      )
      return (try row["refund_id"], part)
    }
    return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
  }

  /// The failed refunds that a refund has made another way, with the amounts.
  static func replacements(of refund: RefundID, in db: any Connection) throws -> [(id: RefundID, amount: Int64)] {
    try db.all(
      "SELECT replaced_id, amount FROM refund_replacements WHERE refund_id = \(refund) ORDER BY replaced_id"
    ) { row in (try row["replaced_id"], try row["amount"]) }
  }

  /// The amount of an order that its buyer has got back.
  static func refunded(of order: OrderID, in db: any Connection) throws -> Int64 {
    try list(of: order, in: db).filter { $0.status == .succeeded && !$0.isSurplus }
      .reduce(0) { $0 + $1.amount.amount - $1.loss }
  }

  /// The amounts of each order that are on their way back to the buyer, and those that have failed to get there.
  static func open(of orders: [OrderID], in db: any Connection) throws
    -> [OrderID: (pending: Int64?, failed: Int64?)]
  {
    let rows = try db.all(
      """
      SELECT order_id, status, CAST(SUM(amount - settled) AS BIGINT) AS amount FROM refunds
      WHERE order_id IN \(list: orders) AND status IN ('pending', 'failed') GROUP BY order_id, status
      """
    ) { row -> (OrderID, Refund.Status, Int64) in (try row["order_id"], try row["status"], try row["amount"]) }
    var open: [OrderID: (pending: Int64?, failed: Int64?)] = [:]
    for (order, status, amount) in rows {
      if status == .pending { open[order, default: (nil, nil)].pending = amount }
      if status == .failed { open[order, default: (nil, nil)].failed = amount }
    }
    return open
  }

  static func failedCount(in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM refunds WHERE status = 'failed'")
  }

  private static let columns: SQL = """
    id, order_id, payment_id, amount, currency, is_surplus, surplus_payment_id, status, reason, reference, failure,
    is_by_provider, settled, loss, created_at
    """

  private static func decode(_ row: Row) throws -> StoredRefund {
    StoredRefund(
      id: try row["id"], orderID: try row["order_id"], payment: try row["payment_id"],
      amount: try row.money("amount", "currency"), isSurplus: try row["is_surplus"],
      surplusPayment: try row["surplus_payment_id"], status: try row["status"], reason: try row["reason"],
      reference: try row["reference"],
      failure: try row["failure"], isByProvider: try row["is_by_provider"], settled: try row["settled"],
      loss: try row["loss"], createdAt: try row["created_at"]
    )
  }

  // MARK: writing

  static func insert(_ refund: StoredRefund, _ parts: [RefundPart] = [], in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO refunds
        (id, order_id, payment_id, amount, currency, is_surplus, surplus_payment_id, status, reason, reference, failure, is_by_provider,
         settled, loss, created_at)
      VALUES (\(refund.id), \(refund.orderID), \(refund.payment), \(refund.amount.amount), \(refund.amount.currency),
              \(refund.isSurplus), \(refund.surplusPayment), \(refund.status), \(refund.reason), \(refund.reference),
              \(refund.failure), \(refund.isByProvider), \(refund.settled), \(refund.loss), \(tx.now))
      """
    )
    try insert(parts, of: refund.id, in: tx)
  }

  static func insert(_ parts: [RefundPart], of refund: RefundID, in tx: Transaction) throws {
    for part in parts {
      try tx.execute(
        """
        INSERT INTO refund_parts (refund_id, position, proceeds, fee, tax, quantity, revokes)
        VALUES (\(refund), \(part.position), \(part.shares.proceeds), \(part.shares.fee), \(part.shares.tax),
                \(part.quantity), \(part.revokes))
        """
      )
    }
  }

  /// Stores what has become of a refund.
  static func update(_ refund: StoredRefund, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE refunds SET status = \(refund.status), reference = \(refund.reference), failure = \(refund.failure),
        settled = \(refund.settled), loss = \(refund.loss)
      WHERE id = \(refund.id)
      """
    )
  }

  /// Records that a refund makes up for an amount of a failed one.
  static func replace(_ failed: inout StoredRefund, by refund: RefundID, _ amount: Int64, in tx: Transaction) throws {
    failed.settled += amount
    if failed.settled == failed.amount.amount { failed.status = .replaced }
    try update(failed, in: tx)
    try tx.execute(
      """
      INSERT INTO refund_replacements (refund_id, replaced_id, amount)
      VALUES (\(refund), \(failed.id), \(amount))
      """
    )
  }

  /// Records that a refund no longer makes up for a failed one, which owes the amount again.
  static func unreplace(_ id: RefundID, _ amount: Int64, in tx: Transaction) throws {
    guard var failed = try find(id, in: tx) else { return }
    failed.settled -= amount
    failed.status = .failed
    try update(failed, in: tx)
  }
}
