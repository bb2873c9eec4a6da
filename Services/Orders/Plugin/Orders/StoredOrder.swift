import Contracts

/// An order as stored.
struct StoredOrder: Sendable, Equatable {
  /// The origin of the order.
  enum Source: String, Sendable { case cart, auction, offer }

  /// The state of the order's stock in catalog.
  enum Stock: String, Sendable {
    /// The order needs no stock.
    case none
    /// The reservation is requested; until it succeeds, the order is not visible.
    case reserving
    case held, committed
    /// A part of it is to be returned.
    case reducing
    /// To be released.
    case releasing
    case released
  }

  var id: OrderID
  var cartID: CartID?
  var userID: UserID?
  var source: Source
  /// The id of the auction or offer.
  var sourceID: String?
  var status = OrderStatus.pendingPayment
  var paymentStatus = PaymentStatus.unpaid
  var fulfillmentStatus: FulfillmentStatus?
  var totals: Totals
  var credit: Int64 = 0
  /// The amount that the buyer has got back.
  var refunded: Int64 = 0
  /// The amount taken back of the lines and shipping of a placed order; some of it may still be on its way to the
  /// buyer.
  var returned: Int64 = 0
  var returnedShipping = Shares()
  /// Encrypted.
  var address: String?
  var carrier: String?
  var tracking: String?
  var stock: Stock
  var payBy: Timestamp?
  /// The region whose taxes the totals contain; `nil` for those that apply everywhere.
  var region: Region?
  var createdAt: Timestamp
  var placedAt: Timestamp?
  var version = 1

  var object: String { "order:\(id)" }
  var currency: Currency { totals.currency }
  /// The amount to be paid through a payment provider.
  var due: Int64 { totals.total - credit }
}

/// A line with the data that only this service needs.
struct StoredLine: Sendable, Equatable {
  var position = 0
  var line: PricedLine
  var sellerID: UserID?
  var terms: LicenseOption?
  /// The listing's recording.
  var audio: MediaID?
  /// The platform's fee, determined when the order is placed.
  var fee: Int64 = 0
  var fulfillmentStatus = FulfillmentStatus.processing
  /// The shares that refunds have taken back.
  var returned = Shares()
  var returnedQuantity = 0
  /// Units that have returned to stock.
  var restocked = 0

  var isGoods: Bool { line.listingID == nil }
  /// The shares that are not refunded.
  var left: Shares {
    Shares(proceeds: line.net.amount - fee, fee: fee, tax: line.tax.amount) - returned
  }
}
