import Contracts
import Persistence
import TestKit

@testable import OrdersService

/// The amounts that a payment provider says that it has charged and given back, by the id of our payment or the
/// provider's own.
struct ProviderBooks: Sendable {
  struct Charge: Sendable {
    var payment: String
    var amount: Int64
    var isOpen = false
  }

  struct Return: Sendable {
    var payment: String
    var amount: Int64
  }

  var charges: [Charge] = []
  var returns: [Return] = []

  /// The books of Stripe's stand-in.
  static func of(_ stripe: StripeStandIn) async throws -> Self {
    var (books, payments) = (Self(), [String: String]())
    for intent in try await stripe.list("/v1/payment_intents") {
      guard let id = intent["id"]?.string, let payment = intent["metadata"]?["payment"]?.string,
        case .integer(let amount)? = intent["amount_received"], let status = intent["status"]?.string
      else { throw TestKitError("not a payment of ours: \(intent)") }
      payments[id] = payment
      let isOpen = status != "succeeded" && status != "canceled"
      if amount > 0 || isOpen { books.charges.append(Charge(payment: payment, amount: amount, isOpen: isOpen)) }
    }
    for refund in try await stripe.list("/v1/refunds") where refund["status"]?.string == "succeeded" {
      guard let intent = refund["payment_intent"]?.string, let payment = payments[intent],
        case .integer(let amount)? = refund["amount"]
      else { throw TestKitError("not a refund of ours: \(refund)") }
      books.returns.append(Return(payment: payment, amount: amount))
    }
    let sums = try await stripe.control("books")["usd"]
    guard case .integer(let charged)? = sums?["charges"], case .integer(let returned)? = sums?["refunds"],
      charged == books.charges.reduce(0, { $0 + $1.amount }), returned == books.returns.reduce(0, { $0 + $1.amount })
    else { throw TestKitError("the stand-in's sums are not those of its payments: \(String(describing: sums))") }
    return books
  }
}

extension StripeStandIn {
  /// All objects of a list, newest first.
  func list(_ path: String) async throws -> [JSONValue] {
    var all: [JSONValue] = []
    while true {
      let after = all.last?["id"]?.string.map { "&starting_after=\($0)" } ?? ""
      let page = try await get("\(path)?limit=100\(after)")
      all += page["data"]?.elements ?? []
      guard case .bool(true)? = page["has_more"] else { return all }
    }
  }
}

/// The stored state of all sales in orders, catalog and the payment providers, and its contradictions.
struct KillBooks: Sendable {
  struct Order: Sendable {
    var id, status, payment, stock: String
    var total, refunded: Int64
    var licensed = 0
    var licenses = 0
    /// The amounts that came from providers and went back, by the ledger.
    var booked: Int64 = 0
    var returned: Int64 = 0
    var pendingRefunds = 0
  }

  struct Stock: Sendable, Equatable {
    var onHand, reserved: Int64
  }

  var orders: [Order]
  /// The order of each payment, by its id and by the provider's.
  var payments: [String: String]
  var stock: [String: Stock]
  /// The quantity of each product in placed orders.
  var sold: [String: Int64]
  var ledger: [String]
  var provider: ProviderBooks

  // MARK: the check

  /// - Parameters:
  ///   - initial: The stock of each product before the first sale.
  ///   - name: What an order is called in a message.
  func contradictions(initial: [String: Int64], name: (_ order: String) -> String = { $0 }) -> [String] {
    var found = ledger.map { "ledger: \($0)" }
    for order in orders {
      let charges = provider.charges.filter { payments[$0.payment] == order.id }
      let returns = provider.returns.filter { payments[$0.payment] == order.id }
      found += contradictions(of: order, charges, returns).map { "\(name(order.id)): \($0)" }
    }
    for charge in provider.charges where payments[charge.payment] == nil {
      found.append("payment \(charge.payment) is not known, charged \(charge.amount)")
    }
    for (product, count) in initial {
      let wanted = Stock(onHand: count - sold[product, default: 0], reserved: 0)
      if stock[product] != wanted {
        found.append("stock of \(product) is \(stock[product].map { "\($0)" } ?? "lost"), not \(wanted)")
      }
    }
    return found
  }

