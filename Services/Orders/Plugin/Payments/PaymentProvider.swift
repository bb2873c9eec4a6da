import Contracts
import HTTPTypes

/// A payment provider. A call may be repeated after a crash; the id of the payment or refund is the idempotency key.
protocol PaymentProvider: Sendable {
  var name: PaymentProviderName { get }

  /// Starts a payment, or queries the outcome of one that has already started.
  /// - Throws: When the provider cannot be reached; the outcome is then unknown, and the call is retried.
  func pay(_ request: PaymentRequest) async throws -> PaymentOutcome

  /// The outcome of a payment so far; `nil` if the provider cannot be asked.
  /// - Parameter reference: The provider's id of the payment.
  /// - Throws: The same errors as ``pay(_:)``.
  func outcome(of reference: String) async throws -> PaymentOutcome?

  /// Cancels a payment, so that it can no longer succeed.
  /// - Returns: The outcome; `succeeded` when it is too late, `pending` when it cannot be canceled yet.
  /// - Throws: The same errors as ``pay(_:)``.
  func cancel(_ reference: String) async throws -> PaymentOutcome

  /// Refunds a payment, fully or partially.
  /// - Throws: The same errors as ``pay(_:)``.
  func refund(_ request: RefundRequest) async throws -> RefundOutcome

  /// The refunds of a payment, with those that the provider made on its own account.
  /// - Parameter reference: The provider's id of the payment.
  /// - Throws: The same errors as ``pay(_:)``.
  func refunds(of reference: String) async throws -> [ProviderRefund]

  /// Decodes a notification after verifying that the provider sent it, and sent it recently.
  /// - Throws: ``Contracts/Problem`` `webhook-invalid`.
  func notification(_ headers: HTTPFields, _ body: [UInt8]) throws -> ProviderNotification
}

struct PaymentRequest: Sendable {
  var id: PaymentID
  /// The buyer; `nil` after the account was deleted.
  var user: UserID?
  var amount: Money
  /// The provider token to charge; if `nil`, the app completes the payment with the provider.
  var token: ProviderToken?
}

enum PaymentOutcome: Sendable, Equatable {
  case succeeded(reference: String)
  /// The app or the provider has to take further action; a notification reports the outcome.
  case pending(reference: String, clientSecret: String?)
  /// The bank wants the buyer to confirm; a notification reports the outcome.
  case requiresAction(reference: String, clientSecret: String?)
  case declined(reference: String?, reason: String)
}

struct RefundRequest: Sendable {
  var id: RefundID
  /// The provider's id of the payment.
  var reference: String
  var amount: Money
  /// When the refund was decided. Providers forget idempotency keys after a day.
  var createdAt: Timestamp
}

enum RefundOutcome: Sendable, Equatable {
  case succeeded(reference: String?)
  /// The provider has accepted it; a notification reports the outcome.
  case pending(reference: String)
  case refused(reason: String)
}

/// A verified notification from a payment provider.
struct ProviderNotification: Sendable {
  enum Content: Sendable {
    /// - Parameter id: Our id of the payment, if the provider reports it: the response with the provider's id may have
    ///   been lost.
    case payment(id: PaymentID?, reference: String, amount: Money, outcome: PaymentOutcome)
    case method(ProviderMethodChange)
    case refund(ProviderRefund)
    /// The refunds of a payment, by its reference, have changed; the provider has to be asked how.
    case refunds(of: String)
    case dispute(ProviderDispute)
    case subscription(SubscriptionNotice)
    /// A notification that has no effect here.
    case other
  }

  /// The provider's id of the notification, used to detect duplicates.
  var id: String
  var content: Content
}

/// The state of a kept payment method at its provider.
struct ProviderMethod: Sendable, Equatable {
  /// The provider's id of the setup; `nil` if it was refused before it began.
  var reference: String?
  var state: PaymentMethod.State
  var token: ProviderToken?
  var card: PaymentMethod.Card?
  var clientSecret: String?
  var failure: String?
}

/// A change of a kept payment method, as reported by the provider.
enum ProviderMethodChange: Sendable, Equatable {
  /// A setup went on; the provider is asked for its state.
  /// - Parameter id: Our id of the payment method, if the provider reports it.
  case setup(id: PaymentMethodID?, reference: String)
  /// The bank has issued a new card.
  case updated(ProviderToken, PaymentMethod.Card)
  /// It can no longer be charged.
  case detached(ProviderToken)
}

/// The state of a refund at its provider.
struct ProviderRefund: Sendable, Equatable {
  /// Our id; `nil` for a refund that the provider made on its own account.
  var id: RefundID?
  /// The provider's id.
  var reference: String
  /// The provider's id of the payment.
  var payment: String
  var amount: Money
  var outcome: RefundOutcome
}

/// The state of a dispute at its provider: a buyer has the bank take a payment back.
struct ProviderDispute: Sendable, Equatable {
  /// The provider's id.
  var reference: String
  /// The provider's id of the payment.
  var payment: String
  var amount: Money
  var reason: String
  /// Whether the amount has been taken back; `false` when it has been returned, because the dispute was won.
  var isTakenBack: Bool
}

/// A provider's word that a subscription has changed.
struct SubscriptionNotice: Sendable, Equatable {
  var reference: String
  /// Our id of the subscription, if the provider reports it: the response with the provider's id may have been lost.
  var id: SubscriptionID?
  /// The provider's id of a payment for it that was refunded or disputed.
  var contested: String?
}

/// A payment for a plan.
struct PlanPayment: Sendable, Equatable {
  enum State: Sendable {
    case kept
    /// The bank has taken it back, and may still return it.
    case disputed
    /// It was refunded, or its dispute was lost.
    case takenBack
  }

  /// The provider's id of the subscription.
  var subscription: String
  /// That of a period that is over, or of an addition within the period, is regarded as kept.
  var state: State
}

/// The state of a subscription at its provider.
struct ProviderSubscription: Sendable, Equatable {
  var reference: String
  var isActive: Bool
  var renews: Bool
  /// The end of the paid period.
  var until: Timestamp
  /// When the provider reported this state; an older report does not overwrite a newer one.
  var at: Timestamp
  /// The status; by default active or ended.
  var status: Subscription.Status?
  /// The provider's id of what is subscribed to.
  var product: String?
  var quantity = 1
  /// With it, the app completes a payment that is due.
  var clientSecret: String?
  /// The reason why the last payment failed.
  var failure: String?
  /// Until when the provider grants access although a renewal could not be charged.
  var graceUntil: Timestamp?
  /// Whether the last invoice is paid.
  var isPaid = false
  /// Whether the provider still tries to charge a renewal that has failed.
  var isRetrying = false
  /// The provider's id of what is subscribed to from the next period on.
  var nextProduct: String?
}
