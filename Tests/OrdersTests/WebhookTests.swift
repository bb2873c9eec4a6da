import Contracts
import Crypto
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Webhooks of payment providers: duplicated, early and late.
@Suite(.serialized)
struct WebhookTests {
  /// Sends a notification of the test provider.
  private static func notify(
    _ order: Order,
    _ status: String,
    id: String = UUID().uuidString,
    amount: Int64? = nil,
    secret: String = "test-webhook-secret",
    host: TestPlatform
  ) async throws -> Int {
    let payment = try #require(order.payment)
    let body = """
      {"id":"\(id)","reference":"\(TestProvider.reference(of: payment.id))","status":"\(status)",\
      "amount":{"amount":\(amount ?? payment.amount.amount),"currency":"USD"}}
      """
    let signature = HMAC<SHA256>.authenticationCode(for: Data(body.utf8), using: SymmetricKey(data: Data(secret.utf8)))
      .map { String(format: "%02x", $0) }.joined()
    return try await host.send(
      .post,
      "/v1/payments/webhooks/test",
      body,
      headers: [(name: "test-signature", value: signature)]
    ).status
  }

  private static func pending(_ host: TestPlatform, _ owner: TestUser, _ product: Product) async throws
    -> (buyer: TestUser, order: Order)
  {
    let buyer = try await host.person()
    try await host.add(product, to: buyer)
    return (buyer, try await host.checkOut(buyer, "test_later"))
  }

  @Test func notificationsPayOnce() async throws {
    try await TestPlatform.orders { host async throws in
      let owner = try await host.owner()
      let product = try await host.product(owner, stock: 10)
      let (ada, order) = try await Self.pending(host, owner, product)
      #expect(try await Self.notify(order, "succeeded", secret: "another secret", host: host) == 400)
      #expect(try await Self.notify(order, "succeeded", amount: 1, host: host) == 400)
      #expect(try await host.order(order.id, ada).status == .pendingPayment)
      for _ in 0..<3 { #expect(try await Self.notify(order, "succeeded", id: "e1", host: host) == 200) }
      #expect(try await Self.notify(order, "succeeded", id: "e2", host: host) == 200)
      // A late failure changes nothing.
      #expect(try await Self.notify(order, "failed", id: "e3", host: host) == 200)
      let paid = try await host.order(order.id, ada)
      #expect(paid.status == .placed)
      #expect(paid.paymentStatus == .paid)
      #expect(paid.refunded.amount == 0)
      #expect(try await host.stock(product, owner).onHand == 9)
      #expect(try await host.ledgerBalances())
    }
  }

  /// A webhook and a repeated checkout run concurrently: both succeed, with one order.
  @Test(arguments: ShopInstances.allCases)
  func notificationAndClientMeet(_ instances: ShopInstances) async throws {
    let rounds = instances == .sqlite ? 60 : 15
    try await instances.run { pair async throws in
      let host = pair.one
      let owner = try await host.owner()
      let product = try await host.product(owner, stock: 1000)
      for round in 0..<rounds {
        let buyer = try await host.person()
        try await host.add(product, to: buyer)
        let order = try await host.checkOut(buyer, "test_later", key: "k\(round)")
        async let notified = Self.notify(order, "succeeded", host: pair.two)
        async let asked: Order = host.checkOut(buyer, "test_later", key: "k\(round)")
        let (status, same) = try await (notified, asked)
        #expect(status == 200)
        #expect(same.id == order.id)
        #expect(try await host.order(order.id, buyer).status == .placed)
        #expect(try await buyer.client.send(OrdersAPI.ListOrders()).items.count == 1)
      }
      #expect(try await host.stock(product, owner).onHand == 1000 - rounds)
      #expect(try await host.ledgerBalances())
    }
  }

  /// A payment for an expired order is refunded automatically.
  @Test func latePaymentsAreGivenBack() async throws {
    try await TestPlatform.orders { host async throws in
      let owner = try await host.owner()
      let product = try await host.product(owner, stock: 1)
      let (ada, order) = try await Self.pending(host, owner, product)
      host.time.advance(seconds: 17 * 60)
      try await host.runOnce()
      #expect(try await host.order(order.id, ada).status == .expired)
      #expect(try await Self.notify(order, "succeeded", host: host) == 200)
      let ended = try await host.order(order.id, ada)
      #expect(ended.status == .expired)
      #expect(ended.payment?.status == .succeeded)
      let refunds = try await host.orders.core.database.read { try RefundStore.list(of: order.id, in: $0) }
      #expect(refunds.map(\.status) == [.succeeded])
      #expect(refunds.first?.amount == order.total)
      #expect(try await host.stock(product, owner).reserved == 0)
      #expect(try await host.ledgerBalances())
    }
  }

  /// Paid in time but committed late: the stock is reserved again if available, otherwise the payment is refunded.
  @Test func staleReservationsAreMadeAnewOrRefunded() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, bob) = (try await host.owner(), try await host.person())
      let product = try await host.product(owner, stock: 1)
      let (ada, order) = try await Self.pending(host, owner, product)
      // Catalog releases the stock before orders expires the order.
      _ = try await host.orders.core.catalog.catalog.send(
        CatalogAPI.ReleaseReservation(id: ReservationID(trusted: order.id.rawValue))
      )
      try await host.add(product, to: bob)
      #expect(try await host.checkOut(bob).status == .placed)
      #expect(try await Self.notify(order, "succeeded", host: host) == 200)
      let ended = try await host.order(order.id, ada)
      #expect(ended.status == .canceled)
      #expect(ended.paymentStatus == .refunded)
      #expect(ended.refunded == order.total)
      let level = try await host.stock(product, owner)
      #expect(level.onHand == 0)
      #expect(level.reserved == 0)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M19: payments of the test provider are refused unless a setting accepts them")
  func testPaymentsAreSwitchedOn() async throws {
    try await TestPlatform.orders(settings: ["payments.test": "false"]) { host async throws in
      let owner = try await host.owner()
      let product = try await host.product(owner)
      let buyer = try await host.person()
      try await host.add(product, to: buyer)
      #expect(await refusal { _ = try await host.checkOut(buyer) } == "provider-not-available")
    }
  }
}
