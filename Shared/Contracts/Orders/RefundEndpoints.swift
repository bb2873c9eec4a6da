extension OrdersAPI {
  /// The money is taken back from the recipients of the named lines at once. A license that is fully refunded is revoked,
  /// and goods that are fully refunded before they ship are canceled. The buyer gets it by the original payment as far as
  /// possible, and the rest as store credit; payments through StoreKit, which only Apple can refund, as store credit.
  public struct RefundOrder: Endpoint {
    public typealias Response = Refund
    public static let operation = Operation.post(
      "/v1/orders/{id}/refunds", "Refund an order", access: .owners, idempotency: .requiresKey, success: 201,
      problems: [
        .orderNotFound, .lineNotFound, .refundTooLarge, .orderNotPaid, .currencyMismatch, .invalidTransition,
        .creditNotPossible,
      ],
      limits: .init(seconds: 30)
    )
    public var id: OrderID
    /// The lines to refund; with neither lines nor shipping, the whole rest of the order.
    public var lines: [RefundedLine]?
    /// The amount to refund of shipping, including tax.
    public var shipping: Price?
    /// An amount of an order with a single line, instead of lines; other orders need lines.
    public var amount: Money?
    /// Whether to refund as store credit instead of to the original payment method.
    public var toCredit: Bool?
    /// Whether goods that have not shipped return to stock.
    public var restock: Bool?
    public var reason: ShortText?
    public init(
      id: OrderID, lines: [RefundedLine]? = nil, shipping: Price? = nil, amount: Money? = nil, toCredit: Bool? = nil,
      restock: Bool? = nil, reason: ShortText? = nil
    ) {
      (self.id, self.lines, self.shipping, self.amount) = (id, lines, shipping, amount)
      (self.toCredit, self.restock, self.reason) = (toCredit, restock, reason)
    }
  }

  /// Newest first. Allowed for the buyer and for staff who fulfill orders.
  public struct ListOrderRefunds: PagedEndpoint {
    public typealias Response = Page<Refund>
    public static let operation = Operation.get(
      "/v1/orders/{id}/refunds", "List an order's refunds", problems: [.orderNotFound]
    )
    public var id: OrderID
    public var limit: PageSize?
    public var cursor: String?
    public init(id: OrderID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.id, self.limit, self.cursor) = (id, limit, cursor)
    }
  }

  /// Newest first.
  public struct ListRefunds: PagedEndpoint {
    public typealias Response = Page<Refund>
    public static let operation = Operation.get(
      "/v1/refunds", "List all refunds", access: .roles([.owner, .administrator, .support])
    )
    public var status: Refund.Status?
    public var limit: PageSize?
    public var cursor: String?
    public init(status: Refund.Status? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.status, self.limit, self.cursor) = (status, limit, cursor)
    }
  }

  /// Makes what a failed refund still owes anew, as another refund.
  public struct RetryRefund: Endpoint {
    public typealias Response = Refund
    public static let operation = Operation.post(
      "/v1/refunds/{id}/retry", "Retry a failed refund", access: .owners, idempotency: .requiresKey, success: 201,
      problems: [.refundNotFound, .refundNotFailed, .creditNotPossible], limits: .init(seconds: 30)
    )
    public var id: RefundID
    /// Whether to refund as store credit, which is the default, or once more to the original payment method.
    public var toCredit: Bool?
    public init(id: RefundID, toCredit: Bool? = nil) { (self.id, self.toCredit) = (id, toCredit) }
  }
}

extension Problem.Kind {
  public static let refundTooLarge = Self(
    "refund-too-large", status: 409, "The refund exceeds the amount paid",
    meaning: "Together with earlier refunds, it would exceed what was paid.",
    remedy: "Load the order again and refund at most the rest.")
  public static let orderNotPaid = Self(
    "order-not-paid", status: 409, "The order is not paid",
    meaning: "Only what was paid can be refunded.",
    remedy: "Load the order again; cancel it instead.")
  public static let lineNotFound = Self(
    "line-not-found", status: 404, "The order has no such line",
    meaning: "The order does not have this line.",
    remedy: "Load the order again.")
  public static let refundNotFound = Self(
    "refund-not-found", status: 404, "There is no such refund",
    meaning: "The order does not have this refund.",
    remedy: "Load the refunds again.")
  public static let refundNotFailed = Self(
    "refund-not-failed", status: 409, "The refund has not failed",
    meaning: "Only a refund that failed at the provider can be tried again.",
    remedy: "Load the refund again.")
  public static let creditNotPossible = Self(
    "credit-not-possible", status: 409, "The buyer's account is deleted and cannot receive store credit",
    meaning: "Store credit needs an account.",
    remedy: "Refund to the payment method instead.")
}
