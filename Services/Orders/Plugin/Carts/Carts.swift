import Contracts
import Persistence
import ServiceKit

/// The open cart: its items and its price.
struct Carts: Sendable {
  let database: any Database
  let store: CartStore
  let shelf: Shelf
  let prices: CartPrices
  let ids: IDGenerator
  let time: TimeSource

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.GetCart.self) { _, call in try await get(call.user.id) }
    routes.on(OrdersAPI.AddCartItem.self) { request, call in try await add(request, call.user.id, call.keyed) }
    routes.on(OrdersAPI.UpdateCartItem.self) { request, call in try await update(request, call.user.id) }
    routes.on(OrdersAPI.RemoveCartItem.self) { request, call in try await remove(request.id, call.user.id) }
    routes.on(OrdersAPI.QuoteCart.self) { request, call in
      try await quote(call.user.id, region: request.region)
    }
  }

  private func get(_ user: UserID) async throws -> Cart {
    if let cart = try await database.read({ [store] db in try store.open(of: user, in: db) }) { return cart.visible }
    return try await database.write { [store] tx in try store.openOrNew(of: user, in: tx).visible }
  }

  // MARK: items

  private func add(_ request: OrdersAPI.AddCartItem, _ user: UserID, _ keyed: KeyedRequest?) async throws -> Cart {
    if let done: Cart = try await database.read({ db in try db.answer(of: keyed) }) { return done }
    let form = request
    let found = try await item(form, user)
    return try await database.write { [store] tx in
      try tx.once(keyed) {
        let cart = try store.editable(of: user, ifMatch: request.ifMatch, in: tx)
        guard cart.currency == nil || cart.currency == found.item.price.currency else {
          throw Problem(.currencyMismatch)
        }
        var item = found.item
        if let listing = item.listingID {
          guard try Claims.isFree(listing, in: tx) else { throw Problem(.listingNotForSale) }
        } else {
          item.quantity += try Self.quantity(of: found.thing, in: cart.id, tx)
          guard Quantity(item.quantity) != nil, item.quantity <= found.available else {
            throw Problem(.insufficientStock, detail: "Available quantity: \(found.available).")
          }
        }
        try store.add(item, thing: found.thing, to: cart, in: tx)
        return try store.touched(cart, in: tx).visible
      }
    }
  }

  private static func quantity(of thing: String, in cart: CartID, _ db: any Connection) throws -> Int {
    try db.value("SELECT quantity FROM cart_items WHERE cart_id = \(cart) AND thing = \(thing)", as: Int.self) ?? 0
  }

  private struct Found {
    var item: Cart.Item
    var thing: String
    var available: Int
  }

  /// The item that a request refers to, with current data from catalog.
  private func item(_ form: OrdersAPI.AddCartItem, _ user: UserID) async throws -> Found {
    switch (form.productID, form.listingID) {
    case (let id?, nil):
      let reference = ProductReference(productID: id, variantID: form.variantID)
      let items = try await shelf.items(products: [reference], listings: [])
      guard let product = items.products.first(where: { $0.product == reference }) else {
        throw Problem(.productNotFound)
      }
      let item = Cart.Item(
        id: ids.make(),
        productID: id,
        variantID: form.variantID,
        listingID: nil,
        licence: nil,
        title: product.title,
        quantity: form.quantity?.value ?? 1,
        price: product.price.money
      )
      return Found(item: item, thing: StoredCart.thing(reference), available: product.available)
    case (nil, let id?):
      guard form.quantity?.value ?? 1 == 1 else {
        throw Problem(.invalidRequest, errors: [.init(location: "body.quantity", message: "must be 1 for a license")])
      }
      guard let kind = form.licence else {
        throw Problem(.invalidRequest, errors: [.init(location: "body.licence", message: "is required")])
      }
      guard let listing = try await shelf.listing(id) else { throw Problem(.listingNotForSale) }
      guard listing.ownerID != user else { throw Problem(.ownListing) }
      guard let terms = listing.licences.first(where: { $0.kind == kind }) else { throw Problem(.licenceNotOffered) }
      let item = Cart.Item(
        id: ids.make(),
        productID: nil,
        variantID: nil,
        listingID: id,
        licence: kind,
        title: listing.title,
        quantity: 1,
        price: terms.price.money
      )
      return Found(item: item, thing: StoredCart.thing(id, kind), available: 1)
    default:
      throw Problem(
        .invalidRequest,
        errors: [.init(location: "body", message: "must contain either productID or listingID")]
      )
    }
  }

  private func update(_ request: OrdersAPI.UpdateCartItem, _ user: UserID) async throws -> Cart {
    try await database.write { [store] tx in
      let cart = try store.editable(of: user, ifMatch: request.ifMatch, in: tx)
      guard let item = cart.items.first(where: { $0.id == request.id }) else { throw Problem(.cartItemNotFound) }
      guard item.listingID == nil || request.quantity.value == 1 else {
        throw Problem(.invalidRequest, errors: [.init(location: "body.quantity", message: "must be 1 for a license")])
      }
      try tx.execute("UPDATE cart_items SET quantity = \(request.quantity.value) WHERE id = \(item.id)")
      return try store.touched(cart, in: tx).visible
    }
  }

  private func remove(_ id: CartItemID, _ user: UserID) async throws -> Cart {
    try await database.write { [store] tx in
      let cart = try store.editable(of: user, ifMatch: nil, in: tx)
      let removed = try tx.execute("DELETE FROM cart_items WHERE id = \(id) AND cart_id = \(cart.id)")
      return removed == 0 ? cart.visible : try store.touched(cart, in: tx).visible
    }
  }

  // MARK: pricing

  private func quote(_ user: UserID, region: Region?) async throws -> Quote {
    let known = try await database.read { [store, now = time.now()] db in
      try store.open(of: user, in: db).map { cart in (cart, try CartPrices.basis(of: cart, at: now, in: db)) }
    }
    guard let (cart, basis) = known else { throw Problem(.cartEmpty) }
    let priced = try await prices.of(cart, basis, region: region)
    func money(_ amount: Int64) -> Money { Money(amount, priced.cart.currency) }
    return Quote(
      lines: priced.cart.lines,
      subtotal: money(priced.cart.subtotal),
      tax: money(priced.cart.tax),
      shipping: money(priced.cart.shipping),
      total: money(priced.cart.total),
      changes: priced.changes
    )
  }
}
