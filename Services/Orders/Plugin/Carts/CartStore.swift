import Contracts
import Persistence
import ServiceKit

/// A cart as stored.
struct StoredCart: Sendable, Equatable {
  var id: CartID
  var userID: UserID
  var status: Cart.Status
  /// The order that the cart is being turned into, or has been turned into.
  var orderID: OrderID?
  var version: Int
  /// When a guest's cart is deleted; `nil` for the cart of an account.
  var expiresAt: Timestamp?
  var items: [Cart.Item] = []
  /// Fingerprints of the terms and recordings last shown to the owner, of licenses.
  var terms: [CartItemID: String] = [:]

  var currency: Currency? { items.first?.price.currency }

  var response: Cart {
    let subtotal = currency.map { Money(items.reduce(0) { $0 + $1.price.amount * Int64($1.quantity) }, $0) }
    return Cart(id: id, ownerID: userID, status: status, items: items, subtotal: subtotal, version: version)
  }
}

/// Stores carts: one open cart per user, created when it is first needed.
struct CartStore: Sendable {
  let ids: IDGenerator

  static let maxItems = 100

  /// The open cart, which may be empty; `nil` when none has been created yet.
  func open(of user: UserID, in db: any Connection) throws -> StoredCart? {
    let cart = try db.first(
      """
      SELECT id, user_id, status, order_id, version, expires_at FROM carts
      WHERE user_id = \(user) AND status = 'precheckout'
      """,
      Self.decode
    )
    guard var cart else { return nil }
    try Self.readItems(of: &cart, in: db)
    return cart
  }

  /// - Parameter expiresAt: When the cart is deleted, for a guest: each change prolongs it.
  func openOrCreate(of user: UserID, expiresAt: Timestamp? = nil, in tx: Transaction) throws -> StoredCart {
    if var cart = try open(of: user, in: tx) {
      if cart.expiresAt != expiresAt { try keep(&cart, until: expiresAt, in: tx) }
      return cart
    }
    let id: CartID = ids.make()
    try tx.execute(
      """
      INSERT INTO carts (id, user_id, status, version, created_at, expires_at)
      VALUES (\(id), \(user), 'precheckout', 1, \(tx.now), \(expiresAt))
      """
    )
    return StoredCart(
      id: id, userID: user, status: .precheckout, orderID: nil, version: 1, expiresAt: expiresAt)
  }

  func keep(_ cart: inout StoredCart, until expiresAt: Timestamp?, in tx: Transaction) throws {
    try tx.execute("UPDATE carts SET expires_at = \(expiresAt) WHERE id = \(cart.id)")
    cart.expiresAt = expiresAt
  }

  /// The cart for a change by its owner. Throws during checkout, or when the version does not match.
  func editable(of user: UserID, ifMatch: EntityTag?, expiresAt: Timestamp? = nil, in tx: Transaction) throws
    -> StoredCart
  {
    let cart = try openOrCreate(of: user, expiresAt: expiresAt, in: tx)
    try ifMatch?.require(cart.version)
    guard cart.orderID == nil else { throw Problem(.checkoutInProgress, retryAfter: 1) }
    return cart
  }

  /// Increments the version after a change of the items; returns the current cart.
  func incrementVersion(_ cart: StoredCart, in tx: Transaction) throws -> StoredCart {
    try tx.execute("UPDATE carts SET version = version + 1 WHERE id = \(cart.id)")
    var cart = cart
    cart.version += 1
    try Self.readItems(of: &cart, in: tx)
    return cart
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM cart_items WHERE cart_id IN (SELECT id FROM carts WHERE user_id = \(user))")
    try tx.execute("DELETE FROM carts WHERE user_id = \(user)")
  }

  static func delete(_ cart: CartID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM cart_items WHERE cart_id = \(cart)")
    try tx.execute("DELETE FROM carts WHERE id = \(cart)")
  }

  /// Deletes some of the guests' carts that have not been used for long.
  ///
  /// - Returns: How many.
  static func deleteExpired(limit: Int, in tx: Transaction) throws -> Int {
    let due: [CartID] = try tx.values(
      "SELECT id FROM carts WHERE expires_at <= \(tx.now) ORDER BY expires_at LIMIT \(limit)")
    for cart in due { try delete(cart, in: tx) }
    return due.count
  }

