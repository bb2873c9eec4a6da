import Contracts
import Persistence
import ServiceKit

/// A cart as it is kept.
struct StoredCart: Sendable, Equatable {
  var id: CartID
  var userID: UserID
  var status: Cart.Status
  /// The order that it is being turned into, or was.
  var orderID: OrderID?
  var version: Int
  var items: [Cart.Item] = []

  var currency: Currency? { items.first?.price.currency }

  var visible: Cart {
    let subtotal = currency.map { Money(items.reduce(0) { $0 + $1.price.amount * Int64($1.quantity) }, $0) }
    return Cart(id: id, ownerID: userID, status: status, items: items, subtotal: subtotal, version: version)
  }

  /// What an item is, so that the same thing stands in a cart once.
  static func thing(_ product: ProductReference) -> String {
    "product \(product.productID) \(product.variantID?.rawValue ?? "")"
  }

  static func thing(_ listing: ListingID, _ licence: LicenceKind) -> String { "listing \(listing) \(licence.rawValue)" }
}

/// Carts in the database: one open cart per user, made when it is first needed.
struct CartStore: Sendable {
  let ids: IDGenerator

  static let mostItems = 100

  /// The open cart, which may be empty; nothing when none was needed yet.
  func open(of user: UserID, in db: any Connection) throws -> StoredCart? {
    let cart = try db.first(
      "SELECT id, user_id, status, order_id, version FROM carts WHERE user_id = \(user) AND status = 'precheckout'",
      Self.decode
    )
    guard var cart else { return nil }
    cart.items = try Self.items(of: cart.id, in: db)
    return cart
  }

  func openOrNew(of user: UserID, in tx: Transaction) throws -> StoredCart {
    if let cart = try open(of: user, in: tx) { return cart }
    let id: CartID = ids.make()
    try tx.execute(
      """
      INSERT INTO carts (id, user_id, status, version, created_at) VALUES (\(id), \(user), 'precheckout', 1, \(tx.now))
      """
    )
    return StoredCart(id: id, userID: user, status: .precheckout, orderID: nil, version: 1)
  }

  /// The cart for a change by its owner: not while it is turned into an order, and only the wanted version.
  func editable(of user: UserID, ifMatch: EntityTag?, in tx: Transaction) throws -> StoredCart {
    let cart = try openOrNew(of: user, in: tx)
    if let ifMatch, !ifMatch.allows(EntityTag(version: cart.version)) { throw Problem(.versionMismatch) }
    guard cart.orderID == nil else { throw Problem(.checkoutInProgress, retryAfter: 1) }
    return cart
  }

  /// Notes a change of the items; answers the cart as it is now.
  func touched(_ cart: StoredCart, in tx: Transaction) throws -> StoredCart {
    try tx.execute("UPDATE carts SET version = version + 1 WHERE id = \(cart.id)")
    var cart = cart
    cart.version += 1
    cart.items = try Self.items(of: cart.id, in: tx)
    return cart
  }

  // MARK: items

  private static func items(of cart: CartID, in db: any Connection) throws -> [Cart.Item] {
    try db.all(
      """
      SELECT id, product_id, variant_id, listing_id, licence, title, quantity, amount, currency FROM cart_items
      WHERE cart_id = \(cart) ORDER BY id
      """
    ) { row in
      let licence: String? = try row[4]
      return Cart.Item(
        id: try row[0],
        productID: try row[1],
        variantID: try row[2],
        listingID: try row[3],
        licence: licence.flatMap { LicenceKind(rawValue: $0) },
        title: try row[5],
        quantity: try row[6],
        price: Money(try row[7], try row[8])
      )
    }
  }

  /// Puts so many more of a thing into a cart, and its price of now.
  func add(_ item: Cart.Item, thing: String, to cart: StoredCart, in tx: Transaction) throws {
    let present = try tx.execute(
      """
      UPDATE cart_items SET quantity = \(item.quantity), amount = \(item.price.amount), title = \(item.title)
      WHERE cart_id = \(cart.id) AND thing = \(thing)
      """
    )
    guard present == 0 else { return }
    guard cart.items.count < Self.mostItems else { throw Problem(.cartFull) }
    try tx.execute(
      """
      INSERT INTO cart_items
        (id, cart_id, thing, product_id, variant_id, listing_id, licence, title, quantity, amount, currency)
      VALUES (\(item.id), \(cart.id), \(thing), \(item.productID), \(item.variantID), \(item.listingID),
              \(item.licence?.rawValue), \(item.title), \(item.quantity), \(item.price.amount), \(item.price.currency))
      """
    )
  }

  /// The price that the owner was told last.
  func tell(_ price: Money, of item: CartItemID, in tx: Transaction) throws {
    try tx.execute(
      "UPDATE cart_items SET amount = \(price.amount), currency = \(price.currency) WHERE id = \(item)"
    )
  }

  /// Takes a listing out of everybody's cart, save those that are turned into an order.
  static func dropListing(_ listing: ListingID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE carts SET version = version + 1
      WHERE status = 'precheckout' AND order_id IS NULL
        AND id IN (SELECT cart_id FROM cart_items WHERE listing_id = \(listing))
      """
    )
    try tx.execute(
      """
      DELETE FROM cart_items WHERE listing_id = \(listing)
        AND cart_id IN (SELECT id FROM carts WHERE status = 'precheckout' AND order_id IS NULL)
      """
    )
  }

  // MARK: the way to an order

  func lock(_ cart: CartID, for order: OrderID, in tx: Transaction) throws {
    try tx.execute("UPDATE carts SET order_id = \(order), version = version + 1 WHERE id = \(cart)")
  }

  func unlock(_ cart: CartID, in tx: Transaction) throws {
    try tx.execute("UPDATE carts SET order_id = NULL, version = version + 1 WHERE id = \(cart)")
  }

  /// The cart has become an order; its owner gets a new one.
  func finish(_ cart: CartID, of user: UserID?, in tx: Transaction) throws {
    try tx.execute("UPDATE carts SET status = 'postcheckout', version = version + 1 WHERE id = \(cart)")
    if let user { _ = try openOrNew(of: user, in: tx) }
  }

  private static func decode(_ row: Row) throws -> StoredCart {
    StoredCart(
      id: try row[0],
      userID: try row[1],
      status: Cart.Status(rawValue: try row[2]) ?? .postcheckout,
      orderID: try row[3],
      version: try row[4]
    )
  }
}
