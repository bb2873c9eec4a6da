extension OrdersAPI {
  /// Oldest first; at most 20.
  public struct ListPaymentMethods: Endpoint {
    public typealias Response = Page<PaymentMethod>
    public static let operation = Operation.get("/v1/payment-methods", "List payment methods")
    public init() {}
  }

  /// Without a token, the app completes the setup with the provider, using the client secret of the response.
  public struct AddPaymentMethod: Endpoint {
    public typealias Response = PaymentMethod
    public static let operation = Operation.post(
      "/v1/payment-methods", "Add a payment method", idempotency: .acceptsKey, success: 201,
      problems: [.providerNotAvailable, .tooManyPaymentMethods, .paymentMethodNotFound, .tooManyPaymentAttempts],
      limits: .init(seconds: 30)
    )
    public var provider: PaymentProviderName
    public var token: ProviderToken?
    /// The user's name for it, such as `my blue card`.
    public var label: ShortText
    public init(provider: PaymentProviderName, token: ProviderToken?, label: ShortText) {
      (self.provider, self.token, self.label) = (provider, token, label)
    }
  }

  /// For a user who returns from the bank or from the provider's form. The provider is asked at most every three
  /// seconds.
  public struct RefreshPaymentMethod: Endpoint {
    public typealias Response = PaymentMethod
    public static let operation = Operation.post(
      "/v1/payment-methods/{id}/refresh", "Refresh the state of a payment method",
      idempotency: .idempotent, problems: [.paymentMethodNotFound], limits: .init(seconds: 30)
    )
    public var id: PaymentMethodID
    public init(id: PaymentMethodID) { self.id = id }
  }

  /// The provider forgets it, too.
  public struct DeletePaymentMethod: Endpoint {
    public static let operation = Operation.delete("/v1/payment-methods/{id}", "Delete a payment method", success: 204)
    public var id: PaymentMethodID
    public init(id: PaymentMethodID) { self.id = id }
  }

  /// Empty until they are set.
  public struct GetPaymentSettings: Endpoint {
    public typealias Response = PaymentSettings
    public static let operation = Operation.get("/v1/payment-settings", "Get the contact data of payments")
    public init() {}
  }

  /// Replaces all of them.
  public struct PutPaymentSettings: Endpoint {
    public typealias Response = PaymentSettings
    public static let operation = Operation.put("/v1/payment-settings", "Set the contact data of payments")
    public var name: ShortText?
    public var email: EmailAddress?
    public var address: PostalAddress?
    public init(name: ShortText? = nil, email: EmailAddress? = nil, address: PostalAddress? = nil) {
      (self.name, self.email, self.address) = (name, email, address)
    }
  }
}

extension Problem.Kind {
  public static let paymentMethodNotFound = Self(
    "payment-method-not-found", status: 404, "There is no such payment method",
    meaning: "The payment method does not exist, or is another user's.",
    remedy: "Load the payment methods again.")
  public static let paymentMethodNotReady = Self(
    "payment-method-not-ready", status: 409, "The payment method is not set up",
    meaning: "Its set-up at the provider was not finished.",
    remedy: "Finish the set-up, or choose another payment method.")
  public static let tooManyPaymentMethods = Self(
    "too-many-payment-methods", status: 409, "The limit of payment methods is reached",
    meaning: "The user has reached the limit of payment methods.",
    remedy: "Let the user remove one first.")
}