  // MARK: items

  private static func readItems(of cart: inout StoredCart, in db: any Connection) throws {
    let rows = try db.all(
      """
      SELECT id, product_id, variant_id, listing_id, license, title, quantity, amount, currency, terms FROM cart_items
      WHERE cart_id = \(cart.id) ORDER BY id
      """
    ) { row in
      let item = Cart.Item(
        id: try row["id"],
        productID: try row["product_id"], variantID: try row["variant_id"],
        listingID: try row["listing_id"], license: try row["license"],
        title: try row["title"], quantity: try row["quantity"], price: try row.money("amount", "currency")
      )
      return (item: item, terms: try row["terms"] as String?)
    }
    cart.items = rows.map(\.item)
    cart.terms = Dictionary(uniqueKeysWithValues: rows.compactMap { row in row.terms.map { (row.item.id, $0) } })
  }

  /// Adds an item, or sets the quantity, current price and current terms of the existing item with the same key.
  func add(_ item: Cart.Item, itemKey: String, terms: String?, to cart: StoredCart, in tx: Transaction) throws {
    let present = try tx.execute(
      """
      UPDATE cart_items SET quantity = \(item.quantity), amount = \(item.price.amount), title = \(item.title),
        terms = \(terms)
      WHERE cart_id = \(cart.id) AND item_key = \(itemKey)
      """
    )
    guard present == 0 else { return }
    guard cart.items.count < Self.maxItems else { throw Problem(.cartFull) }
    try tx.execute(
      """
      INSERT INTO cart_items
        (id, cart_id, item_key, product_id, variant_id, listing_id, license, title, quantity, amount, currency, terms)
      VALUES (\(item.id), \(cart.id), \(itemKey), \(item.productID), \(item.variantID), \(item.listingID),
              \(item.license), \(item.title), \(item.quantity), \(item.price.amount), \(item.price.currency),
              \(terms))
      """
    )
  }

  /// The quantity of the item with a key; 0 when there is none.
  func quantity(of itemKey: String, in cart: StoredCart, _ db: any Connection) throws -> Int {
    try db.value("SELECT quantity FROM cart_items WHERE cart_id = \(cart.id) AND item_key = \(itemKey)") ?? 0
  }

  func update(_ item: CartItemID, quantity: Int, in tx: Transaction) throws {
    try tx.execute("UPDATE cart_items SET quantity = \(quantity) WHERE id = \(item)")
  }

  /// - Returns: `false` when the cart has no such item.
  func delete(_ item: CartItemID, of cart: StoredCart, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM cart_items WHERE id = \(item) AND cart_id = \(cart.id)") > 0
  }

  /// Stores the price last shown to the owner.
  func update(_ item: CartItemID, price: Money, in tx: Transaction) throws {
    try tx.execute(
      "UPDATE cart_items SET amount = \(price.amount), currency = \(price.currency) WHERE id = \(item)"
    )
  }

  /// Stores the fingerprint of the terms last shown to the owner.
  func update(_ item: CartItemID, terms: String, in tx: Transaction) throws {
    try tx.execute("UPDATE cart_items SET terms = \(terms) WHERE id = \(item)")
  }

  /// Removes a listing from all carts, except those in checkout.
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

  // MARK: checkout

  func lock(_ cart: CartID, for order: OrderID, in tx: Transaction) throws {
    try tx.execute("UPDATE carts SET order_id = \(order), version = version + 1 WHERE id = \(cart)")
  }

  func unlock(_ cart: CartID, in tx: Transaction) throws {
    try tx.execute("UPDATE carts SET order_id = NULL, version = version + 1 WHERE id = \(cart)")
  }

  /// Marks a cart as turned into an order, and opens a new one for its owner.
  func finish(_ cart: CartID, of user: UserID?, in tx: Transaction) throws {
    try tx.execute("UPDATE carts SET status = 'postcheckout', version = version + 1 WHERE id = \(cart)")
    if let user { _ = try openOrCreate(of: user, in: tx) }
  }

  private static func decode(_ row: Row) throws -> StoredCart {
    StoredCart(
      id: try row["id"], userID: try row["user_id"], status: try row["status"],
      orderID: try row["order_id"], version: try row["version"], expiresAt: try row["expires_at"]
    )
  }
}
