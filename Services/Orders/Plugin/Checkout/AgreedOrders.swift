import Contracts
import Persistence
import ServiceKit

/// Creates the orders that result from auctions and offers: at an agreed price, with a payment deadline.
struct AgreedOrders: Sendable {
  let orders: OrderStore
  let offers: OfferStore
  let ids: IDGenerator
  /// How long the buyer has to pay, in seconds.
  let paySeconds: Double
  let queue: OrderWorkflow.Queue

  /// Creates the order of an auction's winner, who holds the exclusive right from now on.
  func sell(_ auction: StoredAuction, to buyer: UserID, at price: Int64, in tx: Transaction) throws -> OrderID {
    let id = try order(auction, for: buyer, at: price, in: tx)
    try ExclusiveRights.claim(auction.listingID, for: id, auction: auction.id, in: tx)
    try ExclusiveRights.endOthers(auction.listingID, auction: auction.id, in: tx)
    return id
  }

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
    try orders.insert(order, [cartLine].lines(priced.lines), in: tx)
    try queue.schedule(id, in: tx)
    try tx.record(RealtimeEvent(to: buyer, "order.pendingPayment", ["order": .string(id.rawValue)]))
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
    try offers.insert(offer, message: nil, in: tx)
    try Offers.notify(offer.id, offer.status, to: bidder, in: tx)
    return offer.id
  }
}
