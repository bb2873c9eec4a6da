import Contracts
import Persistence
import ServiceKit

/// Orders with their lines and their history.
struct OrderStore: Sendable {
  /// Who has changed an order that no user has changed.
  static let service = "service:orders"

  let keys: DataKeys

  static let addressColumn = SealedColumn("orders", "address")

  // MARK: reading

  func find(_ id: OrderID, in db: any Connection) throws -> StoredOrder? {
    try db.first("SELECT \(Self.columns) FROM orders WHERE id = \(id)", Self.decode)
  }

  func get(_ id: OrderID, in db: any Connection) throws -> StoredOrder {
    guard let order = try find(id, in: db) else { throw Problem(.orderNotFound) }
    return order
  }

  /// Orders that match the condition, newest first.
  func list(_ condition: SQL, before cursor: OrderID?, limit: Int, in db: any Connection) throws -> [StoredOrder] {
    let filter = SQL.and(condition, cursor.map { "id < \($0)" })
    return try db.all(
      """
      SELECT \(Self.columns) FROM orders WHERE \(filter) AND stock <> 'reserving'
      ORDER BY id DESC LIMIT \(limit)
      """,
      Self.decode
    )
  }

  func lines(of orders: [StoredOrder], in db: any Connection) throws -> [OrderID: [StoredLine]] {
    let currencies = Dictionary(uniqueKeysWithValues: orders.map { ($0.id, $0.currency) })
    let rows = try db.all(
      """
      SELECT order_id, product_id, variant_id, listing_id, license, seller_id, title, sku, image, quantity, unit_amount,
        tax_rate, net, tax, gross, terms, audio, position, fee, fulfillment_status, returned_proceeds, returned_fee,
        returned_tax, returned_quantity, restocked
      FROM order_lines WHERE order_id IN \(list: orders.map(\.id)) ORDER BY order_id, position
      """
    ) { row -> (OrderID, StoredLine) in
      let order: OrderID = try row["order_id"]
      return (order, try Self.line(row, currencies[order] ?? .usd))
    }
    return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
  }

  func lines(of order: StoredOrder, in db: any Connection) throws -> [StoredLine] {
    try lines(of: [order], in: db)[order.id] ?? []
  }

  /// An order with its lines.
  func sale(_ order: StoredOrder, in db: any Connection) throws -> Sale {
    Sale(order: order, lines: try lines(of: order, in: db))
  }

  /// The visible, unpaid orders for a license of a listing.
  static func unpaid(of listing: ListingID, in db: any Connection) throws -> [OrderID] {
    try db.values(
      """
      SELECT DISTINCT o.id FROM order_lines l JOIN orders o ON o.id = l.order_id
      WHERE l.listing_id = \(listing) AND o.status = 'pendingPayment' AND o.payment_status <> 'paid'
        AND o.stock <> 'reserving' ORDER BY o.id
      """
    )
  }

  /// Whether a buyer has had an order for the exclusive license of a listing that ended unpaid.
  static func hasLapsed(_ listing: ListingID, of buyer: UserID, in db: any Connection) throws -> Bool {
    try db.exists(
      """
      SELECT 1 FROM order_lines l JOIN orders o ON o.id = l.order_id
      WHERE l.listing_id = \(listing) AND l.license = 'exclusive' AND o.user_id = \(buyer)
        AND o.status IN ('expired', 'canceled') AND o.placed_at IS NULL
      """
    )
  }

  /// The orders that are not placed yet and contain a license from a seller.
  static func unplaced(from seller: UserID, in db: any Connection) throws -> [OrderID] {
    try db.values(
      """
      SELECT DISTINCT o.id FROM order_lines l JOIN orders o ON o.id = l.order_id
      WHERE l.seller_id = \(seller) AND o.status = 'pendingPayment' AND o.stock <> 'reserving' ORDER BY o.id
      """
    )
  }

  private static func line(_ row: Row, _ currency: Currency) throws -> StoredLine {
    let line = PricedLine(
      productID: try row["product_id"], variantID: try row["variant_id"],
      listingID: try row["listing_id"], license: try row["license"],
      title: try row["title"], sku: try row["sku"], image: try row["image"],
      quantity: try row["quantity"], unitPrice: Money(try row["unit_amount"], currency),
      taxRate: try row["tax_rate"], net: Money(try row["net"], currency), tax: Money(try row["tax"], currency),
      gross: Money(try row["gross"], currency)
    )
    // A line has no stored status until it changes.
    let fulfillmentStatus: FulfillmentStatus? = try row["fulfillment_status"]
    return StoredLine(
      position: try row["position"], line: line, sellerID: try row["seller_id"], terms: try row[json: "terms"],
      audio: try row["audio"], fee: try row["fee"],
      fulfillmentStatus: fulfillmentStatus ?? (line.listingID == nil ? .processing : .delivered),
      returned: Shares(
        proceeds: try row["returned_proceeds"], fee: try row["returned_fee"], tax: try row["returned_tax"]
      ),
      returnedQuantity: try row["returned_quantity"], restocked: try row["restocked"]
    )
  }

