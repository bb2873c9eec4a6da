extension OrdersAPI {
  /// Newest first.
  public struct ListOrders: PagedEndpoint {
    public typealias Response = Page<Order>
    public static let operation = Operation.get("/v1/orders", "List the caller's orders")
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  /// Newest first.
  public struct ListAllOrders: PagedEndpoint {
    public typealias Response = Page<Order>
    public static let operation = Operation.get(
      "/v1/admin/orders", "List all orders", access: .roles([.owner, .administrator, .support])
    )
    public var status: OrderStatus?
    public var fulfillment: FulfillmentStatus?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      status: OrderStatus? = nil, fulfillment: FulfillmentStatus? = nil, limit: PageSize? = nil, cursor: String? = nil
    ) {
      (self.status, self.fulfillment, self.limit, self.cursor) = (status, fulfillment, limit, cursor)
    }
  }

  /// Allowed for the buyer and for staff who fulfill orders.
  public struct GetOrder: Endpoint {
    public typealias Response = Order
    public static let operation = Operation.get("/v1/orders/{id}", "Get an order", problems: [.orderNotFound])
    public var id: OrderID
    public init(id: OrderID) { self.id = id }
  }

  public struct UpdateOrder: Endpoint {
    public typealias Response = Order
    public static let operation = Operation.patch(
      "/v1/orders/{id}", "Update an order's fulfillment status", access: .owners,
      problems: [.orderNotFound, .invalidTransition, .trackingMissing]
    )
    public var id: OrderID
    public var ifMatch: EntityTag?
    public var status: FulfillmentStatus
    /// Required for `shipped`, as is `tracking`.
    public var carrier: ShortText?
    public var tracking: ShortText?
    public var reason: ShortText?
    public init(
      id: OrderID, ifMatch: EntityTag? = nil, status: FulfillmentStatus, carrier: ShortText? = nil,
      tracking: ShortText? = nil, reason: ShortText? = nil
    ) {
      (self.id, self.ifMatch, self.status, self.carrier, self.tracking) = (id, ifMatch, status, carrier, tracking)
      self.reason = reason
    }
  }

  /// Allowed until it is shipped. Its stock is released and payments are refunded.
  public struct CancelOrder: Endpoint {
    public typealias Response = Order
    public static let operation = Operation.post(
      "/v1/orders/{id}/cancel", "Cancel an order", idempotency: .idempotent,
      problems: [.orderNotFound, .invalidTransition], limits: .init(seconds: 30)
    )
    public var id: OrderID
    public var reason: ShortText?
    public init(id: OrderID, reason: ShortText? = nil) { (self.id, self.reason) = (id, reason) }
  }

  public struct RefundOrder: Endpoint {
    public typealias Response = Refund
    public static let operation = Operation.post(
      "/v1/orders/{id}/refunds", "Refund an order", access: .owners, idempotency: .requiresKey, success: 201,
      problems: [.orderNotFound, .refundTooLarge, .orderNotPaid, .currencyMismatch], limits: .init(seconds: 30)
    )
    public var id: OrderID
    /// The amount to refund; by default the amount not yet refunded.
    public var amount: Money?
    /// Whether to refund as store credit instead of to the original payment method.
    public var toCredit: Bool?
    public var reason: ShortText?
    public init(id: OrderID, amount: Money? = nil, toCredit: Bool? = nil, reason: ShortText? = nil) {
      (self.id, self.amount, self.toCredit, self.reason) = (id, amount, toCredit, reason)
    }
  }

  public struct GetReceipt: Endpoint {
    public typealias Response = Receipt
    public static let operation = Operation.get(
      "/v1/orders/{id}/receipt", "Get the receipt of a paid order", problems: [.orderNotFound, .orderNotPaid]
    )
    public var id: OrderID
    public init(id: OrderID) { self.id = id }
  }

  public struct GetReceiptPage: Endpoint {
    public typealias Response = Content
    public static let operation = Operation.get(
      "/v1/orders/{id}/receipt.html", "Get a printable receipt", problems: [.orderNotFound, .orderNotPaid]
    )
    public var id: OrderID
    public init(id: OrderID) { self.id = id }
  }
}

extension Problem.Kind {
  public static let orderNotFound = Self("order-not-found", status: 404, "There is no such order")
  public static let invalidTransition = Self("invalid-transition", status: 409, "The order cannot change to this state")
  public static let trackingMissing = Self(
    "tracking-missing", status: 422, "Shipping requires a carrier and a tracking number"
  )
  public static let refundTooLarge = Self("refund-too-large", status: 409, "The refund exceeds the amount paid")
  public static let orderNotPaid = Self("order-not-paid", status: 409, "The order is not paid")
}
