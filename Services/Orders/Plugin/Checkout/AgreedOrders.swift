import Contracts
import Persistence
import ServiceKit

/// Creates the orders that result from auctions and offers: at an agreed price, with a payment deadline.
struct AgreedOrders: Sendable {
  let creation: OrderCreation
  let offers: OfferTransitions
  let ids: IDGenerator
  /// How long the buyer has to pay, in seconds.
  let paySeconds: Double

  /// Creates an unpaid order for what is auctioned, which claims nothing.
  /// - Parameter payBy: The deadline of a buy-now.
  func order(_ auction: StoredAuction, for buyer: UserID, at price: Int64, payBy: Timestamp? = nil, in tx: Transaction)
    throws -> OrderID
  {
    let terms = auction.listing.licenses.first { $0.kind == .exclusive }
    guard let terms else { throw Problem(.listingNotForSale) }
    return try order(
      auction.listing,
      terms,
      at: auction.money(price),
      for: buyer,
      source: .auction,
      sourceID: auction.id.rawValue,
      payBy: payBy,
      in: tx
    )
  }

  /// Creates an unpaid order for one license.
  /// - Parameter payBy: The usual deadline by default.
  func order(
    _ listing: SaleItems.Listing,
    _ terms: LicenseOption,
    at price: Money,
    for buyer: UserID,
    source: StoredOrder.Source,
    sourceID: String,
    payBy: Timestamp? = nil,
    in tx: Transaction
  ) throws -> OrderID {
    let cartLine = listing.cartLine(terms, price: price)
    let rules = try PricingRulesStore.find(in: tx)
    let priced = Pricing(rules: rules).price([cartLine], currency: price.currency, region: nil)
    let id: OrderID = ids.make()
    let order = StoredOrder(
      id: id,
      userID: buyer,
      source: source,
      sourceID: sourceID,
      totals: priced.totals,
      stock: .none,
      payBy: payBy ?? tx.now.advanced(bySeconds: paySeconds),
      createdAt: tx.now
    )
    try creation.make(order, [cartLine].lines(priced.lines), in: tx)
    try OrderEvents.awaitsPayment(id, of: buyer, in: tx)
    return id
  }

  /// Creates a seller's offer to the next bidder.
  func offerSecondChance(_ auction: StoredAuction, to bidder: UserID, at price: Int64, in tx: Transaction) throws
    -> OfferID
  {
    let offer = StoredOffer(
      id: ids.make(),
      listingID: auction.listingID,
      license: .exclusive,
      buyerID: bidder,
      sellerID: auction.state.seller,
      amount: auction.money(price),
      madeBy: .seller,
      isFinal: true,
      // The price is not negotiable.
      bounds: OfferBounds(lower: price, upper: price),
      hours: 48,
      createdAt: tx.now,
      expiresAt: tx.now.advanced(bySeconds: 48 * 3600),
      listing: auction.listing
    )
    try offers.make(offer, message: nil, in: tx)
    try OfferEvents.changed(offer.id, to: offer.status, for: bidder, in: tx)
    return offer.id
  }
}
