extension OrdersAPI {
  /// Pay an order that waits for it, after another attempt failed or none was made yet.
  public struct PayOrder: Endpoint {
    public typealias Response = Order
    public static let operation = Operation(
      .post,
      "/v1/orders/{id}/payments",
      "Pay an order",
      access: .user,
      idempotency: .keyed(required: true),
      problems: [
        .orderNotFound, .orderNotPayable, .paymentInProgress, .providerNotAvailable, .paymentMethodNotFound,
      ],
      limits: .init(seconds: 30)
    )

    public var id: OrderID
    public var body: PaymentChoice

    public init(id: OrderID, body: PaymentChoice) {
      self.id = id
      self.body = body
    }
  }

  /// Hand in a signed transaction of StoreKit 2: it pays an order or begins a plan. Handing it in again has no further
  /// effect.
  public struct SubmitTransaction: Endpoint {
    public typealias Response = StoreKitResult
    public static let operation = Operation(
      .post,
      "/v1/payments/storekit/transactions",
      "Hand in a signed transaction of StoreKit 2",
      access: .user,
      idempotency: .idempotent,
      problems: [
        .transactionInvalid, .transactionMismatch, .transactionRevoked, .verificationUnavailable, .providerNotAvailable,
        .orderNotPayable,
      ]
    )

    public struct Body: Codable, Sendable {
      public var signedTransaction: SignedText
      /// The order that it pays; without it, the transaction is for a plan.
      public var orderID: OrderID?

      public init(signedTransaction: SignedText, orderID: OrderID? = nil) {
        self.signedTransaction = signedTransaction
        self.orderID = orderID
      }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// Called by payment providers, who prove themselves by a signature over the body.
  public struct ReceiveWebhook: Endpoint {
    public typealias Response = WebhookReceipt
    public static let operation = Operation(
      .post,
      "/v1/payments/webhooks/{provider}",
      "A payment provider tells what happened",
      access: .anyone,
      idempotency: .idempotent,
      problems: [.webhookInvalid, .providerNotAvailable, .verificationUnavailable],
      limits: .init(bodyBytes: 262_144)
    )
    public var provider: PaymentProviderName
    public var body: JSONValue

    public init(provider: PaymentProviderName, body: JSONValue) {
      self.provider = provider
      self.body = body
    }
  }

  /// The ways to pay that the user has kept.
  public struct ListPaymentMethods: Endpoint {
    public typealias Response = Page<PaymentMethod>
    public static let operation = Operation(.get, "/v1/payment-methods", "The kept ways to pay", access: .user)
    public init() {}
  }

  /// Keep a way to pay, by the token that its provider gave for it.
  public struct AddPaymentMethod: Endpoint {
    public typealias Response = PaymentMethod
    public static let operation = Operation(
      .post,
      "/v1/payment-methods",
      "Keep a way to pay, by its provider's token",
      access: .user,
      idempotency: .keyed(required: false),
      success: 201,
      problems: [.providerNotAvailable, .tooManyPaymentMethods]
    )

    public struct Body: Codable, Sendable {
      public var provider: PaymentProviderName
      public var token: ProviderToken
      /// What the user calls it, such as `my blue card`.
      public var label: ShortText

      public init(provider: PaymentProviderName, token: ProviderToken, label: ShortText) {
        self.provider = provider
        self.token = token
        self.label = label
      }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// Forget a way to pay.
  public struct DeletePaymentMethod: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .delete,
      "/v1/payment-methods/{id}",
      "Forget a way to pay",
      access: .user,
      success: 204
    )
    public var id: PaymentMethodID
    public init(id: PaymentMethodID) { self.id = id }
  }

  /// What the shop owes the user: earnings of sold licences and store credit, per currency.
  public struct GetBalance: Endpoint {
    public typealias Response = Page<Balance>
    public static let operation = Operation(.get, "/v1/balance", "Earnings and store credit", access: .user)
    public init() {}
  }

  /// What made the balances, the newest first.
  public struct ListBalanceEntries: Endpoint {
    public typealias Response = Page<BalanceEntry>
    public static let operation = Operation(.get, "/v1/balance/entries", "What made the balances", access: .user)
    public var limit: PageSize?
    public var cursor: String?

    public init(limit: PageSize? = nil, cursor: String? = nil) {
      self.limit = limit
      self.cursor = cursor
    }
  }

  /// Give a user store credit.
  public struct GrantCredit: Endpoint {
    public typealias Response = Balance
    public static let operation = Operation(
      .post,
      "/v1/admin/users/{user}/credit",
      "Give a user store credit",
      access: .roles([.owner, .administrator]),
      idempotency: .keyed(required: true)
    )

    public struct Body: Codable, Sendable {
      public var amount: Price
      public var reason: ShortText

