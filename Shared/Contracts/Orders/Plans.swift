extension OrdersAPI {
  /// The premium plans available for subscription.
  public struct ListPlans: Endpoint {
    public typealias Response = Page<Plan>
    public static let operation = Operation.get("/v1/plans", "List premium plans", access: .anyone)
    public init() {}
  }

  public struct ListSubscriptions: Endpoint {
    public typealias Response = Page<Subscription>
    public static let operation = Operation.get("/v1/subscriptions", "List the caller's subscriptions")
    public init() {}
  }

  /// Subscribe to a plan with a card token. With StoreKit, submit the transaction instead.
  public struct Subscribe: Endpoint {
    public typealias Response = Subscription
    public static let operation = Operation.post(
      "/v1/subscriptions", "Subscribe to a plan", idempotency: .requiresKey, success: 201,
      problems: [.planNotFound, .providerNotAvailable, .alreadySubscribed, .paymentDeclined, .paymentMethodNotFound],
      limits: .init(seconds: 30)
    )

    public var plan: String
    public var payment: PaymentChoice
    public init(plan: String, payment: PaymentChoice) { (self.plan, self.payment) = (plan, payment) }
  }

  /// Cancel a subscription. The plan remains active until the end of the paid period. StoreKit subscriptions are
  /// canceled with Apple.
  public struct EndSubscription: Endpoint {
    public typealias Response = Subscription
    public static let operation = Operation.delete(
      "/v1/subscriptions/{id}", "Cancel a subscription", problems: [.subscriptionNotFound, .providerNotAvailable]
    )
    public var id: SubscriptionID
    public init(id: SubscriptionID) { self.id = id }
  }

  public struct GetPricingRules: Endpoint {
    public typealias Response = PricingRules
    public static let operation = Operation.get(
      "/v1/pricing-rules", "Get the tax and shipping rules", access: .roles([.owner, .administrator])
    )
    public init() {}
  }

  public struct PutPricingRules: Endpoint {
    public typealias Response = PricingRules
    public static let operation = Operation.put(
      "/v1/pricing-rules", "Set the tax and shipping rules", access: .roles([.owner, .administrator]),
      limits: .init(bodyBytes: 262_144)
    )

    public var ifMatch: EntityTag?
    public var tax: [TaxRule]
    public var shipping: [ShippingRule]

    public init(ifMatch: EntityTag? = nil, tax: [TaxRule], shipping: [ShippingRule]) {
      (self.ifMatch, self.tax, self.shipping) = (ifMatch, tax, shipping)
    }
  }
}

public typealias SubscriptionID = ID<Subscription>

public struct Plan: Codable, Sendable, Equatable {
  public var name: String
  public var title: String
  public var price: Money
  /// The number of months that one payment covers.
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
  /// Whether the subscription renews at the end of the paid period.
  public var renews: Bool

  public init(
    id: SubscriptionID, plan: String, provider: PaymentProviderName, isActive: Bool, until: Timestamp, renews: Bool
  ) {
    (self.id, self.plan, self.provider, self.isActive, self.until) = (id, plan, provider, isActive, until)
    self.renews = renews
  }
}

/// The rules by which tax and shipping are calculated.
public struct PricingRules: Codable, Sendable, Equatable, Versioned {
  public var tax: [TaxRule]
  public var shipping: [ShippingRule]
  public var version: Int

  public init(tax: [TaxRule] = [], shipping: [ShippingRule] = [], version: Int = 0) {
    (self.tax, self.shipping, self.version) = (tax, shipping, version)
  }
}

/// A tax rate for a region and a class of products. The most specific rule applies: a subdivision takes precedence over
/// its country, a country over no region, and a class over no class; among equally specific rules, the first applies.
public struct TaxRule: Codable, Sendable, Equatable {
  /// If absent, the rule applies everywhere.
  public var region: Region?
  /// Such as `standard`, or `shipping` for shipping costs; if absent, the rule applies to every class.
  public var taxClass: ShortText?
  /// Parts per million: 107500 is 10.75%.
  public var rate: TaxRate
  /// Whether prices already include the tax.
  public var isIncluded: Bool

  public init(region: Region? = nil, taxClass: ShortText? = nil, rate: TaxRate, isIncluded: Bool = false) {
    (self.region, self.taxClass, self.rate, self.isIncluded) = (region, taxClass, rate, isIncluded)
  }
}

/// Parts per million, 0 to 1,000,000.
public struct TaxRate: BoundedInteger {
  public static let range = 0...1_000_000
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 107_500) }
}

/// The cost of shipping to a region. Of the rules in the cart's currency, the first one with the most specific matching
/// region applies.
public struct ShippingRule: Codable, Sendable, Equatable {
  public var region: Region?
  /// The price per shipment.
  public var base: Price
  /// The price per started kilogram, in the same currency.
  public var perKilogram: Price?
  /// The net subtotal from which shipping is free.
  public var freeFrom: Price?

  public init(region: Region? = nil, base: Price, perKilogram: Price? = nil, freeFrom: Price? = nil) {
    (self.region, self.base, self.perKilogram, self.freeFrom) = (region, base, perKilogram, freeFrom)
  }
}

extension Problem.Kind {
  public static let planNotFound = Self("plan-not-found", status: 404, "There is no such plan")
  public static let subscriptionNotFound = Self("subscription-not-found", status: 404, "There is no such subscription")
  public static let alreadySubscribed = Self("already-subscribed", status: 409, "The plan is already subscribed to")
  public static let paymentDeclined = Self("payment-declined", status: 409, "The payment was declined")
}
