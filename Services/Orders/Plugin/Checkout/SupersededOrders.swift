import Contracts
import Persistence
import ServiceKit

/// Orders whose licenses can no longer be granted.
extension OrderTransitions {
  /// Whether an order's licenses can be granted if it is paid now.
  func areLicensesPayable(of order: StoredOrder, in tx: Transaction) throws -> Bool {
    try ExclusiveRights.arePayable(orders.lines(of: [order], in: tx)[order.id] ?? [], of: order, in: tx)
  }

  /// Ends the unpaid orders of a listing whose exclusive license is sold. An order that is not visible yet because its
  /// stock is being reserved, or that is paid but not placed, ends when it is paid or placed.
  func endUnpaidOrders(of listing: ListingID, in tx: Transaction) throws {
    for order in try OrderStore.unpaid(of: listing, in: tx) { try supersede(order, in: tx) }
  }

  /// Cancels an order when one of its listings has been sold exclusively to another buyer, or has lost its seller; what
  /// was paid for it is refunded.
  func supersede(_ id: OrderID, in tx: Transaction) throws {
    if let offer = try OfferStore.endPayment(of: id, as: .supersededBySale, in: tx) {
      try Offers.announce(offer, in: tx)
    }
    try cancel(id, by: Self.actor, reason: "the license can no longer be granted", in: tx)
    // Its stock may have to be released, and money refunded.
    try auctions.sales.queue.schedule(id, in: tx)
  }
}
