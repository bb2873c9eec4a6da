import Contracts
import HTTPTypes

/// Who moves money. A call may be repeated after a crash: the payment's or refund's id makes it one at the provider.
protocol PaymentProvider: Sendable {
  var name: PaymentProviderName { get }

  /// Begins a payment, or asks for the outcome of one that was begun.
  /// - Throws: When the provider cannot be asked; nothing is known then, and it is tried again.
  func pay(_ request: PaymentRequest) async throws -> PaymentOutcome

  /// Gives money back.
  /// - Throws: As ``pay(_:)``.
  func refund(_ request: RefundRequest) async throws -> RefundOutcome

  /// Reads a notification after checking that the provider has sent it, and not long ago.
  /// - Throws: ``Contracts/Problem`` `webhook-invalid`.
  func notification(_ headers: HTTPFields, _ body: [UInt8]) throws -> ProviderNotification
}

struct PaymentRequest: Sendable {
  var id: PaymentID
  var amount: Money
  /// With what; without it the app completes the payment with the provider.
  var token: ProviderToken?
}

enum PaymentOutcome: Sendable, Equatable {
  case succeeded(reference: String)
  /// The app or the provider has to do more; a notification tells the end.
  case pending(reference: String, clientSecret: String?)
  case declined(reference: String?, reason: String)
}

struct RefundRequest: Sendable {
  var id: RefundID
  /// The provider's name of the payment.
  var reference: String
  var amount: Money
}

enum RefundOutcome: Sendable, Equatable {
  case succeeded
  case refused(reason: String)
}

/// What a provider tells.
struct ProviderNotification: Sendable {
  enum Content: Sendable {
    /// - Parameter id: Our name of the payment, where the provider tells it: the answer that held the provider's name may
    ///   have been lost.
    case payment(id: PaymentID?, reference: String, amount: Money, outcome: PaymentOutcome)
    case subscription(ProviderSubscription)
    /// Of a kind that changes nothing here.
    case other
  }

  /// The provider's name of the notification, by which repetitions are known.
  var id: String
  var content: Content
}

/// How a subscription stands at its provider.
struct ProviderSubscription: Sendable, Equatable {
  var reference: String
  var isActive: Bool
  var renews: Bool
  var until: Timestamp
  /// When the provider said so; older words do not overrule newer ones.
  var at: Timestamp
}
