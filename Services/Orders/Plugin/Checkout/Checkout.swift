import Contracts
import Persistence
import ServiceKit

/// Turns a cart into an order. The order is inserted first, not yet visible, with everything that remains to be done
/// for it; ``OrderWorkflow`` then does that step by step, now and after a crash.
struct Checkout: Feature {
  let core: OrdersCore
  let prices: CartPrices
  let media: OrderMedia
  /// How long stock is reserved for an unpaid order, in seconds.
  let paySeconds: Double

  init(_ core: OrdersCore) throws {
    self.core = core
    prices = CartPrices(catalog: core.catalog)
    media = OrderMedia(core.environment)
    paySeconds = Double(try core.settings[OrdersSettings.payMinutes]) * 60
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.CheckOut.self) { request, call in
      let user = try call.user.id
      let id = try await begin(request, user, call)
      try await core.workflow.advance(id)
      return try await core.database.read { db in
        // Rejected for insufficient stock: a retry gets the same error as the first request.
        guard try core.view.orders.find(id, in: db) != nil else { throw Problem(.insufficientStock) }
        return try core.view.one(id, for: user, in: db)
      }
    }
  }

  private func begin(_ request: OrdersAPI.CheckOut, _ user: UserID, _ call: Call) async throws -> OrderID {
    // A request without a version of the cart gets the present one, also when it changes meanwhile.
    for _ in 0..<2 where request.ifMatch == nil {
      do { return try await order(request, user, call) } catch let problem as Problem {
        guard problem.is(.versionMismatch) else { throw problem }
      }
    }
    return try await order(request, user, call)
  }

  private func order(_ request: OrdersAPI.CheckOut, _ user: UserID, _ call: Call) async throws -> OrderID {
    let (done, known) = try await core.database.read {
      [now = core.time.now()] db -> (OrderID?, (StoredCart, CartPrices.Basis)?) in
      if let done: OrderID = try db.storedResponse(to: call.idempotencyKey) { return (done, nil) }
      let cart = try core.carts.open(of: user, in: db)
      // First, so that a buyer whose last item was taken away meanwhile hears that the cart changed.
      try request.ifMatch?.require(cart?.version ?? 0)
      // The order checks out this version of the cart: no other can begin between this count and its insertion.
      try UnpaidOrders.requireRoom(for: user, at: now, in: db)
      return (nil, try cart.map { ($0, try CartPrices.basis(of: $0, at: now, in: db)) })
    }
    if let done { return done }
    if let payment = request.payment { _ = try core.providers[payment.provider] }
    guard let (cart, basis) = known else { throw Problem(.cartEmpty) }
    guard cart.orderID == nil else { throw Problem(.checkoutInProgress, retryAfter: 1) }
    let priced = try await prices.of(cart, basis, region: request.shippingAddress?.region ?? request.region)
    guard priced.changes.isEmpty, priced.newTerms.isEmpty else { throw try await recordChanges(priced, of: cart) }
    guard request.shippingAddress != nil || !priced.cartLines.contains(where: \.isShipped) else {
      throw Problem(.addressMissing, errors: [.init(location: "body.shippingAddress", message: "is required")])
    }
    if request.shippingAddress == nil, request.region == nil, basis.rules.tax.contains(where: { $0.region != nil }) {
      throw Problem(
        .invalidRequest,
        errors: [.init(location: "body.region", message: "is required to compute the tax")]
      )
    }
    guard !priced.cartLines.contains(where: { $0.sellerID == user }) else { throw Problem(.ownListing) }
    let id: OrderID = core.ids.make()
    try await media.require(priced.cartLines, for: id)
    return try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        // The order must contain exactly what was priced: a concurrent change results in another version.
        let now = try core.carts.editable(of: user, ifMatch: request.ifMatch, in: tx)
        guard now.version == cart.version, now.id == cart.id else { throw Problem(.versionMismatch) }
        return try make(id, priced, from: cart, request, in: tx)
      }
    }
  }

  /// Stores the new prices and terms as those last shown to the buyer.
  /// - Returns: The problem that names them.
  private func recordChanges(_ priced: CartPrices.Priced, of cart: StoredCart) async throws -> Problem {
    try await core.database.write { tx in
      for change in priced.changes { try core.carts.update(change.item, price: change.now, in: tx) }
      for new in priced.newTerms { try core.carts.update(new.item, terms: new.fingerprint, in: tx) }
      _ = try core.carts.incrementVersion(cart, in: tx)
    }
    let prices = priced.changes.map { change in
      Problem.Detail(
        location: "items.\(change.item)", message: "changed from \(change.before) to \(change.now)")
    }
    let terms = priced.newTerms.map { new in
      Problem.Detail(location: "items.\(new.item)", message: "has other terms or another recording")
    }
    return Problem(terms.isEmpty ? .priceChanged : .cartChanged, errors: terms + prices)
  }

  private func make(
    _ id: OrderID,
    _ priced: CartPrices.Priced,
    from cart: StoredCart,
    _ request: OrdersAPI.CheckOut,
    in tx: Transaction
  ) throws -> OrderID {
    let totals = priced.cart.totals
    let needsStock = priced.cartLines.contains { $0.item.product != nil }
    let account = LedgerAccount.credit(cart.userID)
    let credit =
      request.useCredit == true ? min(totals.total, try LedgerStore.available(account, totals.currency, in: tx)) : 0
    let order = StoredOrder(
      id: id,
      cartID: cart.id,
      userID: cart.userID,
      source: .cart,
      totals: totals,
      credit: credit,
      address: try request.shippingAddress.map { try core.orders.seal($0, of: id) },
      stock: needsStock ? .reserving : .none,
      payBy: tx.now.advanced(bySeconds: paySeconds),
      region: request.shippingAddress?.region ?? request.region,
      createdAt: tx.now
    )
    try core.creation.make(order, priced.cartLines.lines(priced.cart.lines), in: tx)
    for cartLine in priced.cartLines {
      guard let listing = cartLine.item.listingID else { continue }
      guard try ExclusiveClaimStore.isFree(listing, in: tx) else { throw Problem(.listingNotForSale) }
      if cartLine.item.license == .exclusive {
        try ExclusiveRights.claimAtCheckout(listing, for: id, of: cart.userID, in: tx)
      }
    }
    if credit > 0 {
      // The order normally ends its hold; the expiry is a fallback.
      let until = tx.now.advanced(bySeconds: paySeconds + 86_400)
      try LedgerStore.hold(
        LedgerStore.creditHold(of: id), Money(credit, totals.currency), on: account, until: until, in: tx)
    }
    if let choice = request.payment, order.due > 0 {
      let token = try core.methods.token(of: choice, user: cart.userID, in: tx)
      let payment = StoredPayment(
        id: core.ids.make(),
        orderID: id,
        provider: choice.provider,
        amount: Money(order.due, totals.currency)
      )
      try core.attempts.begin(by: cart.userID, in: tx)
      try core.payments.insert(payment, token: token, in: tx)
    }
    try core.carts.lock(cart.id, for: id, in: tx)
    if !needsStock { try core.carts.finish(cart.id, of: cart.userID, in: tx) }
    return id
  }
}

extension [CartLine] {
  /// The order lines for these items.
  func lines(_ priced: [PricedLine]) -> [StoredLine] {
    zip(self, priced).map { cartLine, line in
      StoredLine(line: line, sellerID: cartLine.sellerID, terms: cartLine.terms, audio: cartLine.audio)
    }
  }
}
