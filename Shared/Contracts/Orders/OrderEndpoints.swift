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

  /// Goods go from `processing` to `processed`, `shipped` and `delivered`; ``CancelOrder`` cancels them. When one of the
  /// lines cannot make the change, none does, and `errors` names it.
  public struct UpdateOrder: Endpoint {
    public typealias Response = Order
    public static let operation = Operation.patch(
      "/v1/orders/{id}", "Update an order's fulfillment status", access: .owners,
      problems: [.orderNotFound, .lineNotFound, .invalidTransition, .trackingMissing]
    )
    public var id: OrderID
    public var ifMatch: EntityTag?
    public var status: FulfillmentStatus
    /// The lines that change; by default those of goods that are as far as the order.
    public var lines: [LinePosition]?
    /// Required for `shipped`, as is `tracking`.
    public var carrier: ShortText?
    public var tracking: ShortText?
    public var reason: ShortText?
    public init(
      id: OrderID, ifMatch: EntityTag? = nil, status: FulfillmentStatus, lines: [LinePosition]? = nil,
      carrier: ShortText? = nil, tracking: ShortText? = nil, reason: ShortText? = nil
    ) {
      (self.id, self.ifMatch, self.status, self.lines) = (id, ifMatch, status, lines)
      (self.carrier, self.tracking, self.reason) = (carrier, tracking, reason)
    }
  }

  /// Cancels goods that have not shipped: they return to stock and are refunded, shipping too when no goods are left.
  /// What has shipped and licenses that were granted stay, and only staff can cancel licenses: the lines of the response
  /// show which are canceled. An unpaid order is canceled as a whole.
  public struct CancelOrder: Endpoint {
    public typealias Response = Order
    public static let operation = Operation.post(
      "/v1/orders/{id}/cancel", "Cancel an order", idempotency: .idempotent,
      problems: [.orderNotFound, .lineNotFound, .invalidTransition], limits: .init(seconds: 30)
    )
    public var id: OrderID
    /// The lines of a placed order to cancel; by default all that can be canceled.
    public var lines: [LinePosition]?
    public var reason: ShortText?
    public init(id: OrderID, lines: [LinePosition]? = nil, reason: ShortText? = nil) {
      (self.id, self.lines, self.reason) = (id, lines, reason)
    }
  }

  /// Allowed for the buyer and for staff who fulfill orders.
  public struct GetReceipt: Endpoint {
    public typealias Response = Receipt
    public static let operation = Operation.get(
      "/v1/orders/{id}/receipt", "Get the receipt of a paid order", problems: [.orderNotFound, .orderNotPaid]
    )
    public var id: OrderID
    public init(id: OrderID) { self.id = id }
  }

  /// The same as HTML.
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
  public static let orderNotFound = Self(
    "order-not-found", status: 404, "There is no such order",
    meaning: "The order does not exist, or is another user's.",
    remedy: "Load the orders again.")
  public static let invalidTransition = Self(
    "invalid-transition", status: 409, "The order cannot change to this state",
    meaning: "The state of the order does not permit this change; perhaps it has changed meanwhile.",
    remedy: "Load the order again and offer what its state permits.")
  public static let trackingMissing = Self(
    "tracking-missing", status: 422, "Shipping requires a carrier and a tracking number",
    meaning: "A shipped order names its carrier and tracking number.",
    remedy: "Ask for both and send them.")
}
