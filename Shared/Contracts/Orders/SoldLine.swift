/// A line of a placed order, for its seller.
public struct SoldLine: Codable, Sendable, Equatable {
  public var orderID: OrderID
  public var position: Int
  public var listingID: ListingID?
  public var license: LicenseKind?
  public var title: String
  /// Absent for a deleted account.
  public var buyerID: UserID?
  /// Without tax; `price = fee + earned`.
  public var price: Money
  public var fee: Money
  public var earned: Money
  /// The part of `earned` that refunds have taken back.
  public var refunded: Money
  public var soldAt: Timestamp
  public init(
    orderID: OrderID, position: Int, listingID: ListingID?, license: LicenseKind?, title: String, buyerID: UserID?,
    price: Money, fee: Money, earned: Money, refunded: Money, soldAt: Timestamp
  ) {
    (self.orderID, self.position, self.listingID, self.license) = (orderID, position, listingID, license)
    (self.title, self.buyerID, self.price, self.fee) = (title, buyerID, price, fee)
    (self.earned, self.refunded, self.soldAt) = (earned, refunded, soldAt)
  }
}

/// The sales of one month (UTC) in one currency. Refunds count in the month of the sale.
public struct SalesMonth: Codable, Sendable, Equatable {
  /// Such as `2026-11`.
  public var month: String
  /// The number of sold lines.
  public var count: Int
  /// Without tax.
  public var price: Money
  public var fee: Money
  public var earned: Money
  public var refunded: Money
  public init(month: String, count: Int, price: Money, fee: Money, earned: Money, refunded: Money) {
    (self.month, self.count, self.price) = (month, count, price)
    (self.fee, self.earned, self.refunded) = (fee, earned, refunded)
  }
}
