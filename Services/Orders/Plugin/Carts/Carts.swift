import Contracts
import Persistence
import ServiceKit

/// The open cart: its items and its price.
struct Carts: Feature {
  let core: OrdersCore
  let prices: CartPrices

  init(_ core: OrdersCore) { (self.core, prices) = (core, CartPrices(catalog: core.catalog)) }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.GetCart.self) { _, call in try await get(owner(call)) }
    routes.on(OrdersAPI.AddCartItem.self) { request, call in try await add(request, owner(call), call.idempotencyKey) }
    routes.on(OrdersAPI.UpdateCartItem.self) { request, call in try await update(request, owner(call)) }
    routes.on(OrdersAPI.RemoveCartItem.self) { request, call in try await remove(request.id, owner(call)) }
    routes.on(OrdersAPI.QuoteCart.self) { request, call in
      try await quote(call.user.id, region: request.region)
    }
  }

  private struct Owner {
    var id: UserID
    var isGuest: Bool
    /// When a guest's cart is deleted unless it is changed again.
    var expiresAt: Timestamp?
  }

  private func owner(_ call: Call) throws -> Owner {
    let user = try call.user
    let expiresAt = core.time.now().advanced(bySeconds: GuestCarts.lifetimeSeconds)
    let isGuest = user.roles.contains(.guest)
    return Owner(id: user.id, isGuest: isGuest, expiresAt: isGuest ? expiresAt : nil)
  }

  private func get(_ owner: Owner) async throws -> Cart {
    let cart = try await core.database.read { db in try core.carts.open(of: owner.id, in: db) }
    if let cart, cart.expiresAt == nil || owner.isGuest { return cart.response }
    return try await core.database.write { tx in
      try core.carts.openOrCreate(of: owner.id, expiresAt: owner.expiresAt, in: tx).response
    }
  }

  // MARK: items

  private func add(_ request: OrdersAPI.AddCartItem, _ owner: Owner, _ idempotencyKey: IdempotentRequest?) async throws
    -> Cart
  {
    if let done: Cart = try await core.database.read({ db in try db.storedResponse(to: idempotencyKey) }) {
      return done
    }
    let found = try await item(request, owner.id)
    return try await core.database.write { tx in
      try tx.idempotent(idempotencyKey) {
        let cart = try core.carts.editable(of: owner.id, ifMatch: request.ifMatch, expiresAt: owner.expiresAt, in: tx)
        guard cart.currency == nil || cart.currency == found.item.price.currency else {
          throw Problem(.currencyMismatch)
        }
        var item = found.item
        if let listing = item.listingID {
          guard try ExclusiveClaimStore.isFree(listing, in: tx) else { throw Problem(.listingNotForSale) }
        } else {
          item.quantity += try core.carts.quantity(of: found.itemKey, in: cart, tx)
          guard Quantity(item.quantity) != nil, item.quantity <= found.available else {
            throw Problem(.insufficientStock, detail: "Available quantity: \(found.available).")
          }
        }
        try core.carts.add(item, itemKey: found.itemKey, terms: found.terms, to: cart, in: tx)
        return try core.carts.incrementVersion(cart, in: tx).response
      }
    }
  }

  private struct Found {
    var item: Cart.Item
    var itemKey: String
    /// The fingerprint of a license's terms.
    var terms: String?
    var available: Int
  }

  /// The item that a request refers to, with current data from catalog.
  private func item(_ request: OrdersAPI.AddCartItem, _ user: UserID) async throws -> Found {
    switch (request.productID, request.listingID) {
    case (let id?, nil):
      let reference = ProductReference(productID: id, variantID: request.variantID)
      let items = try await core.catalog.items(products: [reference], listings: [])
      guard let product = items.products.first(where: { $0.product == reference }) else {
        throw Problem(.productNotFound)
      }
      let item = Cart.Item(
        id: core.ids.make(),
        .product(reference),
        title: product.title,
        quantity: request.quantity?.value ?? 1,
        price: product.price.money
      )
      return Found(item: item, itemKey: ItemReference.product(reference).key, available: product.available)
    case (nil, let id?):
      guard request.quantity?.value ?? 1 == 1 else {
        throw Problem(.invalidRequest, errors: [.init(location: "body.quantity", message: "must be 1 for a license")])
      }
      guard let kind = request.license else {
        throw Problem(.invalidRequest, errors: [.init(location: "body.license", message: "is required")])
      }
      guard let listing = try await core.catalog.listing(id) else { throw Problem(.listingNotForSale) }
      guard listing.ownerID != user else { throw Problem(.ownListing) }
      guard let terms = listing.licenses.first(where: { $0.kind == kind }) else { throw Problem(.licenseNotOffered) }
      let reference = ItemReference.license(id, kind)
      let item = Cart.Item(
        id: core.ids.make(),
        reference,
        title: listing.title,
        quantity: 1,
        price: terms.price.money
      )
      return Found(
        item: item, itemKey: reference.key, terms: try listing.cartLine(terms).fingerprint(), available: 1)
    default:
      throw Problem(
        .invalidRequest,
        errors: [.init(location: "body", message: "must contain either productID or listingID")]
      )
    }
  }

  private func update(_ request: OrdersAPI.UpdateCartItem, _ owner: Owner) async throws -> Cart {
    try await core.database.write { tx in
      let cart = try core.carts.editable(of: owner.id, ifMatch: request.ifMatch, expiresAt: owner.expiresAt, in: tx)
      guard let item = cart.items.first(where: { $0.id == request.id }) else { throw Problem(.cartItemNotFound) }
      guard item.listingID == nil || request.quantity.value == 1 else {
        throw Problem(.invalidRequest, errors: [.init(location: "body.quantity", message: "must be 1 for a license")])
      }
      try core.carts.update(item.id, quantity: request.quantity.value, in: tx)
      return try core.carts.incrementVersion(cart, in: tx).response
    }
  }

  private func remove(_ id: CartItemID, _ owner: Owner) async throws -> Cart {
    try await core.database.write { tx in
      let cart = try core.carts.editable(of: owner.id, ifMatch: nil, expiresAt: owner.expiresAt, in: tx)
      return try core.carts.delete(id, of: cart, in: tx)
        ? core.carts.incrementVersion(cart, in: tx).response : cart.response
    }
  }

  // MARK: pricing

  private func quote(_ user: UserID, region: Region?) async throws -> Quote {
    let known = try await core.database.read { [now = core.time.now()] db in
      try core.carts.open(of: user, in: db).map { cart in (cart, try CartPrices.basis(of: cart, at: now, in: db)) }
    }
    guard let (cart, basis) = known else { throw Problem(.cartEmpty) }
    let priced = try await prices.of(cart, basis, region: region)
    let totals = priced.cart.totals
    func money(_ amount: Int64) -> Money { Money(amount, totals.currency) }
    return Quote(
      lines: priced.cart.lines,
      subtotal: money(totals.subtotal),
      tax: money(totals.tax),
      shipping: money(totals.shipping),
      total: money(totals.total),
      changes: priced.changes
    )
  }

  // MARK: privacy

  func erase(_ user: UserID, in tx: Transaction) throws { try CartStore.delete(of: user, in: tx) }
}
