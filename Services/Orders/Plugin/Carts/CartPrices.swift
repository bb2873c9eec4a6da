import Contracts
import Persistence

/// What a cart costs by catalog's prices of now and the shop's rules. What a client says of prices does not matter.
struct CartPrices: Sendable {
  let database: any Database
  let shelf: Shelf

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
    let (upgraded, rules) = try await database.read { [user = cart.userID] db in
      (try Self.upgraded(things.compactMap { $0 }, for: user, in: db), try PricingRulesStore.current(in: db))
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

  /// Who holds a licence of a listing pays the difference to a higher one.
  private static func upgraded(_ things: [PricedThing], for user: UserID, in db: any Connection) throws -> [PricedThing]
  {
    let listings = things.compactMap(\.listingID)
    guard !listings.isEmpty else { return things }
    let paid = try db.all(
      """
      SELECT listing_id, amount, currency FROM licences
      WHERE holder_id = \(user) AND status = 'active' AND listing_id IN \(list: listings)
      """
    ) { row -> (ListingID, Money) in (try row[0], Money(try row[1], try row[2])) }
    let most = Dictionary(paid) { $0.amount > $1.amount ? $0 : $1 }
    return things.map { thing in
      guard let listing = thing.listingID, let paid = most[listing], paid.currency == thing.unitPrice.currency else {
        return thing
      }
      var thing = thing
      thing.unitPrice.amount = max(0, thing.unitPrice.amount - paid.amount)
      return thing
    }
  }
}
