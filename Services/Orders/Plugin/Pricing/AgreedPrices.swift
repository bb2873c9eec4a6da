import Contracts
import Persistence
import ServiceKit

/// Prices the orders of auctions and offers for the buyer's region. The agreed price is treated like the price of a
/// listing: the rule for the region decides whether it includes the tax.
struct AgreedPrices: Feature {
  let core: OrdersCore

  init(_ core: OrdersCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.SetOrderRegion.self) { request, call in
      let user = try call.user.id
      return try await core.database.write { tx in
        var order = try requirePayable(request.id, by: user, in: tx)
        try price(&order, for: request.region, in: tx)
        return try core.view.one(order.id, for: user, in: tx)
      }
    }
  }

  /// An unpaid order of a buyer for which no payment is being started.
  func requirePayable(_ id: OrderID, by user: UserID, in tx: Transaction) throws -> StoredOrder {
    let order = try core.orders.get(id, in: tx)
    guard order.userID == user, order.stock != .reserving else { throw Problem(.orderNotFound) }
    guard order.status == .pendingPayment, order.paymentStatus != .paid, order.due > 0,
      order.payBy.map({ $0 > tx.now }) ?? true
    else { throw Problem(.orderNotPayable) }
    // A pending attempt does not block another one: the buyer may have abandoned it.
    guard try !core.payments.list(of: id, in: tx).contains(where: { $0.status == .created }) else {
      throw Problem(.paymentInProgress)
    }
    return order
  }

  /// Prices an unpaid order for a region; the region that it is priced for changes nothing.
  ///
  /// - Throws: ``Problem`` when a region is needed and none is known, or when the order was checked out for another.
  func price(_ order: inout StoredOrder, for region: Region?, in tx: Transaction) throws {
    let rules = try PricingRulesStore.find(in: tx)
    guard let region = region ?? order.region else {
      guard order.source == .cart || rules.tax.allSatisfy({ $0.region == nil }) else {
        throw Self.invalid("is required to compute the tax")
      }
      return
    }
    guard region != order.region else { return }
    guard order.source != .cart else { throw Self.invalid("was set at checkout") }
    let cartLines = try core.orders.lines(of: order, in: tx).compactMap(\.agreed)
    order.region = region
    let prices = Pricing(rules: rules).price(cartLines, currency: order.currency, region: region)
    try core.orders.update(&order, prices: prices, in: tx)
  }

  private static func invalid(_ message: String) -> Problem {
    Problem(.invalidRequest, errors: [.init(location: "body.region", message: message)])
  }
}

extension StoredLine {
  /// The license of an agreed order, to be priced again.
  fileprivate var agreed: CartLine? {
    guard let listing = line.listingID, let kind = line.license else { return nil }
    return CartLine(
      item: .license(listing, kind),
      title: line.title,
      image: line.image,
      quantity: line.quantity,
      unitPrice: line.unitPrice,
      taxClass: SaleItems.Listing.taxClass,
      isShipped: false,
      weightGrams: 0,
      sellerID: sellerID,
      terms: terms,
      audio: audio
    )
  }
}
