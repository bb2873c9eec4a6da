public typealias SubscriptionID = ID<Subscription>

public struct Plan: Codable, Sendable, Equatable {
  public var name: String
  public var title: String
  public var price: Money
  /// How many one payment covers.
  public var months: Int
  public init(name: String, title: String, price: Money, months: Int) {
    (self.name, self.title, self.price, self.months) = (name, title, price, months)
  }
}

public struct Subscription: Codable, Sendable, Equatable {
  public var id: SubscriptionID
  public var plan: String
  public var provider: PaymentProviderName
  public var isActive: Bool
  /// The end of the paid period.
  public var until: Timestamp
  public var renews: Bool
  public init(
    id: SubscriptionID, plan: String, provider: PaymentProviderName, isActive: Bool, until: Timestamp, renews: Bool
  ) {
    (self.id, self.plan, self.provider, self.isActive, self.until) = (id, plan, provider, isActive, until)
    self.renews = renews
  }
}
