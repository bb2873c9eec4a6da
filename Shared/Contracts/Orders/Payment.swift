public typealias PaymentID = ID<Payment>

/// The payment providers. `test` moves no money and is accepted only where a setting switches it on.
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
    pattern: "^[!-~]{3,255}$",
    example: "pm_success",
    violation: { text in
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

/// An attempt to pay an order.
public struct Payment: Codable, Sendable, Equatable {
  /// `requiresAction`: the bank wants the buyer to confirm (3-D Secure); the app does it with the client secret.
  public enum Status: String, WireEnum { case created, pending, requiresAction, succeeded, failed, canceled }
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

/// The answer to a payment provider.
public struct WebhookReceipt: Codable, Sendable, Equatable {
  /// Always true; failures are returned as problems.
  public var received: Bool
  public init(received: Bool = true) { self.received = received }
}

/// The result of a transaction through StoreKit: an order or a plan.
public struct StoreKitResult: Codable, Sendable, Equatable {
  public var order: Order?
  public var subscription: Subscription?
  /// The amount added to the buyer's store credit, because the order had ended or was already paid.
  public var credited: Money?
  public init(order: Order? = nil, subscription: Subscription? = nil, credited: Money? = nil) {
    (self.order, self.subscription, self.credited) = (order, subscription, credited)
  }
}
