import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// How often cards can be tried.
@Suite(.serialized)
struct PaymentAttemptTests {
  /// Runs with an unpaid order of a product.
  private static func run(
    _ database: TestDatabase = .sqlite, _ body: (TestPlatform, _ buyer: TestUser, Order) async throws -> Void
  ) async throws {
    try await TestPlatform.orders(settings: ["orders.payMinutes": "1440"], database: database) { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      try await host.add(try await host.product(owner, stock: 100), to: ada)
      try await body(host, ada, try await host.checkOut(ada, nil))
    }
  }

  @Test("A5: a user tries a few cards an hour, with orders and kept methods together", arguments: TestDatabase.allCases)
  func attemptsAreLimited(_ database: TestDatabase) async throws {
    try await Self.run(database) { host, ada, order in
      for _ in 0..<3 {
        let kept = OrdersAPI.AddPaymentMethod(
          provider: .test, token: ProviderToken(checked: "test_success"), label: ShortText(checked: "card"))
        let method = try await ada.client.send(kept)
        _ = try await ada.client.send(OrdersAPI.DeletePaymentMethod(id: method.id))
      }
      for _ in 3..<PaymentAttempts.limit.count {
        #expect(try await host.pay(order.id, ada, token: "test_decline").paymentStatus == .failed)
      }
      #expect(await refusal { _ = try await host.pay(order.id, ada) } == "too-many-payment-attempts")
      host.time.advance(seconds: Double(PaymentAttempts.limit.seconds))
      #expect(try await host.pay(order.id, ada).status == .placed)
    }
  }

  @Test("A5: payments that succeed are not limited")
  func successesDoNotCount() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      let product = try await host.product(owner, stock: 100)
      for _ in 0..<PaymentAttempts.limit.count + 3 {
        try await host.add(product, to: ada)
        #expect(try await host.checkOut(ada).status == .placed)
      }
    }
  }

  @Test("A5: checkouts that stock refuses are no attempts to pay")
  func refusedCheckoutsDoNotCount() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada, bob) = (try await host.owner(), try await host.person(), try await host.person())
      let product = try await host.product(owner, stock: 1)
      for buyer in [ada, bob] { try await host.add(product, to: buyer) }
      let held = try await host.checkOut(bob, nil)
      for _ in 0..<PaymentAttempts.limit.count + 3 {
        #expect(await refusal { _ = try await host.checkOut(ada) } == "insufficient-stock")
      }
      _ = try await bob.client.send(OrdersAPI.CancelOrder(id: held.id))
      #expect(try await host.checkOut(ada).status == .placed)
    }
  }

  @Test("A5: an order has a limited number of attempts")
  func attemptsPerOrderAreLimited() async throws {
    try await Self.run { host, ada, order in
      for _ in 0..<PayOrder.maxAttempts {
        host.time.advance(seconds: 600)
        _ = try await host.pay(order.id, ada, token: "test_decline")
      }
      host.time.advance(seconds: 600)
      #expect(await refusal { _ = try await host.pay(order.id, ada) } == "order-not-payable")
      let stored = try await host.orders.core.database.read { db in
        try host.orders.core.payments.list(of: order.id, in: db)
      }
      #expect(stored.count == PayOrder.maxAttempts)
    }
  }

  @Test("A5: lists show the newest attempt of each order", arguments: TestDatabase.allCases)
  func newestAttempts(_ database: TestDatabase) async throws {
    try await Self.run(database) { host, ada, order in
      for _ in 0..<3 { _ = try await host.pay(order.id, ada, token: "test_decline") }
      let newest = try await host.pay(order.id, ada, token: "test_later")
      let core = try host.orders.core
      let found = try await core.database.read { db in try core.payments.last(of: [order.id, core.ids.make()], in: db) }
      #expect(found.mapValues(\.id) == [order.id: newest.payment?.id])
    }
  }

  @Test("A5: adding a card again with the same key asks the provider at most every few seconds")
  func repeatedMethodsAreAskedSeldom() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      func keep() async throws -> PaymentMethod {
        try await ada.client.send(
          OrdersAPI.AddPaymentMethod(
            provider: .stripe, token: StripeShop.token("authenticationRequired"), label: ShortText(checked: "card")),
          idempotencyKey: "card")
      }
      let card = try await keep()
      #expect(try await keep().state == .requiresAction)
      let setup = try #require(card.clientSecret?.split(separator: "_secret_").first)
      try await shop.authenticate(String(setup), "succeed", kind: "setup_intents")
      // Stripe is not asked again yet.
      #expect(try await keep().state == .requiresAction)
      shop.host.time.advance(seconds: 3)
      let ready = try await keep()
      #expect(ready.state == .ready)
      #expect(ready.id == card.id)
    }
  }

  @Test("A5: the provider is asked for the state of a kept card at most every few seconds")
  func methodsAreAskedSeldom() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      let card = try await shop.keep("authenticationRequired", of: ada)
      let refresh = OrdersAPI.RefreshPaymentMethod(id: card.id)
      #expect(try await ada.client.send(refresh).state == .requiresAction)
      let setup = try #require(card.clientSecret?.split(separator: "_secret_").first)
      try await shop.authenticate(String(setup), "succeed", kind: "setup_intents")
      // Stripe is not asked again yet.
      #expect(try await ada.client.send(refresh).state == .requiresAction)
      shop.host.time.advance(seconds: 3)
      #expect(try await ada.client.send(refresh).state == .ready)
    }
  }
}
