import Contracts

/// A subscription as stored.
struct StoredSubscription: Sendable {
  let id: SubscriptionID
  var user: UserID?
  var plan: String
  let provider: PaymentProviderName
  /// The provider's id, once it has answered.
  var reference: String?
  var status: Subscription.Status
  var quantity = 1
  var until: Timestamp
  var graceUntil: Timestamp?
  /// When the features are locked, unless the provider reports a payment before.
  var accessUntil: Timestamp
  var renews = false
  var isActive = false
  /// The plan that begins with the next period.
  var nextPlan: String?
  var nextQuantity: Int?
  /// Stripe's customer, stored before the first request that could create something.
  var customer: String?
  /// The card of the first payment, until it is charged, or the one that replaces it, until Stripe has it.
  var method: ProviderToken?
  var isMethodKept = false
  var clientSecret: String?
  var failure: String?
  /// The change that Stripe has not been asked for yet.
  var change: SubscriptionChange?
  /// Whether Stripe's state may have changed.
  var isStale = false
  /// The provider's ids of payments that were refunded or disputed.
  var contested: [String] = []
  var version: Int64 = 1
  let createdAt: Timestamp
  var changedAt: Timestamp

  /// How long after the end of the paid period a renewal may still be reported, in seconds.
  static let reportSeconds = 86_400.0

  var isLiving: Bool {
    switch status {
    case .pending, .incomplete, .active, .pastDue: true
    case .ended, .failed: false
    }
  }

  /// Whether it is of a plan, or is becoming so.
  func concerns(_ plan: String) -> Bool {
    if case .plan(plan, _, _) = change?.kind { return true }
    return self.plan == plan || nextPlan == plan
  }

  /// Takes over what the provider reports.
  ///
  /// - Parameters:
  ///   - plan: The plan whose price is charged; `nil` when the shop no longer has it.
  ///   - graceSeconds: How long a plan stays active after a renewal could not be charged.
  mutating func apply(_ standing: ProviderSubscription, plan: String?, graceSeconds: Double, at now: Timestamp) {
    let wasPaid = status == .active || status == .pastDue
    reference = standing.reference
    apply(plan ?? self.plan, standing.quantity, isNewPeriod: !wasPaid || standing.until > until)
    status = standing.status ?? (standing.isActive ? .active : .ended)
    // A subscription that was never paid for has not ended, it has failed.
    if status == .ended, !wasPaid, !standing.isPaid { status = .failed }
    failure = status == .failed ? failure ?? standing.failure ?? "canceled" : standing.failure
    if wasPaid || status == .active { until = standing.until }
    (clientSecret, renews) = (standing.clientSecret, standing.renews && isLiving)
    graceUntil = status == .pastDue && standing.isActive ? until.advanced(bySeconds: graceSeconds) : nil
    accessUntil = graceUntil ?? (renews ? until.advanced(bySeconds: Self.reportSeconds) : until)
    isActive = standing.isActive && accessUntil > now
    if !isLiving { (method, change, nextPlan, nextQuantity, contested) = (nil, nil, nil, nil, []) }
    changedAt = standing.at
  }

  /// A cheaper plan and fewer units are at the provider before they begin: their price is that of the next period.
  private mutating func apply(_ plan: String, _ quantity: Int, isNewPeriod: Bool) {
    let isNext = hasNext && plan == nextPlan ?? self.plan && quantity == nextQuantity ?? self.quantity
    if isNext, !isNewPeriod { return }
    (self.plan, self.quantity, nextPlan, nextQuantity) = (plan, quantity, nil, nil)
  }

  /// Whether something else begins with the next period.
  var hasNext: Bool { nextPlan != nil || nextQuantity != nil }
}

/// The change of a subscription that a user wants, with the key under which Stripe is asked once.
struct SubscriptionChange: Codable, Sendable, Equatable {
  enum Kind: Codable, Sendable, Equatable {
    case plan(String, quantity: Int, isDeferred: Bool)
    case renewal(Bool)
    /// Another card, which is kept beside the change because it is encrypted.
    case method
    /// At once if its present period is not paid, otherwise with the paid period.
    case cancel
    /// At once, because what was paid was taken back.
    case revoke
  }

  var key: String
  var kind: Kind

  var isDeferred: Bool {
    if case .plan(_, _, let isDeferred) = kind { return isDeferred }
    return false
  }
}

/// The next step of a subscription with Stripe.
enum SubscriptionNextAction: Equatable {
  case none
  case create
  /// The account was deleted before Stripe's answer was stored.
  case abandon
  /// Charge the first payment.
  case confirm
  case change(SubscriptionChange)
  case refresh

  init(for subscription: StoredSubscription) {
    self =
      if subscription.provider != .stripe || !subscription.isLiving {
        .none
      } else if subscription.reference == nil {
        subscription.user == nil || subscription.change?.kind == .cancel ? .abandon : .create
      } else if let change = subscription.change {
        .change(change)
      } else if subscription.status == .incomplete, subscription.method != nil {
        .confirm
      } else {
        subscription.isStale ? .refresh : .none
      }
  }
}