      public init(amount: Price, reason: ShortText) {
        self.amount = amount
        self.reason = reason
      }
    }

    public var user: UserID
    public var body: Body

    public init(user: UserID, body: Body) {
      self.user = user
      self.body = body
    }
  }
}

public enum PaymentSubject {}
public typealias PaymentID = ID<PaymentSubject>
public enum PaymentMethodSubject {}
public typealias PaymentMethodID = ID<PaymentMethodSubject>

/// Who moves money. `test` moves none and is refused in production.
public enum PaymentProviderName: String, WireEnum { case test, stripe, storekit }

/// With what an order is to be paid: a kept method, a token of this moment, or neither when the app completes the payment
/// with the provider itself.
public struct PaymentChoice: Codable, Sendable, Equatable {
  public var provider: PaymentProviderName
  public var paymentMethodID: PaymentMethodID?
  public var token: ProviderToken?

  public init(
    provider: PaymentProviderName,
    paymentMethodID: PaymentMethodID? = nil,
    token: ProviderToken? = nil
  ) {
    self.provider = provider
    self.paymentMethodID = paymentMethodID
    self.token = token
  }
}

/// A name that a provider gave for a card or an account.
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
  /// With which the app completes a pending payment at the provider; told to the buyer alone.
  public var clientSecret: String?
  /// Why it failed, in the provider's word, such as `card_declined`.
  public var failure: String?

  public init(
    id: PaymentID,
    provider: PaymentProviderName,
    status: Status,
    amount: Money,
    clientSecret: String?,
    failure: String?
  ) {
    self.id = id
    self.provider = provider
    self.status = status
    self.amount = amount
    self.clientSecret = clientSecret
    self.failure = failure
  }
}

public struct PaymentMethod: Codable, Sendable, Equatable {
  public var id: PaymentMethodID
  public var provider: PaymentProviderName
  public var label: String
  public var createdAt: Timestamp

  public init(id: PaymentMethodID, provider: PaymentProviderName, label: String, createdAt: Timestamp) {
    self.id = id
    self.provider = provider
    self.label = label
    self.createdAt = createdAt
  }
}

public struct WebhookReceipt: Codable, Sendable, Equatable {
  /// Always true: what was not received is a problem.
  public var received: Bool
  public init(received: Bool = true) { self.received = received }
}

/// What a transaction of StoreKit did.
public struct StoreKitResult: Codable, Sendable, Equatable {
  /// The order that it paid.
  public var order: Order?
  /// The plan that it began or extended.
  public var subscription: Subscription?

  public init(order: Order? = nil, subscription: Subscription? = nil) {
    self.order = order
    self.subscription = subscription
  }
}

public struct Balance: Codable, Sendable, Equatable {
  public enum Kind: String, WireEnum { case earnings, credit }
  public var kind: Kind
  /// Free to be used or paid out.
  public var available: Money
  /// Kept for orders that are being paid.
  public var held: Money

  public init(kind: Kind, available: Money, held: Money) {
    self.kind = kind
    self.available = available
    self.held = held
  }
}

public struct BalanceEntry: Codable, Sendable, Equatable {
  public var id: String
  public var kind: Balance.Kind
  /// Negative for what went away.
  public var amount: Money
  /// Such as `sale`, `refund`, `grant`, `payment`.
  public var code: String
  public var orderID: OrderID?
  public var at: Timestamp

  public init(id: String, kind: Balance.Kind, amount: Money, code: String, orderID: OrderID?, at: Timestamp) {
    self.id = id
    self.kind = kind
    self.amount = amount
    self.code = code
    self.orderID = orderID
    self.at = at
  }
}

extension Problem.Kind {
  public static let orderNotPayable = Self("order-not-payable", status: 409, "The order does not wait for a payment")
  public static let paymentInProgress = Self("payment-in-progress", status: 409, "A payment is being made")
  public static let providerNotAvailable = Self(
    "provider-not-available",
    status: 409,
    "The payment provider is not set up here"
  )
  public static let paymentMethodNotFound = Self("payment-method-not-found", status: 404, "There is no such way to pay")
  public static let tooManyPaymentMethods = Self("too-many-payment-methods", status: 409, "Enough ways to pay are kept")
  public static let webhookInvalid = Self("webhook-invalid", status: 400, "The notification's signature is not valid")
  public static let transactionInvalid = Self("transaction-invalid", status: 422, "The transaction is not valid")
  public static let transactionMismatch = Self(
    "transaction-mismatch",
    status: 409,
    "The transaction is for something else"
  )
  public static let transactionRevoked = Self("transaction-revoked", status: 409, "The transaction has been revoked")
  public static let verificationUnavailable = Self(
    "verification-unavailable",
    status: 503,
    "The transaction cannot be checked at the moment"
  )
}
