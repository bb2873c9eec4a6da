import Contracts
import HTTPTypes

/// A payment provider. A call may be repeated after a crash; the id of the payment or refund is the idempotency key.
protocol PaymentProvider: Sendable {
  var name: PaymentProviderName { get }

  /// Starts a payment, or queries the outcome of one that has already started.
  /// - Throws: When the provider cannot be reached; the outcome is then unknown, and the call is retried.
  func pay(_ request: PaymentRequest) async throws -> PaymentOutcome

  /// Refunds a payment, fully or partially.
  /// - Throws: The same errors as ``pay(_:)``.
  func refund(_ request: RefundRequest) async throws -> RefundOutcome

  /// Decodes a notification after verifying that the provider sent it, and sent it recently.
  /// - Throws: ``Contracts/Problem`` `webhook-invalid`.
  func notification(_ headers: HTTPFields, _ body: [UInt8]) throws -> ProviderNotification
}

struct PaymentRequest: Sendable {
  var id: PaymentID
  var amount: Money
  /// The provider token to charge; if `nil`, the app completes the payment with the provider.
  var token: ProviderToken?
}

enum PaymentOutcome: Sendable, Equatable {
  case succeeded(reference: String)
  /// The app or the provider has to take further action; a notification reports the outcome.
  case pending(reference: String, clientSecret: String?)
  case declined(reference: String?, reason: String)
}

struct RefundRequest: Sendable {
  var id: RefundID
  /// The provider's id of the payment.
  var reference: String
  var amount: Money
}

enum RefundOutcome: Sendable, Equatable {
  case succeeded
  case refused(reason: String)
}

/// A verified notification from a payment provider.
struct ProviderNotification: Sendable {
  enum Content: Sendable {
    /// - Parameter id: Our id of the payment, if the provider reports it: the response with the provider's id may have
    ///   been lost.
    case payment(id: PaymentID?, reference: String, amount: Money, outcome: PaymentOutcome)
    case subscription(ProviderSubscription)
    /// A notification that has no effect here.
    case other
  }

  /// The provider's id of the notification, used to detect duplicates.
  var id: String
  var content: Content
}

/// The state of a subscription at its provider.
struct ProviderSubscription: Sendable, Equatable {
  var reference: String
  var isActive: Bool
  var renews: Bool
  var until: Timestamp
  /// When the provider reported this state; an older report does not overwrite a newer one.
  var at: Timestamp
}
