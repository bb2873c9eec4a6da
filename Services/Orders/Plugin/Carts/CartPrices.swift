import Contracts
import Persistence

/// What a cart costs by catalog's prices of now and the shop's rules. What a client says of prices does not matter.
struct CartPrices: Sendable {
  let database: any Database
  let shelf: Shelf
  let time: TimeSource

  struct Priced: Sendable {
    var things: [PricedThing]
    var cart: PricedCart
    /// Prices that are others than the owner was told last.
    var changes: [PriceChange]
  }

  /// - Throws: ``Problem`` `cart-empty`, or `cart-changed` with the items that can no longer be bought.
  func of(_ cart: StoredCart, region: Region?) async throws -> Priced {
    guard !cart.items.isEmpty else { throw Problem(.cartEmpty) }
    let items = try await shelf.items(
      products: cart.items.compactMap { item in
        item.productID.map { ProductReference(productID: $0, variantID: item.variantID) }
      },
      listings: cart.items.compactMap(\.listingID)
    )
    let things = cart.items.map { items.thing(for: $0) }
    let gone = cart.items.indices.filter { things[$0] == nil }
    guard gone.isEmpty else { throw Self.changed(gone.map { cart.items[$0].id }) }
    let (upgraded, rules) = try await database.read { [user = cart.userID, now = time.now()] db in
      (
        try Self.upgraded(things.compactMap { $0 }, for: user, at: now, in: db),
        try PricingRulesStore.current(in: db)
      )
    }
    let changes = zip(cart.items, things).compactMap { item, thing -> PriceChange? in
      guard let now = thing?.unitPrice, now != item.price else { return nil }
      return PriceChange(item: item.id, before: item.price, now: now)
    }
    guard let currency = upgraded.first?.unitPrice.currency, upgraded.allSatisfy({ $0.unitPrice.currency == currency })
    else { throw Self.changed(changes.map(\.item)) }
    let priced = Pricing(rules: rules).price(upgraded, currency: currency, region: region)
    return Priced(things: upgraded, cart: priced, changes: changes)
  }

  private static func changed(_ items: [CartItemID]) -> Problem {
    Problem(.cartChanged, errors: items.map { .init(location: "items.\($0)", message: "cannot be bought as it is") })
  }

  /// Who holds licences of a listing that are still valid pays what a higher one costs more, once.
  private static func upgraded(_ things: [PricedThing], for user: UserID, at now: Timestamp, in db: any Connection)
    throws
    -> [PricedThing]
  {
    let listings = things.compactMap(\.listingID)
    guard !listings.isEmpty else { return things }
    let held = try db.all(
      """
      SELECT listing_id, kind, amount, currency FROM licences
      WHERE holder_id = \(user) AND status = 'active' AND (expires_at IS NULL OR expires_at > \(now))
        AND listing_id IN \(list: listings)
      """
    ) { row -> (listing: ListingID, kind: LicenceKind?, paid: Money) in
      let kind: String = try row[1]
      return (try row[0], LicenceKind(rawValue: kind), Money(try row[2], try row[3]))
    }
    var credited: Set<ListingID> = []
    return things.map { thing in
      guard let listing = thing.listingID, let wanted = thing.licence, !credited.contains(listing) else { return thing }
      let lower = held.filter { item in
        item.listing == listing && item.paid.currency == thing.unitPrice.currency
          && item.kind.map { $0.tier < wanted.tier } == true
      }
      guard !lower.isEmpty else { return thing }
      credited.insert(listing)
      var thing = thing
      thing.unitPrice.amount = max(0, thing.unitPrice.amount - lower.reduce(0) { $0 + $1.paid.amount })
      return thing
    }
  }
}

extension LicenceKind {
  /// Which is the higher one of two.
  fileprivate var tier: Int {
    switch self {
    case .free: 0
    case .lease: 1
    case .unlimited: 2
    case .exclusive: 3
    }
  }
}