  private func contradictions(
    of order: Order, _ charges: [ProviderBooks.Charge], _ returns: [ProviderBooks.Return]
  ) -> [String] {
    var found: [String] = []
    let (charged, returned) = (charges.reduce(0) { $0 + $1.amount }, returns.reduce(0) { $0 + $1.amount })
    if !["placed", "canceled", "expired"].contains(order.status)
      || !["none", "committed", "released"].contains(order.stock)
    {
      found.append("not final: \(order.status), stock \(order.stock)")
    }
    if order.pendingRefunds > 0 { found.append("\(order.pendingRefunds) refunds are pending") }
    if charges.contains(where: \.isOpen) { found.append("the provider may still charge") }
    if charges.filter({ !$0.isOpen }).count > 1 { found.append("charged \(charges.count) times") }
    let due = order.status == "placed" ? order.total - order.refunded : 0
    if charged - returned != due { found.append("charged \(charged), returned \(returned), due \(due)") }
    if order.booked != charged { found.append("charged \(charged), booked \(order.booked)") }
    if order.returned != returned { found.append("returned \(returned), booked \(order.returned)") }
    let licensed = order.status == "placed" && order.payment != "refunded" ? order.licensed : 0
    if order.licenses != licensed { found.append("\(order.licenses) licenses instead of \(licensed)") }
    return found
  }

  // MARK: reading

  init(orders database: any Database, catalog: any Database, provider: ProviderBooks) async throws {
    self.provider = provider
    ledger = try await LedgerReconciliation.discrepancies(in: database)
    let sales = try await database.read { db in try Self.sales(in: db) }
    (orders, payments, sold) = (sales.orders, sales.payments, sales.sold)
    stock = try await catalog.read { db in
      let rows = try db.all("SELECT item_id, on_hand, reserved FROM stock") { row -> (String, Stock) in
        (try row["item_id"], Stock(onHand: try row["on_hand"], reserved: try row["reserved"]))
      }
      return Dictionary(rows) { first, _ in first }
    }
  }

  private struct Sales: Sendable {
    var orders: [Order]
    var payments: [String: String]
    var sold: [String: Int64]
  }

  private static func sales(in db: any Connection) throws -> Sales {
    let licensed = try counts("SELECT order_id, COUNT(*) AS n FROM order_lines WHERE listing_id IS NOT NULL", in: db)
    let granted = try counts("SELECT order_id, COUNT(*) AS n FROM licenses WHERE status = 'active'", in: db)
    let pending = try counts("SELECT order_id, COUNT(*) AS n FROM refunds WHERE status = 'pending'", in: db)
    let booked = try counts(
      "SELECT order_id, CAST(SUM(amount) AS BIGINT) AS n FROM ledger_transfers WHERE debit LIKE 'provider:%'", in: db)
    let returned = try counts(
      "SELECT order_id, CAST(SUM(amount) AS BIGINT) AS n FROM ledger_transfers WHERE credit LIKE 'provider:%'", in: db)
    let orders = try db.all("SELECT id, status, payment_status, stock, total, refunded FROM orders ORDER BY id") {
      row -> Order in
      let id: String = try row["id"]
      return Order(
        id: id, status: try row["status"], payment: try row["payment_status"], stock: try row["stock"],
        total: try row["total"], refunded: try row["refunded"], licensed: Int(licensed[id, default: 0]),
        licenses: Int(granted[id, default: 0]), booked: booked[id, default: 0], returned: returned[id, default: 0],
        pendingRefunds: Int(pending[id, default: 0]))
    }
    var payments: [String: String] = [:]
    let known = try db.all("SELECT id, reference, order_id FROM payments") { row -> (String, String?, String) in
      (try row["id"], try row["reference"], try row["order_id"])
    }
    for (id, reference, order) in known {
      payments[id] = order
      if let reference { payments[reference] = order }
    }
    let sold = try db.all(
      """
      SELECT l.product_id AS product, CAST(SUM(l.quantity - l.restocked) AS BIGINT) AS n
      FROM order_lines l JOIN orders o ON o.id = l.order_id
      WHERE o.stock = 'committed' AND l.product_id IS NOT NULL GROUP BY l.product_id
      """
    ) { row -> (String, Int64) in (try row["product"], try row["n"]) }
    return Sales(
      orders: orders, payments: payments, sold: Dictionary(sold) { $0 + $1 })
  }

  private static func counts(_ sql: SQL, in db: any Connection) throws -> [String: Int64] {
    let rows = try db.all("\(sql) GROUP BY order_id") { row -> (String, Int64) in (try row["order_id"], try row["n"]) }
    return Dictionary(rows) { $0 + $1 }
  }
}
