import Contracts
import Persistence

/// Refunds that were decided before orders-031: they took money back only when the provider had made them.
enum EarlierRefunds {
  /// Takes back what those that are still pending refund, once; call it before anything else can refund the orders.
  static func takeBack(_ core: OrdersCore) async throws {
    for id in try await core.database.read({ try RefundStore.untaken(in: $0) }) {
      try await core.database.write { [transitions = core.transitions] tx in
        // Another instance may start at the same time.
        guard try RefundStore.untaken(in: tx).contains(id) else { return }
        try transitions.takeBackPending(id, in: tx)
      }
    }
  }
}

extension OrderTransitions {
  fileprivate func takeBackPending(_ id: RefundID, in tx: Transaction) throws {
    guard let refund = try RefundStore.find(id, in: tx), let order = try orders.find(refund.orderID, in: tx) else {
      return
    }
    var sale = try sale(order, in: tx)
    var parts = sale.parts(min(refund.amount.amount, sale.left))
    try take(&parts, from: &sale, by: id, in: tx)
    try RefundStore.insert(parts, of: id, in: tx)
    try store(&sale, by: Self.actor, reason: refund.reason, in: tx)
  }
}
