extension OrdersAPI {
  /// For the first time or after a failed attempt.
  public struct PayOrder: Endpoint {
    public typealias Response = Order
    public static let operation = Operation.post(
      "/v1/orders/{id}/payments", "Pay an order", idempotency: .requiresKey,
      problems: [.orderNotFound, .orderNotPayable, .paymentInProgress, .providerNotAvailable, .paymentMethodNotFound],
      limits: .init(seconds: 30)
    )
    public var id: OrderID
    public var body: PaymentChoice
    public init(id: OrderID, body: PaymentChoice) { (self.id, self.body) = (id, body) }
  }

  /// The transaction pays an order or starts a plan. Submitting it again has no further effect.
  public struct SubmitTransaction: Endpoint {
    public typealias Response = StoreKitResult
    public static let operation = Operation.post(
      "/v1/payments/storekit/transactions", "Submit a StoreKit 2 transaction", idempotency: .idempotent,
      problems: [
        .transactionInvalid, .transactionMismatch, .transactionRevoked, .verificationUnavailable, .providerNotAvailable,
        .orderNotPayable,
      ]
    )
    public var signedTransaction: SignedText
    /// The order to pay; if absent, the transaction is for a plan.
    public var orderID: OrderID?
    public init(signedTransaction: SignedText, orderID: OrderID? = nil) {
      (self.signedTransaction, self.orderID) = (signedTransaction, orderID)
    }
  }

  /// Called by payment providers, which authenticate with a signature over the body.
  public struct ReceiveWebhook: Endpoint {
    public typealias Response = WebhookReceipt
    public static let operation = Operation.post(
      "/v1/payments/webhooks/{provider}", "Receive a payment provider webhook", access: .anyone,
      idempotency: .idempotent, problems: [.webhookInvalid, .providerNotAvailable, .verificationUnavailable],
      limits: .init(bodyBytes: 262_144), accepts: .raw
    )
    public var provider: PaymentProviderName
    public var body: RawBody
    public init(provider: PaymentProviderName, body: RawBody) { (self.provider, self.body) = (provider, body) }
  }

  public struct ListPaymentMethods: Endpoint {
    public typealias Response = Page<PaymentMethod>
    public static let operation = Operation.get("/v1/payment-methods", "List payment methods")
    public init() {}
  }

  public struct AddPaymentMethod: Endpoint {
    public typealias Response = PaymentMethod
    public static let operation = Operation.post(
      "/v1/payment-methods", "Add a payment method", idempotency: .acceptsKey, success: 201,
      problems: [.providerNotAvailable, .tooManyPaymentMethods]
    )
    public var provider: PaymentProviderName
    public var token: ProviderToken
    /// The user's name for it, such as `my blue card`.
    public var label: ShortText
    public init(provider: PaymentProviderName, token: ProviderToken, label: ShortText) {
      (self.provider, self.token, self.label) = (provider, token, label)
    }
  }

  public struct DeletePaymentMethod: Endpoint {
    public static let operation = Operation.delete("/v1/payment-methods/{id}", "Delete a payment method", success: 204)
    public var id: PaymentMethodID
    public init(id: PaymentMethodID) { self.id = id }
  }

  /// What the shop owes the caller: earnings from sold licenses and store credit, per currency.
  public struct GetBalance: Endpoint {
    public typealias Response = Page<Balance>
    public static let operation = Operation.get("/v1/balance", "Get earnings and store credit")
    public init() {}
  }

  /// Newest first.
  public struct ListBalanceEntries: PagedEndpoint {
    public typealias Response = Page<BalanceEntry>
    public static let operation = Operation.get("/v1/balance/entries", "List balance entries")
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  public struct GrantCredit: Endpoint {
    public typealias Response = Balance
    public static let operation = Operation.post(
      "/v1/admin/users/{user}/credit", "Grant store credit to a user", access: .owners, idempotency: .requiresKey
    )
    public var user: UserID
    public var amount: Price
    public var reason: ShortText
    public init(user: UserID, amount: Price, reason: ShortText) {
      (self.user, self.amount, self.reason) = (user, amount, reason)
    }
  }
}

extension Problem.Kind {
  public static let orderNotPayable = Self("order-not-payable", status: 409, "The order is not awaiting payment")
  public static let paymentInProgress = Self("payment-in-progress", status: 409, "A payment is in progress")
  public static let providerNotAvailable = Self(
    "provider-not-available", status: 409, "The payment provider is not configured"
  )
  public static let paymentMethodNotFound = Self(
    "payment-method-not-found", status: 404, "There is no such payment method"
  )
  public static let tooManyPaymentMethods = Self(
    "too-many-payment-methods", status: 409, "The limit of payment methods is reached"
  )
  public static let webhookInvalid = Self("webhook-invalid", status: 400, "The webhook signature is not valid")
  public static let transactionInvalid = Self("transaction-invalid", status: 422, "The transaction is not valid")
  public static let transactionMismatch = Self(
    "transaction-mismatch", status: 409, "The transaction does not match the purchase"
  )
  public static let transactionRevoked = Self("transaction-revoked", status: 409, "The transaction has been revoked")
  public static let verificationUnavailable = Self(
    "verification-unavailable", status: 503, "The transaction cannot be verified at the moment"
  )
}
