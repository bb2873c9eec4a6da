public typealias PaymentMethodID = ID<PaymentMethod>

/// A saved payment method.
public struct PaymentMethod: Codable, Sendable, Equatable {
  /// `pending`: its provider has not answered yet. `requiresAction`: the app completes the setup with the client secret,
  /// for example when the bank wants a confirmation. Only a `ready` method pays.
  public enum State: String, WireEnum { case pending, requiresAction, ready, failed }

  /// The visible data of a card, as reported by the provider.
  public struct Card: Codable, Sendable, Equatable {
    /// Such as `visa`.
    public var brand: String
    public var lastFour: String
    /// From 1 to 12; the card is valid until the end of the month.
    public var expiryMonth: Int
    public var expiryYear: Int
    public init(brand: String, lastFour: String, expiryMonth: Int, expiryYear: Int) {
      (self.brand, self.lastFour, self.expiryMonth, self.expiryYear) = (brand, lastFour, expiryMonth, expiryYear)
    }
  }

  public var id: PaymentMethodID
  public var provider: PaymentProviderName
  public var label: String
  public var state: State
  public var card: Card?
  /// With it, the app completes the setup with the provider.
  public var clientSecret: String?
  /// The provider's error code if the setup failed, such as `card_declined`.
  public var failure: String?
  public var createdAt: Timestamp
  public init(
    id: PaymentMethodID, provider: PaymentProviderName, label: String, state: State, card: Card? = nil,
    clientSecret: String? = nil, failure: String? = nil, createdAt: Timestamp
  ) {
    (self.id, self.provider, self.label, self.state, self.card) = (id, provider, label, state, card)
    (self.clientSecret, self.failure, self.createdAt) = (clientSecret, failure, createdAt)
  }
}

/// The contact data of a user's payments; stored encrypted.
public struct PaymentSettings: Codable, Sendable, Equatable {
  public var name: ShortText?
  public var email: EmailAddress?
  public var address: PostalAddress?
  public init(name: ShortText? = nil, email: EmailAddress? = nil, address: PostalAddress? = nil) {
    (self.name, self.email, self.address) = (name, email, address)
  }
}
