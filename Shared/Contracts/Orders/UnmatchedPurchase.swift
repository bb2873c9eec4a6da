/// A purchase through StoreKit that is neither booked nor a plan. It is booked as soon as its buyer's app submits it for
/// the right order.
public struct UnmatchedPurchase: Codable, Sendable, Equatable {
  public enum Reason: String, WireEnum {
    /// No order is named.
    case orderMissing
    /// The order is not the buyer's, or does not exist.
    case orderUnknown
    /// Its `appAccountToken` is neither the order's nor the buyer's.
    case otherToken
    /// The price is not the amount that is due.
    case price
    /// A plan cannot pay an order, and anything else is no plan.
    case product
    /// Apple does not allow StoreKit for goods.
    case physicalGoods
    /// Another member of the family has paid.
    case familyShared
  }

  public var transactionID: String
  public var product: String
  /// Absent when Apple has not reported a price.
  public var amount: Money?
  public var userID: UserID?
  public var reason: Reason
  public var isRevoked: Bool
  public var purchasedAt: Timestamp
  public var receivedAt: Timestamp

  public init(
    transactionID: String, product: String, amount: Money?, userID: UserID?, reason: Reason, isRevoked: Bool,
    purchasedAt: Timestamp, receivedAt: Timestamp
  ) {
    (self.transactionID, self.product, self.amount, self.userID) = (transactionID, product, amount, userID)
    (self.reason, self.isRevoked) = (reason, isRevoked)
    (self.purchasedAt, self.receivedAt) = (purchasedAt, receivedAt)
  }
}
