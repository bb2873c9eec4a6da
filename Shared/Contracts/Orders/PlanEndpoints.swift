extension OrdersAPI {
  /// In the order of the setting `orders.plans`.
  public struct ListPlans: Endpoint {
    public typealias Response = Page<Plan>
    public static let operation = Operation.get("/v1/plans", "List premium plans", access: .anyone, caching: .shared)
    public init() {}
  }

  /// Also those that have ended.
  public struct ListSubscriptions: Endpoint {
    public typealias Response = Page<Subscription>
    public static let operation = Operation.get("/v1/subscriptions", "List the caller's subscriptions")
    public init() {}
  }

  /// The card is charged as soon as the provider answers. A subscription that is `incomplete` needs the buyer: the app
  /// completes the first payment with `clientSecret`. With StoreKit, submit the transaction instead.
  public struct Subscribe: Endpoint {
    public typealias Response = Subscription
    public static let operation = Operation.post(
      "/v1/subscriptions", "Subscribe to a plan", idempotency: .requiresKey, success: 201,
      problems: [
        .planNotFound, .providerNotAvailable, .alreadySubscribed, .paymentMethodNotFound, .paymentMethodNotReady,
        .tooManyPaymentAttempts,
      ],
      limits: .init(seconds: 30)
    )
    public var plan: String
    public var payment: PaymentChoice
    /// 1 by default; more only of group plans.
    public var quantity: PlanQuantity?
    public init(plan: String, payment: PaymentChoice, quantity: PlanQuantity? = nil) {
      (self.plan, self.payment, self.quantity) = (plan, payment, quantity)
    }
  }

  /// Allowed for the subscriber only, not for members.
  public struct GetSubscription: Endpoint {
    public typealias Response = Subscription
    public static let operation = Operation.get(
      "/v1/subscriptions/{id}", "Get one of the caller's subscriptions", problems: [.subscriptionNotFound]
    )
    public var id: SubscriptionID
    public init(id: SubscriptionID) { self.id = id }
  }

  /// A dearer plan and more units are charged and unlocked at once, by the rest of the period. A cheaper plan and fewer
  /// units begin with the next period. Naming the present plan and quantity withdraws a change that has not begun,
  /// `renews: true` a cancellation. `payment` has another card charged from now on, at once for a renewal that is past due.
  public struct UpdateSubscription: Endpoint {
    public typealias Response = Subscription
    public static let operation = Operation.patch(
      "/v1/subscriptions/{id}", "Update a subscription", idempotency: .idempotent,
      problems: [
        .subscriptionNotFound, .planNotFound, .providerNotAvailable, .alreadySubscribed, .paymentDeclined,
        .planChangeNotPossible, .seatsInUse, .paymentMethodNotFound, .paymentMethodNotReady, .tooManyPaymentAttempts,
      ],
      limits: .init(seconds: 30)
    )
    public var id: SubscriptionID
    public var plan: String?
    public var quantity: PlanQuantity?
    public var renews: Bool?
    public var payment: PaymentChoice?
    public init(
      id: SubscriptionID, plan: String? = nil, quantity: PlanQuantity? = nil, renews: Bool? = nil,
      payment: PaymentChoice? = nil
    ) {
      (self.id, self.plan, self.quantity, self.renews, self.payment) = (id, plan, quantity, renews, payment)
    }
  }

  /// The plan remains active until the end of the paid period; a subscription whose first payment is not made ends at
  /// once. StoreKit subscriptions are canceled with Apple.
  public struct EndSubscription: Endpoint {
    public typealias Response = Subscription
    public static let operation = Operation.delete(
      "/v1/subscriptions/{id}", "Cancel a subscription", problems: [.subscriptionNotFound, .providerNotAvailable],
      limits: .init(seconds: 30)
    )
    public var id: SubscriptionID
    public init(id: SubscriptionID) { self.id = id }
  }

  public struct GetPricingRules: Endpoint {
    public typealias Response = PricingRules
    public static let operation = Operation.get("/v1/pricing-rules", "Get the tax and shipping rules", access: .owners)
    public init() {}
  }

  /// Replaces all rules; orders that exist keep their totals.
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
  public static let planNotFound = Self(
    "plan-not-found", status: 404, "There is no such plan",
    meaning: "There is no plan with this name.",
    remedy: "Load the plans again.")
  public static let subscriptionNotFound = Self(
    "subscription-not-found", status: 404, "There is no such subscription",
    meaning: "The caller has no such subscription.",
    remedy: "Load the subscriptions again.")
  public static let alreadySubscribed = Self(
    "already-subscribed", status: 409, "The plan is already subscribed to",
    meaning: "The user has a subscription to this plan.",
    remedy: "Load the subscriptions again.")
  public static let planChangeNotPossible = Self(
    "plan-change-not-possible", status: 409, "The subscription cannot be changed in this way",
    meaning: "The subscription is not one that can be changed to the plan now.",
    remedy: "Load the subscription again; wait for the end of its period, or cancel it.")
  public static let paymentDeclined = Self(
    "payment-declined", status: 409, "The payment was declined",
    meaning: "The bank or the provider has declined the payment.",
    remedy: "Ask the user for another payment method. Do not repeat the same payment automatically.")
}
