extension OrdersAPI {
  public struct ListPlans: Endpoint {
    public typealias Response = Page<Plan>
    public static let operation = Operation.get("/v1/plans", "List premium plans", access: .anyone, caching: .shared)
    public init() {}
  }

  public struct ListSubscriptions: Endpoint {
    public typealias Response = Page<Subscription>
    public static let operation = Operation.get("/v1/subscriptions", "List the caller's subscriptions")
    public init() {}
  }

  /// With StoreKit, submit the transaction instead.
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

  /// The plan remains active until the end of the paid period. StoreKit subscriptions are canceled with Apple.
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
    public static let operation = Operation.get("/v1/pricing-rules", "Get the tax and shipping rules", access: .owners)
    public init() {}
  }

  public struct PutPricingRules: Endpoint {
    public typealias Response = PricingRules
    public static let operation = Operation.put(
      "/v1/pricing-rules", "Set the tax and shipping rules", access: .owners, limits: .init(bodyBytes: 262_144)
    )
    public var ifMatch: EntityTag?
    public var tax: [TaxRule]
    public var shipping: [ShippingRule]
    public init(ifMatch: EntityTag? = nil, tax: [TaxRule], shipping: [ShippingRule]) {
      (self.ifMatch, self.tax, self.shipping) = (ifMatch, tax, shipping)
    }
  }
}

extension Problem.Kind {
  public static let planNotFound = Self("plan-not-found", status: 404, "There is no such plan")
  public static let subscriptionNotFound = Self("subscription-not-found", status: 404, "There is no such subscription")
  public static let alreadySubscribed = Self("already-subscribed", status: 409, "The plan is already subscribed to")
  public static let paymentDeclined = Self("payment-declined", status: 409, "The payment was declined")
}
