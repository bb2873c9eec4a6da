import Contracts
import Persistence

/// The price of a cart, according to catalog's current prices and the shop's rules. Prices sent by clients are ignored.
struct CartPrices: Sendable {
  let catalog: CatalogClient

  struct Priced: Sendable {
    var cartLines: [CartLine]
    var cart: PricedCart
    /// Prices that differ from those last shown to the owner.
    var changes: [PriceChange]
    /// Licenses whose terms or recording differ from those last shown to the owner.
    var newTerms: [NewTerms]
  }

  struct NewTerms: Sendable {
    var item: CartItemID
    var fingerprint: String
  }

  /// This service's own data that prices depend on.
  struct Basis: Sendable {
    var rules: PricingRules
    /// Valid licenses for the cart's listings that its owner holds.
    var held: [HeldLicense]
  }

  static func basis(of cart: StoredCart, at now: Timestamp, in db: any Connection) throws -> Basis {
    let listings = cart.items.compactMap(\.listingID)
    return Basis(
      rules: try PricingRulesStore.find(in: db),
      held: listings.isEmpty ? [] : try LicenseStore.held(by: cart.userID, for: listings, at: now, in: db)
    )
  }

  /// - Throws: ``Problem`` `cart-empty`, `region-not-served`, or `cart-changed` with the items that can no longer be
  ///   bought.
  func of(_ cart: StoredCart, _ basis: Basis, region: Region?) async throws -> Priced {
    guard !cart.items.isEmpty else { throw Problem(.cartEmpty) }
    let items = try await catalog.items(
      products: cart.items.compactMap(\.product),
      listings: cart.items.compactMap(\.listingID)
    )
    let cartLines = cart.items.map { items.cartLine(for: $0) }
    let gone = cart.items.indices.filter { cartLines[$0] == nil }
    guard gone.isEmpty else { throw Self.changed(gone.map { cart.items[$0].id }) }
    let upgraded = Self.upgraded(cartLines.compactMap { $0 }, from: basis.held)
    let changes = zip(cart.items, cartLines).compactMap { item, cartLine -> PriceChange? in
      guard let now = cartLine?.unitPrice, now != item.price else { return nil }
      return PriceChange(item: item.id, before: item.price, now: now)
    }
    let newTerms = try zip(cart.items, cartLines).compactMap { item, cartLine -> NewTerms? in
      guard let now = try cartLine?.fingerprint(), now != cart.terms[item.id] else { return nil }
      return NewTerms(item: item.id, fingerprint: now)
    }
    guard let currency = upgraded.first?.unitPrice.currency, upgraded.allSatisfy({ $0.unitPrice.currency == currency })
    else { throw Self.changed(changes.map(\.item)) }
    let pricing = Pricing(rules: basis.rules)
    try pricing.requireShipping(upgraded, currency: currency, to: region)
    let priced = pricing.price(upgraded, currency: currency, region: region)
    return Priced(cartLines: upgraded, cart: priced, changes: changes, newTerms: newTerms)
  }

  private static func changed(_ items: [CartItemID]) -> Problem {
    Problem(.cartChanged, errors: items.map { .init(location: "items.\($0)", message: "can no longer be bought") })
  }

  /// A holder of valid lower licenses for a listing pays only the difference to a higher one, once per listing.
  private static func upgraded(_ cartLines: [CartLine], from held: [HeldLicense]) -> [CartLine] {
    var credited: Set<ListingID> = []
    return cartLines.map { cartLine in
      guard let listing = cartLine.item.listingID, let wanted = cartLine.item.license, !credited.contains(listing)
      else {
        return cartLine
      }
      let lower = held.filter { item in
        item.listing == listing && item.paid.currency == cartLine.unitPrice.currency
          && item.kind.map { $0.tier < wanted.tier } == true
      }
      guard !lower.isEmpty else { return cartLine }
      credited.insert(listing)
      var cartLine = cartLine
      cartLine.unitPrice.amount = max(0, cartLine.unitPrice.amount - lower.reduce(0) { $0 + $1.paid.amount })
      return cartLine
    }
  }
}

extension LicenseKind {
  /// The rank of a license, for finding the higher of two.
  fileprivate var tier: Int {
    switch self {
    case .free: 0
    case .lease: 1
    case .unlimited: 2
    case .exclusive: 3
    }
  }
}
