import Contracts
import Crypto
import Foundation
import HTTPTypes
import ServiceKit

/// Moves no money: the token decides the outcome. `test_success` succeeds, `test_decline` is declined, and any other
/// token waits for a notification that the tester sends, signed with `payments.testSecret`; without that setting, none
/// is accepted. Payments with `test_refundPending` and `test_refundFail` succeed; refunds of the first wait for a
/// notification, those of the second are refused.
struct TestProvider: PaymentProvider {
  let secret: SymmetricKey?
  let name = PaymentProviderName.test

  init(secret: String?) { self.secret = secret.map { SymmetricKey(data: Data($0.utf8)) } }

  func pay(_ request: PaymentRequest) -> PaymentOutcome {
    let reference = Self.reference(of: request.id)
    return switch request.token?.rawValue {
    case "test_success": .succeeded(reference: reference)
    case "test_refundPending", "test_refundFail":
      .succeeded(reference: "\(request.token?.rawValue ?? "")_\(request.id)")
    case "test_decline": .declined(reference: reference, reason: "card_declined")
    default: .pending(reference: reference, clientSecret: "\(reference)_secret")
    }
  }

  func outcome(of reference: String) -> PaymentOutcome? { nil }

  func cancel(_ reference: String) -> PaymentOutcome { .declined(reference: reference, reason: "canceled") }

  func refund(_ request: RefundRequest) -> RefundOutcome {
    if request.reference.hasPrefix("test_refundPending") { return .pending(reference: "test_\(request.id)") }
    if request.reference.hasPrefix("test_refundFail") { return .refused(reason: "refund_refused") }
    return .succeeded(reference: "test_\(request.id)")
  }

  func refunds(of reference: String) -> [ProviderRefund] { [] }

  static func reference(of payment: PaymentID) -> String { "test_\(payment)" }

  private static func payment(of reference: String) -> PaymentID? {
    reference.hasPrefix("test_") ? PaymentID(String(reference.dropFirst(5))) : nil
  }

  /// `Test-Signature` is the HMAC-SHA256 of the body in hexadecimal digits.
  func notification(_ headers: HTTPFields, _ body: [UInt8]) throws -> ProviderNotification {
    struct Notification: Decodable {
      var id: String
      var reference: String
      var amount: Money
      /// `succeeded`, or any other word for a failure.
      var status: String
      /// Our id of a refund, for a notification of it; `reference` is that of its payment.
      var refund: RefundID?
    }
    guard let secret else { throw Problem(.webhookInvalid) }
    let signature = HTTPField.Name("Test-Signature").flatMap { headers[$0] } ?? ""
    let wanted = HMAC<SHA256>.authenticationCode(for: body, using: secret).reduce(into: "") { text, byte in
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    guard SecureBytes.areEqual(Array(signature.utf8), Array(wanted.utf8)) else { throw Problem(.webhookInvalid) }
    let notification = try WireJSON.decode(Notification.self, from: body)
    if let refund = notification.refund {
      let reference = "test_\(refund)"
      let outcome: RefundOutcome =
        notification.status == "succeeded" ? .succeeded(reference: reference) : .refused(reason: notification.status)
      let content = ProviderRefund(
        id: refund, reference: reference, payment: notification.reference, amount: notification.amount, outcome: outcome
      )
      return ProviderNotification(id: notification.id, content: .refund(content))
    }
    let outcome: PaymentOutcome =
      notification.status == "succeeded"
      ? .succeeded(reference: notification.reference)
      : .declined(reference: notification.reference, reason: "card_declined")
    return ProviderNotification(
      id: notification.id,
      content: .payment(
        id: Self.payment(of: notification.reference), reference: notification.reference, amount: notification.amount,
        outcome: outcome)
    )
  }
}
