/// The position of a line in its order, from 0.
public struct LinePosition: BoundedInteger {
  public static let range = 0...999
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// A line of an order: what was bought, and what has become of it.
public struct OrderLine: Codable, Sendable, Equatable {
  /// Names the line in calls about this order.
  public var position: Int
  public var productID: ProductID?
  public var variantID: VariantID?
  public var listingID: ListingID?
  public var license: LicenseKind?
  public var title: String
  public var sku: String?
  public var image: MediaID?
  public var quantity: Int
  /// The displayed price of one unit, including tax where prices include it.
  public var unitPrice: Money
  /// Parts per million.
  public var taxRate: Int
  /// For the whole line; `net + tax = gross`.
  public var net: Money
  public var tax: Money
  public var gross: Money
  /// Absent until the order is placed. A license is delivered when it is granted.
  public var fulfillmentStatus: FulfillmentStatus?
  /// The part of `gross` taken back by refunds, also by those that are not yet with the buyer.
  public var returned: Money
  public init(_ line: PricedLine, position: Int, fulfillmentStatus: FulfillmentStatus?, returned: Money) {
    (productID, variantID, listingID, license) = (line.productID, line.variantID, line.listingID, line.license)
    (title, sku, image, quantity) = (line.title, line.sku, line.image, line.quantity)
    (unitPrice, taxRate, net, tax, gross) = (line.unitPrice, line.taxRate, line.net, line.tax, line.gross)
    (self.position, self.fulfillmentStatus, self.returned) = (position, fulfillmentStatus, returned)
  }
}
