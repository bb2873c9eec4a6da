import Contracts
import Persistence
import ServiceKit

/// An attempt to pay an order, as stored.
struct StoredPayment: Sendable, Equatable {
  var id: PaymentID
  var orderID: OrderID
  var provider: PaymentProviderName
  var status = Payment.Status.created
  var amount: Money
  /// Encrypted; deleted once the provider has received it.
  var token: String?
  /// The provider's id of the payment.
  var reference: String?
  /// Encrypted.
  var clientSecret: String?
  var failure: String?

  /// Whether the attempt is still in progress.
  var isOpen: Bool { status == .created || status == .pending || status == .requiresAction }
}

struct PaymentStore: Sendable {
  let keys: DataKeys

  static let tokenColumn = SealedColumn("payments", "token")
  static let secretColumn = SealedColumn("payments", "client_secret")

  // MARK: reading

  func list(of order: OrderID, in db: any Connection) throws -> [StoredPayment] {
    try db.all("SELECT \(Self.columns) FROM payments WHERE order_id = \(order) ORDER BY id", Self.decode)
  }

  func find(_ provider: PaymentProviderName, _ reference: String, in db: any Connection) throws -> StoredPayment? {
    try db.first(
      "SELECT \(Self.columns) FROM payments WHERE provider = \(provider) AND reference = \(reference)",
      Self.decode
    )
  }

  func find(_ id: PaymentID, in db: any Connection) throws -> StoredPayment? {
    try db.first("SELECT \(Self.columns) FROM payments WHERE id = \(id)", Self.decode)
  }

  /// The newest attempt of each order.
  func last(of orders: [OrderID], in db: any Connection) throws -> [OrderID: StoredPayment] {
    let payments = try db.all(
      """
      SELECT \(Self.columns) FROM payments
      WHERE order_id IN \(list: orders)
        AND id = (SELECT MAX(newer.id) FROM payments newer WHERE newer.order_id = payments.order_id)
      """,
      Self.decode
    )
    return Dictionary(uniqueKeysWithValues: payments.map { ($0.orderID, $0) })
  }

  private static let columns: SQL =
    "id, order_id, provider, status, amount, currency, token, reference, client_secret, failure"

  private static func decode(_ row: Row) throws -> StoredPayment {
    StoredPayment(
      id: try row["id"], orderID: try row["order_id"], provider: try row["provider"],
      status: try row["status"], amount: try row.money("amount", "currency"),
      token: try row["token"], reference: try row["reference"], clientSecret: try row["client_secret"],
      failure: try row["failure"]
    )
  }

  // MARK: writing

  func insert(_ payment: StoredPayment, token: ProviderToken?, in tx: Transaction) throws {
    let sealed = try token.map {
      try keys.seal(Array($0.rawValue.utf8), in: Self.tokenColumn, row: payment.id.rawValue)
    }
    try tx.execute(
      """
      INSERT INTO payments (id, order_id, provider, status, amount, currency, token, reference, created_at)
      VALUES (\(payment.id), \(payment.orderID), \(payment.provider), \(payment.status),
              \(payment.amount.amount), \(payment.amount.currency), \(sealed), \(payment.reference), \(tx.now))
      """
    )
  }

  /// Stores the provider's result and deletes the token, which is no longer needed.
  func update(_ payment: StoredPayment, clientSecret: String? = nil, in tx: Transaction) throws {
    let sealed = try clientSecret.map {
      try keys.seal(Array($0.utf8), in: Self.secretColumn, row: payment.id.rawValue)
    }
    try tx.execute(
      """
      UPDATE payments SET status = \(payment.status), token = NULL, reference = \(payment.reference),
        client_secret = COALESCE(\(sealed), client_secret), failure = \(payment.failure)
      WHERE id = \(payment.id)
      """
    )
  }

  /// Notes that the provider is asked for the state of a payment.
  /// - Returns: `false` when it was asked less than so many seconds ago.
  static func claimQuestion(_ id: PaymentID, every seconds: Double, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      UPDATE payments SET asked_at = \(tx.now)
      WHERE id = \(id) AND COALESCE(asked_at, 0) <= \(tx.now.advanced(bySeconds: -seconds))
      """
    ) == 1
  }

  static func delete(of order: OrderID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM payments WHERE order_id = \(order)")
  }

  // MARK: encrypted fields

  func token(of payment: StoredPayment) throws -> ProviderToken? {
    try payment.token.map {
      let bytes = try keys.open($0, in: Self.tokenColumn, row: payment.id.rawValue)
      return ProviderToken(checked: String(decoding: bytes, as: UTF8.self))
    }
  }

  /// The client secret of an attempt that is still in progress.
  func secret(of payment: StoredPayment) throws -> String? {
    guard payment.isOpen, let sealed = payment.clientSecret else { return nil }
    let bytes = try keys.open(sealed, in: Self.secretColumn, row: payment.id.rawValue)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The payment without its client secret.
  func response(_ payment: StoredPayment) -> Payment {
    Payment(
      id: payment.id,
      provider: payment.provider,
      status: payment.status,
      amount: payment.amount,
      clientSecret: nil,
      failure: payment.failure
    )
  }

  /// Removes the secrets of payments whose order no longer has a buyer.
  static func eraseOrphans(in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE payments SET token = NULL, client_secret = NULL
      WHERE order_id IN (SELECT id FROM orders WHERE user_id IS NULL)
      """
    )
  }
}
