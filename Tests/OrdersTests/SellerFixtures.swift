import Contracts
import Foundation
import ServiceKit
import TestKit

/// A seller with earnings.
struct Seller: Sendable {
  let host: TestPlatform
  let user: TestUser

  static let iban = "DE89370400440532013000"

  /// Sells leases for 20.00 each, of which 18.00 are the seller's.
  static func make(_ host: TestPlatform, sales: Int = 1, hasAccount: Bool = true) async throws -> Seller {
    let seller = Seller(host: host, user: try await host.person())
    for _ in 0..<sales { _ = try await seller.sell() }
    if hasAccount { _ = try await seller.putAccount(iban) }
    return seller
  }

  func sell(to buyer: TestUser? = nil) async throws -> Order {
    let customer: TestUser
    if let buyer { customer = buyer } else { customer = try await host.person() }
    try await host.add(host.beat(user, exclusive: nil), .lease, to: customer)
    return try await host.checkOut(customer)
  }

  func putAccount(_ iban: String) async throws -> PayoutAccount {
    try await user.client.send(
      OrdersAPI.PutPayoutAccount(holder: ShortText(checked: "Ada Lovelace"), iban: IBAN(validating: iban)))
  }

  func request(_ amount: Int, key: String = UUID().uuidString) async throws -> Payout {
    try await user.client.send(
      OrdersAPI.RequestPayout(amount: PayoutAmount(checked: amount), currency: .usd), idempotencyKey: key)
  }

  func earnings() async throws -> Balance? {
    try await user.client.send(OrdersAPI.GetBalance()).items.first { $0.kind == .earnings }
  }

  func refund(_ order: Order, by owner: TestUser) async throws {
    _ = try await owner.client.send(OrdersAPI.RefundOrder(id: order.id), idempotencyKey: UUID().uuidString)
  }
}

extension TestUser {
  func pay(_ payout: Payout, _ reference: String) async throws -> Payout {
    try await client.send(OrdersAPI.PayPayout(id: payout.id, reference: ShortText(checked: reference)))
  }

  func reject(_ payout: Payout) async throws -> Payout {
    try await client.send(OrdersAPI.RejectPayout(id: payout.id, reason: ShortText(checked: "The bank refuses it.")))
  }
}
