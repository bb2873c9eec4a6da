import Contracts
import Persistence
import ServiceKit

/// Payments that are made after their order has expired: approved by a parent, or made offline.
extension OrderTransitions {
  /// Lets an expired order of a cart be paid after all, if its rights are still free and its store credit is still
  /// there. One that was canceled, or that an auction or an offer has ended with, stays as it is.
  func reopen(_ order: inout StoredOrder, in tx: Transaction) throws {
    guard order.status == .expired, order.source == .cart, order.userID.map({ _ in true }) ?? false,
      order.stock == .none
    else { return }
    let lines = try orders.lines(of: [order], in: tx)[order.id] ?? []
    for line in lines {
      guard let listing = line.line.listingID else { continue }
      guard
        try line.line.license == .exclusive
          ? ExclusiveRights.isFree(listing, in: tx) : ExclusiveClaimStore.isFree(listing, in: tx)
      else { return }
    }
    if order.credit > 0, let user = order.userID {
      let (account, currency) = (LedgerAccount.credit(user), order.currency)
      guard try LedgerStore.available(account, currency, in: tx) >= order.credit else { return }
      try LedgerStore.hold(
        LedgerStore.creditHold(of: order.id), Money(order.credit, currency), on: account,
        until: tx.now.advanced(bySeconds: 86_400), in: tx)
    }
    order.status = .pendingPayment
    try orders.update(&order, by: Self.actor, reason: "paid late", in: tx)
    try OrderMedia.began(order, lines, in: tx)
  }
}
