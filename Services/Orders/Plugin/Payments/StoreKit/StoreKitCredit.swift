import Contracts
import Persistence

/// Store credit for purchases that Apple refunds as well: it would otherwise be a second refund.
extension StoreKitTransitions {
  /// Takes back the store credit that the buyer got of an order, as far as it is not spent and Apple has refunded more
  /// than was left.
  func takeCredit(for refund: StoredRefund, of order: StoredOrder, in tx: Transaction) throws {
    guard let user = order.userID else { return }
    let (account, currency) = (LedgerAccount.credit(user), refund.amount.currency)
    let given = try RefundStore.list(of: order.id, in: tx)
      .filter { $0.payment == nil && $0.status == .succeeded && $0.amount.currency == currency }
      .reduce(0) { $0 + $1.amount.amount }
    let amount = min(refund.loss, given, max(0, try LedgerStore.available(account, currency, in: tx)))
    try LedgerStore.post(
      [
        Transfer(
          id: Self.transfer(refund), from: account, to: .losses, amount: Money(amount, currency), code: "chargeback",
          order: order.id)
      ], in: tx)
  }

  /// Returns the store credit that was taken back for a refund.
  func returnCredit(for refund: StoredRefund, of order: StoredOrder, in tx: Transaction) throws {
    guard let user = order.userID, let taken = try LedgerStore.amount(of: Self.transfer(refund), in: tx) else { return }
    try LedgerStore.post(
      [
        Transfer(
          id: "\(Self.transfer(refund)):return", from: .losses, to: .credit(user), amount: taken, code: "chargeback",
          order: order.id)
      ], in: tx)
  }

  private static func transfer(_ refund: StoredRefund) -> String { "\(refund.id):credit" }
}