  func changes(of id: OrderID, in db: any Connection) throws -> [Order.Change] {
    try db.all(
      "SELECT at, actor, axis, was, becomes, reason FROM order_changes WHERE order_id = \(id) ORDER BY position"
    ) { row in
      Order.Change(
        at: try row["at"], by: try row["actor"], axis: try row["axis"],
        from: try row["was"], to: try row["becomes"], reason: try row["reason"]
      )
    }
  }

  private static let columns: SQL = """
    id, cart_id, user_id, source, source_id, status, payment_status, fulfillment_status, currency, subtotal, tax, shipping,
    total, credit, refunded, returned, returned_shipping, returned_shipping_tax, address, carrier, tracking, stock,
    pay_by, region, created_at, placed_at, version
    """

  private static func decode(_ row: Row) throws -> StoredOrder {
    StoredOrder(
      id: try row["id"], cartID: try row["cart_id"], userID: try row["user_id"],
      source: try row["source"], sourceID: try row["source_id"],
      status: try row["status"], paymentStatus: try row["payment_status"],
      fulfillmentStatus: try row["fulfillment_status"],
      totals: Totals(
        currency: try row["currency"], subtotal: try row["subtotal"], tax: try row["tax"],
        shipping: try row["shipping"], total: try row["total"]
      ),
      credit: try row["credit"], refunded: try row["refunded"], returned: try row["returned"],
      returnedShipping: Shares(proceeds: try row["returned_shipping"], tax: try row["returned_shipping_tax"]),
      address: try row["address"], carrier: try row["carrier"], tracking: try row["tracking"],
      stock: try row["stock"],
      payBy: try row["pay_by"], region: try row["region"], createdAt: try row["created_at"],
      placedAt: try row["placed_at"],
      version: try row["version"]
    )
  }

  // MARK: writing

  func insert(_ order: StoredOrder, _ lines: [StoredLine], in tx: Transaction) throws {
    let totals = order.totals
    try tx.execute(
      """
      INSERT INTO orders
        (id, cart_id, user_id, source, source_id, status, payment_status, currency, subtotal, tax, shipping, total,
         credit, refunded, address, stock, pay_by, region, created_at, version)
      VALUES (\(order.id), \(order.cartID), \(order.userID), \(order.source), \(order.sourceID),
              \(order.status), \(order.paymentStatus), \(totals.currency), \(totals.subtotal),
              \(totals.tax), \(totals.shipping), \(totals.total), \(order.credit), 0, \(order.address),
              \(order.stock), \(order.payBy), \(order.region), \(order.createdAt), \(order.version))
      """
    )
    for (position, stored) in lines.enumerated() {
      let line = stored.line
      let terms = try stored.terms.map { String(decoding: try WireJSON.encode($0), as: UTF8.self) }
      try tx.execute(
        """
        INSERT INTO order_lines
          (order_id, position, product_id, variant_id, listing_id, license, seller_id, title, sku, image, quantity,
           unit_amount, tax_rate, net, tax, gross, terms, audio)
        VALUES (\(order.id), \(position), \(line.productID), \(line.variantID), \(line.listingID),
                \(line.license), \(stored.sellerID), \(line.title), \(line.sku), \(line.image),
                \(line.quantity), \(line.unitPrice.amount), \(line.taxRate), \(line.net.amount), \(line.tax.amount),
                \(line.gross.amount), \(terms), \(stored.audio))
        """
      )
    }
  }

  /// Stores the prices of an unpaid order for the buyer's region.
  func update(_ order: inout StoredOrder, prices: PricedCart, in tx: Transaction) throws {
    order.totals = prices.totals
    order.version += 1
    let totals = prices.totals
    try tx.execute(
      """
      UPDATE orders SET subtotal = \(totals.subtotal), tax = \(totals.tax), shipping = \(totals.shipping),
        total = \(totals.total), region = \(order.region), version = \(order.version)
      WHERE id = \(order.id)
      """
    )
    for (position, line) in prices.lines.enumerated() {
      try tx.execute(
        """
        UPDATE order_lines SET tax_rate = \(line.taxRate), net = \(line.net.amount), tax = \(line.tax.amount),
          gross = \(line.gross.amount)
        WHERE order_id = \(order.id) AND position = \(position)
        """
      )
    }
  }

