public typealias OrderID = ID<Order>

/// The state of an order. Changes on its three axes are restricted to a fixed set of transitions.
public enum OrderStatus: String, WireEnum { case pendingPayment, placed, canceled, expired }
public enum PaymentStatus: String, WireEnum { case unpaid, paid, failed, partiallyRefunded, refunded }
public enum FulfillmentStatus: String, WireEnum { case processing, processed, shipped, delivered, canceled }

/// A line of a quote, or what a line of an order sells.
public struct PricedLine: Codable, Sendable, Equatable {
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
  public init(
    productID: ProductID?, variantID: VariantID?, listingID: ListingID?, license: LicenseKind?, title: String,
    sku: String?, image: MediaID?, quantity: Int, unitPrice: Money, taxRate: Int, net: Money, tax: Money, gross: Money
  ) {
    (self.productID, self.variantID, self.listingID, self.license) = (productID, variantID, listingID, license)
    (self.title, self.sku, self.image, self.quantity, self.unitPrice) = (title, sku, image, quantity, unitPrice)
    (self.taxRate, self.net, self.tax, self.gross) = (taxRate, net, tax, gross)
  }
}

/// A purchase by one buyer. `subtotal + tax + shipping = total`; all amounts are in one currency.
public struct Order: Codable, Sendable, Equatable, Versioned {
  /// A change of one of the three axes.
  public struct Change: Codable, Sendable, Equatable {
    public var at: Timestamp
    /// The actor, such as `user:<id>` or `service:orders`.
    public var by: String
    /// The changed axis, such as `fulfillment`.
    public var axis: String
    public var from: String?
    public var to: String
    public var reason: String?
    public init(at: Timestamp, by: String, axis: String, from: String?, to: String, reason: String?) {
      (self.at, self.by, self.axis, self.from, self.to, self.reason) = (at, by, axis, from, to, reason)
    }
  }

  public var id: OrderID
  /// Absent if the buyer's account was deleted.
  public var ownerID: UserID?
  public var status: OrderStatus
  public var paymentStatus: PaymentStatus
  /// Absent until the order is placed. It follows from the lines: the least advanced of those that are not canceled.
  public var fulfillmentStatus: FulfillmentStatus?
  public var lines: [OrderLine]
  /// The net total of all lines.
  public var subtotal: Money
  public var tax: Money
  public var shipping: Money
  public var total: Money
  /// The part paid with store credit.
  public var credit: Money
  /// The amount that the buyer has got back.
  public var refunded: Money
  /// The amount on its way back to the buyer; absent if there is none.
  public var refundPending: Money?
  /// The amount that the buyer should have got back by refunds that have failed; absent if there are none.
  public var refundFailed: Money?
  public var shippingAddress: PostalAddress?
  /// The region whose taxes and shipping rules the totals follow; if absent, those that apply everywhere.
  public var region: Region?
  /// The carrier of the goods that were shipped last, as is `tracking`.
  public var carrier: String?
  public var tracking: String?
  /// The payment deadline, after which an unpaid order expires.
  public var payBy: Timestamp?
  /// The current or most recent payment.
  public var payment: Payment?
  public var createdAt: Timestamp
  public var placedAt: Timestamp?
  /// Present for a single order, absent in lists.
  public var changes: [Change]?
  public var version: Int
  public init(
    id: OrderID, ownerID: UserID?, status: OrderStatus, paymentStatus: PaymentStatus,
    fulfillmentStatus: FulfillmentStatus?, lines: [OrderLine], subtotal: Money, tax: Money, shipping: Money,
    total: Money, credit: Money, refunded: Money, refundPending: Money?, refundFailed: Money?,
    shippingAddress: PostalAddress?, carrier: String?, tracking: String?,
    payBy: Timestamp?, payment: Payment?, createdAt: Timestamp, placedAt: Timestamp?, changes: [Change]?, version: Int
  ) {
    (self.id, self.ownerID, self.status, self.paymentStatus) = (id, ownerID, status, paymentStatus)
    (self.fulfillmentStatus, self.lines, self.subtotal, self.tax) = (fulfillmentStatus, lines, subtotal, tax)
    (self.shipping, self.total, self.credit, self.refunded) = (shipping, total, credit, refunded)
    (self.refundPending, self.refundFailed) = (refundPending, refundFailed)
    (self.shippingAddress, self.carrier, self.tracking, self.payBy) = (shippingAddress, carrier, tracking, payBy)
    (self.payment, self.createdAt, self.placedAt, self.changes) = (payment, createdAt, placedAt, changes)
    self.version = version
  }
}

/// The receipt of a paid order. Amounts are as in ``Order``.
public struct Receipt: Codable, Sendable, Equatable {
  public var orderID: OrderID
  /// The buyer's current display name; absent if the account is deleted or auth is unavailable.
  public var buyer: String?
  public var placedAt: Timestamp
  public var lines: [OrderLine]
  public var subtotal: Money
  public var tax: Money
  public var shipping: Money
  public var total: Money
  public var refunded: Money
  /// The payment provider, such as `stripe`; `credit` if store credit paid the whole order, `free` if nothing was
  /// due.
  public var paidWith: String
  public init(
    orderID: OrderID, buyer: String?, placedAt: Timestamp, lines: [OrderLine], subtotal: Money, tax: Money,
    shipping: Money, total: Money, refunded: Money, paidWith: String
  ) {
    (self.orderID, self.buyer, self.placedAt, self.lines, self.subtotal) = (orderID, buyer, placedAt, lines, subtotal)
    (self.tax, self.shipping, self.total, self.refunded, self.paidWith) = (tax, shipping, total, refunded, paidWith)
  }
}
