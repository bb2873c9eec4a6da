extension OrdersAPI {
  /// Pay an order that awaits payment, for the first time or after a failed attempt.
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

  /// Submit a signed StoreKit 2 transaction, which pays an order or starts a plan. Submitting it again has no further
  /// effect.
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

  /// The caller's stored payment methods.
  public struct ListPaymentMethods: Endpoint {
    public typealias Response = Page<PaymentMethod>
    public static let operation = Operation.get("/v1/payment-methods", "List payment methods")
    public init() {}
  }

  /// Store a payment method by the token that its provider issued for it.
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
    public typealias Response = Empty
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

  /// The entries of the caller's balances, newest first.
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
      "/v1/admin/users/{user}/credit", "Grant store credit to a user", access: .roles([.owner, .administrator]),
      idempotency: .requiresKey
    )

    public var user: UserID
    public var amount: Price
    public var reason: ShortText

    public init(user: UserID, amount: Price, reason: ShortText) {
      (self.user, self.amount, self.reason) = (user, amount, reason)
    }
  }
}

public typealias PaymentID = ID<Payment>
public typealias PaymentMethodID = ID<PaymentMethod>

/// The payment providers. `test` moves no money and is rejected in production.
public enum PaymentProviderName: String, WireEnum { case test, stripe, storekit }

/// How to pay an order: with a stored payment method, with a one-time token, or with neither if the app itself
/// completes the payment with the provider.
public struct PaymentChoice: Codable, Sendable, Equatable {
  public var provider: PaymentProviderName
  public var paymentMethodID: PaymentMethodID?
  public var token: ProviderToken?

  public init(provider: PaymentProviderName, paymentMethodID: PaymentMethodID? = nil, token: ProviderToken? = nil) {
    (self.provider, self.paymentMethodID, self.token) = (provider, paymentMethodID, token)
  }
}

/// A token that a provider issued for a card or an account.
public struct ProviderToken: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public var description: String { "(hidden)" }

  public static let rule = StringRule(
    length: 3...255,
    example: "pm_success",
    complaint: { text in
      text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? nil : "may contain only printable ASCII characters"
    }
  )
}

/// A compact JWS (RFC 7515).
public struct SignedText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(length: 5...32_768, example: "eyJ.e30.c2ln")
}

/// One attempt to pay an order.
public struct Payment: Codable, Sendable, Equatable {
  public enum Status: String, WireEnum { case created, pending, succeeded, failed, canceled }
  public var id: PaymentID
  public var provider: PaymentProviderName
  public var status: Status
  public var amount: Money
  /// With it, the app completes a pending payment with the provider; visible only to the buyer.
  public var clientSecret: String?
  /// The provider's error code if the payment failed, such as `card_declined`.
  public var failure: String?

  public init(
    id: PaymentID, provider: PaymentProviderName, status: Status, amount: Money, clientSecret: String?, failure: String?
  ) {
    (self.id, self.provider, self.status, self.amount, self.clientSecret) = (id, provider, status, amount, clientSecret)
    self.failure = failure
  }
}

public struct PaymentMethod: Codable, Sendable, Equatable {
  public var id: PaymentMethodID
  public var provider: PaymentProviderName
  public var label: String
  public var createdAt: Timestamp

  public init(id: PaymentMethodID, provider: PaymentProviderName, label: String, createdAt: Timestamp) {
    (self.id, self.provider, self.label, self.createdAt) = (id, provider, label, createdAt)
  }
}

public struct WebhookReceipt: Codable, Sendable, Equatable {
  /// Always true; failures are returned as problems.
  public var received: Bool
  public init(received: Bool = true) { self.received = received }
}

/// The result of a StoreKit transaction.
public struct StoreKitResult: Codable, Sendable, Equatable {
  /// The order that the transaction paid.
  public var order: Order?
  /// The subscription that the transaction started or extended.
  public var subscription: Subscription?

  public init(order: Order? = nil, subscription: Subscription? = nil) {
    (self.order, self.subscription) = (order, subscription)
  }
}

public struct Balance: Codable, Sendable, Equatable {
  public enum Kind: String, WireEnum { case earnings, credit }
  public var kind: Kind
  /// Available for spending or payout.
  public var available: Money
  /// Reserved for orders that are being paid.
  public var held: Money

  public init(kind: Kind, available: Money, held: Money) {
    (self.kind, self.available, self.held) = (kind, available, held)
  }
}

public struct BalanceEntry: Codable, Sendable, Equatable {
  public var id: String
  public var kind: Balance.Kind
  /// Negative for debits.
  public var amount: Money
  /// The type of entry, such as `sale`, `refund`, `grant` or `payment`.
  public var code: String
  public var orderID: OrderID?
  public var at: Timestamp

  public init(id: String, kind: Balance.Kind, amount: Money, code: String, orderID: OrderID?, at: Timestamp) {
    (self.id, self.kind, self.amount, self.code, self.orderID, self.at) = (id, kind, amount, code, orderID, at)
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
