import Contracts
import Crypto
import Foundation
import HTTPTypes
import ServiceKit

/// Moves no money: the token decides the outcome. `test_success` succeeds, `test_decline` is declined, and any other
/// token waits for a notification that the tester sends, signed with `payments.testSecret`.
struct TestProvider: PaymentProvider {
  let secret: SymmetricKey
  let name = PaymentProviderName.test

  init(secret: String) { self.secret = SymmetricKey(data: Data(secret.utf8)) }

  func pay(_ request: PaymentRequest) -> PaymentOutcome {
    let reference = Self.reference(of: request.id)
    return switch request.token?.rawValue {
    case "test_success": .succeeded(reference: reference)
    case "test_decline": .declined(reference: reference, reason: "card_declined")
    default: .pending(reference: reference, clientSecret: "\(reference)_secret")
    }
  }

  func refund(_ request: RefundRequest) -> RefundOutcome { .succeeded }

  static func reference(of payment: PaymentID) -> String { "test_\(payment)" }

  /// `Test-Signature` is the HMAC-SHA256 of the body in hexadecimal digits.
  func notification(_ headers: HTTPFields, _ body: [UInt8]) throws -> ProviderNotification {
    struct Notification: Decodable {
      var id: String
      var reference: String
      var amount: Money
      var status: String
    }
    let signature = HTTPField.Name("Test-Signature").flatMap { headers[$0] } ?? ""
    let wanted = HMAC<SHA256>.authenticationCode(for: body, using: secret).reduce(into: "") { text, byte in
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    guard SecureBytes.areEqual(Array(signature.utf8), Array(wanted.utf8)) else { throw Problem(.webhookInvalid) }
    let told = try WireJSON.decode(Notification.self, from: body)
    let outcome: PaymentOutcome =
      told.status == "succeeded"
      ? .succeeded(reference: told.reference) : .declined(reference: told.reference, reason: "card_declined")
    return ProviderNotification(
      id: told.id,
      content: .payment(id: nil, reference: told.reference, amount: told.amount, outcome: outcome)
    )
  }
}
