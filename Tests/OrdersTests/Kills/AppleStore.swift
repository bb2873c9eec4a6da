import Contracts
import Foundation
import ServiceKit
import Synchronization
import TestKit

@testable import OrdersService

/// Apple's side of purchases: what it signs, and its own books of it.
final class AppleStore: Sendable {
  static let bundle = "app.archived"

  let signer: StoreKitTests.Apple
  private let time = TimeSource.system
  private let kept = Mutex(ProviderBooks())

  init() throws { signer = try StoreKitTests.Apple(at: time.now()) }

  var books: ProviderBooks { kept.withLock { $0 } }

  /// Sells what an order contains; the same text each time the app submits it.
  func purchase(of order: Order) throws -> String {
    let id = Self.transaction(of: order)
    kept.withLock { $0.charges.append(.init(payment: id, amount: order.total.amount)) }
    return try signer.sign(payload(order, id))
  }

  /// A notification that the purchase has been refunded.
  func refund(of order: Order) throws -> String {
    let (id, now) = (Self.transaction(of: order), time.now().unixSeconds * 1000)
    kept.withLock { $0.returns.append(.init(payment: id, amount: order.total.amount)) }
    let transaction = try signer.sign(payload(order, id, revoked: true))
    let payload = """
      {"notificationType":"REFUND","notificationUUID":"\(UUID().uuidString)","signedDate":\(now),"data":{"bundleId":\
      "\(Self.bundle)","environment":"Sandbox","signedTransactionInfo":"\(transaction)"}}
      """
    return #"{"signedPayload":"\#(try signer.sign(payload))"}"#
  }

  private static func transaction(of order: Order) -> String { "apple-\(order.id)" }

  private func payload(_ order: Order, _ id: String, revoked: Bool = false) -> String {
    let now = time.now().unixSeconds * 1000
    let revocation = revoked ? #","revocationDate":\#(now)"# : ""
    // A price is in thousandths of the currency. Apple signs a later state later.
    return """
      {"transactionId":"\(id)","originalTransactionId":"\(id)","bundleId":"\(Self.bundle)","productId":"beat",\
      "environment":"Sandbox","appAccountToken":"\(order.id)","price":\(order.total.amount * 10),"currency":"USD",\
      "quantity":1,"purchaseDate":\(now),"signedDate":\(now + (revoked ? 1000 : 0))\(revocation)}
      """
  }
}
