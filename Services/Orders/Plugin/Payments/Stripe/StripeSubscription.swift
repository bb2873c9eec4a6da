import Contracts

/// A subscription as Stripe describes it (docs.stripe.com/api/subscriptions/object).
struct StripeSubscription: Decodable, Sendable {
  struct Item: Decodable, Sendable {
    struct Price: Decodable, Sendable { var id: String }
    var id: String
    var price: Price?
    var quantity: Int?
    /// The billing period is the item's since API version 2025-03-31, the subscription's before.
    var periodStart: Int64?
    var periodEnd: Int64?

    private enum CodingKeys: String, CodingKey {
      case id, price, quantity
      case periodStart = "current_period_start"
      case periodEnd = "current_period_end"
    }
  }

  /// A change that takes effect when its payment succeeds; only its presence matters.
  struct PendingUpdate: Decodable, Sendable {}

  private struct Items: Decodable, Sendable { var data: [Item] }

  var id: String
  var status: String
  var customer: StripeReference<StripeNamed>?
  var metadata: [String: String]?
  var latestInvoice: StripeReference<StripeInvoice>?
  var pendingUpdate: PendingUpdate?
  private var defaultMethod: StripeReference<StripeNamed>?
  private var endsWithPeriod: Bool?
  private var cancelAt: Int64?
  private var periodStart: Int64?
  private var periodEnd: Int64?
  private var items: Items?

  private enum CodingKeys: String, CodingKey {
    case id, status, customer, metadata, items
    case latestInvoice = "latest_invoice"
    case pendingUpdate = "pending_update"
    case defaultMethod = "default_payment_method"
    case endsWithPeriod = "cancel_at_period_end"
    case cancelAt = "cancel_at"
    case periodStart = "current_period_start"
    case periodEnd = "current_period_end"
  }

  /// The only item: plans have one price.
  var item: Item? { items?.data.first }

  /// The card that is charged for it.
  var method: ProviderToken? { defaultMethod.flatMap { try? ProviderToken(validating: $0.id) } }

  /// Whether the first payment is not made.
  var isIncomplete: Bool { status == "incomplete" }
  var hasEnded: Bool { status == "canceled" || status == "incomplete_expired" }

  /// Whether a renewal could not be charged.
  var isUnpaid: Bool { status == "past_due" || status == "unpaid" }

  /// - Parameter now: When Stripe was asked.
  func standing(at now: Timestamp) -> ProviderSubscription {
    let intent = latestInvoice?.object?.intent?.object
    let isPayable = isIncomplete || isUnpaid || pendingUpdate != nil
    // The period has begun that could not be charged: the one before is the last that is paid.
    let end = isUnpaid ? periodStart ?? item?.periodStart : periodEnd ?? item?.periodEnd
    return ProviderSubscription(
      reference: id,
      isActive: ["active", "trialing", "past_due"].contains(status),
      renews: endsWithPeriod != true && cancelAt == nil,
      until: end.flatMap { Timestamp(seconds: $0) } ?? now,
      at: now,
      status: state,
      product: item?.price?.id,
      quantity: item?.quantity ?? 1,
      clientSecret: isPayable ? intent?.clientSecret ?? latestInvoice?.object?.confirmation?.clientSecret : nil,
      failure: state == .failed ? intent?.failure ?? "expired" : isPayable ? intent?.failure : nil,
      isPaid: latestInvoice?.object?.status == "paid"
    )
  }

  private var state: Subscription.Status {
    switch status {
    case "incomplete": .incomplete
    case "active", "trialing": .active
    case "past_due", "unpaid", "paused": .pastDue
    case "incomplete_expired": .failed
    default: .ended
    }
  }
}

/// The invoice of a period (docs.stripe.com/api/invoices/object).
struct StripeInvoice: Decodable, Sendable {
  /// With it, the app confirms the payment, since API version 2025-03-31.
  struct Confirmation: Decodable, Sendable {
    var clientSecret: String?
    private enum CodingKeys: String, CodingKey { case clientSecret = "client_secret" }
  }

  struct Intent: Decodable, Sendable {
    struct Failure: Decodable, Sendable {
      var code: String?
      var declineCode: String?
      private enum CodingKeys: String, CodingKey {
        case code
        case declineCode = "decline_code"
      }
    }
    var id: String
    var status: String
    var clientSecret: String?
    private var lastError: Failure?

    private enum CodingKeys: String, CodingKey {
      case id, status
      case clientSecret = "client_secret"
      case lastError = "last_payment_error"
    }

    var failure: String? { lastError.map { $0.code ?? $0.declineCode ?? "declined" } }
  }

  var status: String?
  var intent: StripeReference<Intent>?
  var confirmation: Confirmation?

  private enum CodingKeys: String, CodingKey {
    case status
    case intent = "payment_intent"
    case confirmation = "confirmation_secret"
  }

  /// The id of the payment: a client secret begins with it.
  var intentID: String? {
    intent?.id
      ?? confirmation?.clientSecret.flatMap { secret in
        secret.firstRange(of: "_secret_").map { String(secret[..<$0.lowerBound]) }
      }
  }
}

struct StripeNamed: Decodable, Sendable { var id: String }

/// A property that is an id, or the object itself if it was asked for (docs.stripe.com/expand).
struct StripeReference<Object: Decodable & Sendable>: Decodable, Sendable {
  let id: String
  let object: Object?

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let id = try? container.decode(String.self) {
      (self.id, object) = (id, nil)
    } else {
      id = try container.decode(StripeNamed.self).id
      object = try container.decode(Object.self)
    }
  }
}