  /// Stores the mutable fields under the next version, and records each transition of the three status axes.
  ///
  /// - Throws: ``Problem`` `invalid-transition` for a transition that is not allowed.
  func update(_ order: inout StoredOrder, by actor: String, reason: String? = nil, in tx: Transaction) throws {
    let before = try tx.first(
      "SELECT version, status, payment_status, fulfillment_status FROM orders WHERE id = \(order.id)"
    ) { row in
      (
        version: try row["version"] as Int, status: try row["status"] as OrderStatus,
        paymentStatus: try row["payment_status"] as PaymentStatus,
        fulfillmentStatus: try row["fulfillment_status"] as FulfillmentStatus?
      )
    }
    guard let before else { throw Problem(.orderNotFound) }
    order.version = before.version + 1
    try Self.step("status", before.status, order.status, order, actor, reason, tx)
    try Self.step("payment", before.paymentStatus, order.paymentStatus, order, actor, reason, tx)
    // It follows from the lines, each of which changes by the table.
    if let after = order.fulfillmentStatus, after != before.fulfillmentStatus {
      try Self.record("fulfillment", before.fulfillmentStatus?.rawValue, after.rawValue, order, actor, reason, tx)
    }
    try tx.execute(
      """
      UPDATE orders SET user_id = \(order.userID), status = \(order.status),
        payment_status = \(order.paymentStatus), fulfillment_status = \(order.fulfillmentStatus),
        refunded = \(order.refunded), returned = \(order.returned),
        returned_shipping = \(order.returnedShipping.proceeds), returned_shipping_tax = \(order.returnedShipping.tax),
        address = \(order.address), carrier = \(order.carrier),
        tracking = \(order.tracking), stock = \(order.stock), pay_by = \(order.payBy),
        placed_at = \(order.placedAt), version = \(order.version)
      WHERE id = \(order.id)
      """
    )
  }

  /// Stores what has become of a line.
  func update(_ line: StoredLine, of order: OrderID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE order_lines SET fee = \(line.fee), fulfillment_status = \(line.fulfillmentStatus),
        returned_proceeds = \(line.returned.proceeds), returned_fee = \(line.returned.fee),
        returned_tax = \(line.returned.tax), returned_quantity = \(line.returnedQuantity),
        restocked = \(line.restocked)
      WHERE order_id = \(order) AND position = \(line.position)
      """
    )
  }

  /// Stores the lines that differ from what is stored, and records each change of their fulfillment.
  func update(_ sale: Sale, by actor: String, reason: String? = nil, in tx: Transaction) throws {
    let before = try lines(of: sale.order, in: tx)
    for (was, line) in zip(before, sale.lines) where was != line {
      try update(line, of: sale.order.id, in: tx)
      guard was.fulfillmentStatus != line.fulfillmentStatus else { continue }
      let (from, to) = (was.fulfillmentStatus.rawValue, line.fulfillmentStatus.rawValue)
      try Self.record("line \(line.position)", from, to, sale.order, actor, reason, tx)
    }
  }

  private static func step<State: StateMachine>(
    _ axis: String,
    _ before: State,
    _ after: State,
    _ order: StoredOrder,
    _ actor: String,
    _ reason: String?,
    _ tx: Transaction
  ) throws {
    guard before != after else { return }
    guard before.successors.contains(after) else {
      throw Problem(.invalidTransition, detail: "Cannot change from \(before.rawValue) to \(after.rawValue).")
    }
    try record(axis, before.rawValue, after.rawValue, order, actor, reason, tx)
  }

  private static func record(
    _ axis: String,
    _ before: String?,
    _ after: String,
    _ order: StoredOrder,
    _ actor: String,
    _ reason: String?,
    _ tx: Transaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO order_changes (order_id, position, at, actor, axis, was, becomes, reason)
      SELECT \(order.id), COUNT(*), \(tx.now), \(actor), \(axis), \(before), \(after), \(reason)
      FROM order_changes WHERE order_id = \(order.id)
      """
    )
  }

  /// Deletes an order that was rejected for insufficient stock.
  func delete(_ id: OrderID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM order_lines WHERE order_id = \(id)")
    try PaymentStore.delete(of: id, in: tx)
    try tx.execute("DELETE FROM orders WHERE id = \(id)")
  }

  /// Removes a user from orders and their history.
  static func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE orders SET user_id = NULL, address = NULL WHERE user_id = \(user)")
    try tx.execute("UPDATE order_changes SET actor = 'user' WHERE actor = \("user:\(user)")")
    try tx.execute("UPDATE order_lines SET seller_id = NULL WHERE seller_id = \(user)")
  }

  // MARK: address

  func seal(_ address: PostalAddress, of id: OrderID) throws -> String {
    try keys.seal(WireJSON.encode(address), in: Self.addressColumn, row: id.rawValue)
  }

  func address(of order: StoredOrder) throws -> PostalAddress? {
    try order.address.map {
      try WireJSON.decode(PostalAddress.self, from: keys.open($0, in: Self.addressColumn, row: order.id.rawValue))
    }
  }
}
