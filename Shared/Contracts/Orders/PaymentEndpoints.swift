extension OrdersAPI {
  /// For the first time, or after another attempt. A choice without a token or a payment method continues an attempt of
  /// the same provider that is in progress; any other choice replaces it. An order of an auction, of buy-now or of an
  /// offer is priced for the buyer's region; until that is known, its totals contain only the taxes that apply
  /// everywhere.
  public struct PayOrder: Endpoint {
    public typealias Response = Order
    public static let operation = Operation.post(
      "/v1/orders/{id}/payments", "Pay an order", idempotency: .requiresKey,
      problems: [
        .orderNotFound, .orderNotPayable, .paymentInProgress, .providerNotAvailable, .paymentMethodNotFound,
        .paymentMethodNotReady, .listingNotForSale, .tooManyPaymentAttempts,
      ],
      limits: .init(seconds: 30)
    )
    public var id: OrderID
    public var provider: PaymentProviderName
    public var paymentMethodID: PaymentMethodID?
    public var token: ProviderToken?
    /// Required when the tax depends on the region and the order has none yet.
    public var region: Region?
    public init(id: OrderID, body choice: PaymentChoice, region: Region? = nil) {
      (self.id, provider, paymentMethodID) = (id, choice.provider, choice.paymentMethodID)
      (token, self.region) = (choice.token, region)
    }

    public var choice: PaymentChoice {
      PaymentChoice(provider: provider, paymentMethodID: paymentMethodID, token: token)
    }
  }

  /// Computes the totals of an unpaid order of an auction, of buy-now or of an offer, so that the buyer sees them
  /// before the payment.
  public struct SetOrderRegion: Endpoint {
    public typealias Response = Order
    public static let operation = Operation.put(
      "/v1/orders/{id}/region", "Price an unpaid order for the buyer's region",
      problems: [.orderNotFound, .orderNotPayable, .paymentInProgress]
    )
    public var id: OrderID
    public var region: Region
    public init(id: OrderID, region: Region) { (self.id, self.region) = (id, region) }
  }

  /// For a buyer who returns from the bank or from the provider's form. The provider is asked at most every three
  /// seconds.
  public struct RefreshPayment: Endpoint {
    public typealias Response = Order
    public static let operation = Operation.post(
      "/v1/orders/{id}/payments/{payment}/refresh", "Refresh the state of a payment",
      idempotency: .idempotent, problems: [.orderNotFound, .paymentNotFound, .providerNotAvailable],
      limits: .init(seconds: 30)
    )
    public var id: OrderID
    public var payment: PaymentID
    public init(id: OrderID, payment: PaymentID) { (self.id, self.payment) = (id, payment) }
  }

  /// The transaction pays an order or starts a plan. Submitting it again has no further effect. A payment for an order
  /// that has expired places it if its rights are still free; otherwise, the amount becomes store credit.
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

  /// The balances of the caller: earnings from sold licenses and store credit, per currency.
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

  /// For goodwill: it is not bound to an order, as a refund to store credit is. The response is the balance afterwards.
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
  public static let orderNotPayable = Self(
    "order-not-payable", status: 409, "The order is not awaiting payment",
    meaning: "The order is paid, canceled, not the caller's, or too many attempts to pay it have failed.",
    remedy: "Load the order again.")
  public static let paymentInProgress = Self(
    "payment-in-progress", status: 409, "A payment is in progress",
    meaning: "An earlier attempt has not ended.",
    remedy: "Wait for its result, which arrives as an event, and do not start another.")
  public static let providerNotAvailable = Self(
    "provider-not-available", status: 409, "The payment provider is not configured",
    meaning: "The platform is not set up for this payment provider.",
    remedy: "Choose another way to pay.")
  public static let tooManyPaymentAttempts = Self(
    "too-many-payment-attempts", status: 429, "There were too many attempts to pay",
    meaning: "Too many payments of the order have failed.",
    remedy: "Wait for the seconds in `Retry-After`, or use another payment method.")
  public static let paymentNotFound = Self(
    "payment-not-found", status: 404, "There is no such payment",
    meaning: "The payment does not exist, or is another user's.",
    remedy: "Load the order again.")
  public static let webhookInvalid = Self(
    "webhook-invalid", status: 400, "The webhook signature is not valid",
    meaning: "The request does not carry a current signature of the provider.",
    remedy: "Check the webhook secret in the settings. Nothing was changed.")
  public static let transactionInvalid = Self(
    "transaction-invalid", status: 422, "The transaction is not valid",
    meaning: "The transaction of the App Store is not signed by Apple, or is not for this app.",
    remedy: "Send the signed transaction exactly as StoreKit returned it.")
  public static let transactionMismatch = Self(
    "transaction-mismatch", status: 409, "The transaction does not match the purchase",
    meaning: "The transaction is for another product, amount or user than the purchase, or is in use for another one.",
    remedy: "Send the transaction of this purchase. Contact support if the user has paid.")
  public static let transactionRevoked = Self(
    "transaction-revoked", status: 409, "The transaction has been revoked",
    meaning: "Apple has refunded or revoked the transaction.",
    remedy: "Finish the transaction in the app and deliver nothing.")
  public static let verificationUnavailable = Self(
    "verification-unavailable", status: 503, "The transaction cannot be verified at the moment",
    meaning: "The provider does not answer at the moment.",
    remedy: "Keep the transaction, and send it again later. It is not lost.")
}
