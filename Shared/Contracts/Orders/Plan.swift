public typealias SubscriptionID = ID<Subscription>

/// A premium plan, or a group plan, as the setting `orders.plans` defines it.
public struct Plan: Codable, Sendable, Equatable {
  public var name: String
  public var title: String
  /// For one unit. It is shown; the payment provider charges its own price.
  public var price: Money
  /// How many months one payment covers.
  public var months: Int
  /// The features that the plan unlocks; see ``FeatureName``.
  public var features: [FeatureName]
  /// The number of members for whom one unit of a group plan pays.
  public var seats: Int?
  public init(
    name: String, title: String, price: Money, months: Int, features: [FeatureName] = [], seats: Int? = nil
  ) {
    (self.name, self.title, self.price, self.months) = (name, title, price, months)
    (self.features, self.seats) = (features, seats)
  }
}

/// A user's subscription to a plan, through Stripe or Apple.
public struct Subscription: Codable, Sendable, Equatable {
  public enum Status: String, WireEnum {
    /// The provider has not answered yet.
    case pending
    /// The first payment is not made; the app completes it with `clientSecret`.
    case incomplete
    case active
    /// A renewal could not be charged; the provider tries again.
    case pastDue
    case ended
    /// The first payment was not made; see `failure`.
    case failed
  }

  public var id: SubscriptionID
  public var plan: String
  public var provider: PaymentProviderName
  public var status: Status
  /// Whether the plan's features are unlocked.
  public var isActive: Bool
  /// The end of the paid period.
  public var until: Timestamp
  public var renews: Bool
  /// When the features of a plan that is past due are locked, unless it is paid before.
  public var graceUntil: Timestamp?
  /// How many units of the plan are paid.
  public var quantity: Int
  /// The plan and the quantity from the next period on, when they differ.
  public var nextPlan: String?
  public var nextQuantity: Int?
  /// The seats of a group plan.
  public var seats: Seats?
  /// With it, the app completes a payment with the provider; visible only to the subscriber.
  public var clientSecret: String?
  /// The provider's error code of a payment that failed, such as `card_declined`.
  public var failure: String?

  /// How many members the subscription pays for, and how many there are.
  public struct Seats: Codable, Sendable, Equatable {
    public var total: Int
    public var used: Int
    public init(total: Int, used: Int) { (self.total, self.used) = (total, used) }
  }

  public init(
    id: SubscriptionID, plan: String, provider: PaymentProviderName, status: Status, isActive: Bool, until: Timestamp,
    renews: Bool, graceUntil: Timestamp? = nil, quantity: Int = 1, nextPlan: String? = nil, nextQuantity: Int? = nil,
    seats: Seats? = nil, clientSecret: String? = nil, failure: String? = nil
  ) {
    (self.id, self.plan, self.provider, self.status) = (id, plan, provider, status)
    (self.isActive, self.until, self.renews, self.graceUntil) = (isActive, until, renews, graceUntil)
    (self.quantity, self.nextPlan, self.nextQuantity) = (quantity, nextPlan, nextQuantity)
    (self.seats, self.clientSecret, self.failure) = (seats, clientSecret, failure)
  }
}

/// How many units of a plan are subscribed to.
public struct PlanQuantity: BoundedInteger {
  public let value: Int
  public init(checked: Int) { value = checked }
  public static let range = 1...10_000
}
