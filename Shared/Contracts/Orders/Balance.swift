/// The amount that the shop owes a user in one currency. Earnings become negative when refunds take back more than is
/// left.
public struct Balance: Codable, Sendable, Equatable {
  public enum Kind: String, WireEnum { case earnings, credit }
  public var kind: Kind
  /// Available for spending or payout.
  public var available: Money
  /// Reserved for orders that are being paid, and for requested pay-outs.
  public var held: Money
  public init(kind: Kind, available: Money, held: Money) {
    (self.kind, self.available, self.held) = (kind, available, held)
  }
}

/// A movement of a balance in the ledger.
public struct BalanceEntry: Codable, Sendable, Equatable {
  public var id: String
  public var kind: Balance.Kind
  /// Negative for debits.
  public var amount: Money
  /// The type of entry, such as `sale`, `refund`, `grant`, `payment` or `payout`.
  public var code: String
  public var orderID: OrderID?
  public var at: Timestamp
  public init(id: String, kind: Balance.Kind, amount: Money, code: String, orderID: OrderID?, at: Timestamp) {
    (self.id, self.kind, self.amount, self.code, self.orderID, self.at) = (id, kind, amount, code, orderID, at)
  }
}
