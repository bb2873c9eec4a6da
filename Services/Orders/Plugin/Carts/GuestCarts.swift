import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Carts of guests: they move into the account that the guest signs up for or signs in to, and expire otherwise.
struct GuestCarts: Feature {
  let core: OrdersCore

  /// How long a guest's cart is kept after its last change, in seconds.
  static let lifetimeSeconds = 30.0 * 86_400

  /// Carts that are deleted in one transaction.
  private static let batch = 200

  init(_ core: OrdersCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(GuestSignedIn.self) { event, tx in try move(from: event.guestID, to: event.userID, in: tx) }
  }

  var workers: [any Service] {
    [
      PeriodicTask("carts.delete-expired", per: .platform, every: .seconds(3600), logger: core.logger) {
        while try await core.database.write({ try CartStore.deleteExpired(limit: Self.batch, in: $0) }) == Self.batch {}
      }
    ]
  }

  /// Moves a guest's items into the cart of an account. Repeated, it finds nothing to move.
  ///
  /// - Throws: ``Problem`` while the account's cart is being checked out; the event is then delivered again.
  private func move(from guest: UserID, to user: UserID, in tx: Transaction) throws {
    guard var source = try core.carts.open(of: guest, in: tx), !source.items.isEmpty else { return }
    if guest == user { return try core.carts.keep(&source, until: nil, in: tx) }
    let cart = try core.carts.openOrCreate(of: user, in: tx)
    guard cart.orderID == nil else {
      throw Problem(.unavailable, detail: "The account's cart is being checked out.", retryAfter: 1)
    }
    let merge = CartMerge(of: source.items, into: cart.items, limit: CartStore.maxItems)
    try CartStore.delete(source.id, in: tx)
    for item in merge.raised { try core.carts.update(item.id, quantity: item.quantity, in: tx) }
    for item in merge.added {
      guard let key = item.reference?.key else { continue }
      if let listing = item.listingID, try !ExclusiveClaimStore.isFree(listing, in: tx) { continue }
      try core.carts.add(item, itemKey: key, terms: source.terms[item.id], to: cart, in: tx)
    }
    _ = try core.carts.incrementVersion(cart, in: tx)
  }
}

/// The steps that move the items of one cart into another.
struct CartMerge: Equatable {
  /// Items of the other cart, with their new quantities.
  var raised: [Cart.Item] = []
  /// Items that are new to the other cart.
  var added: [Cart.Item] = []

  /// - Parameter limit: The maximum number of items in a cart. Items beyond it are left out, and so are those in
  ///   another currency than the cart.
  init(of items: [Cart.Item], into others: [Cart.Item], limit: Int) {
    let present = Dictionary(others.map { ($0.reference?.key, $0) }) { first, _ in first }
    for item in items {
      if let currency = (others.first ?? added.first)?.price.currency, currency != item.price.currency { continue }
      guard var same = present[item.reference?.key] else {
        if others.count + added.count < limit { added.append(item) }
        continue
      }
      let quantity = min(same.quantity + item.quantity, Quantity.range.upperBound)
      // A license is bought once.
      guard same.listingID == nil, quantity > same.quantity else { continue }
      same.quantity = quantity
      raised.append(same)
    }
  }
}
