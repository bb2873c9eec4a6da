import Contracts
import Foundation
import Persistence
import ServiceKit
import Synchronization
import TestKit
import Testing

@testable import OrdersService

/// `orders reconcile --provider stripe`, with the stand-in of Stripe.
@Suite(.serialized)
struct StripeReconciliationTests {
  private struct Shop: Sendable {
    let host: TestPlatform
    let stripe: StripeStandIn
    let beat: Listing

    /// An order whose payment the app has confirmed with Stripe; the notification is not delivered.
    func paidThere() async throws -> (buyer: TestUser, order: Order, intent: String) {
      let (buyer, order) = try await pending()
      let secret = try #require(order.payment?.clientSecret)
      let intent = String(try #require(secret.split(separator: "_secret_").first))
      try await stripe.post("/v1/payment_intents/\(intent)/confirm", "payment_method=pm_card_visa")
      return (buyer, order, intent)
    }

    func pending() async throws -> (buyer: TestUser, order: Order) {
      let buyer = try await host.person()
      try await host.add(beat, .lease, to: buyer)
      let order = try await buyer.client.send(
        OrdersAPI.CheckOut(shippingAddress: TestPlatform.address, payment: PaymentChoice(provider: .stripe)),
        idempotencyKey: UUID().uuidString)
      return (buyer, order)
    }

    /// Books a payment of an order as if Stripe had reported it.
    func book(_ order: Order, as reference: String) async throws {
      let core = try host.orders.core
      let payment = StoredPayment(id: host.ids.make(), orderID: order.id, provider: .stripe, amount: order.total)
      try await core.database.write { tx in
        try core.payments.insert(payment, token: nil, in: tx)
        try core.transitions.paid(payment, .succeeded(reference: reference), in: tx)
      }
      try await core.workflow.advance(order.id)
    }

    /// A charge that is not of an order.
    func charge(_ amount: Int64, _ currency: String = "usd") async throws -> String {
      let intent = try await stripe.post(
        "/v1/payment_intents",
        "amount=\(amount)&currency=\(currency)&payment_method=pm_card_visa&confirm=true&payment_method_types[]=card")
      return try #require(intent["id"]?.string)
    }

    func reconcile(repairs: Bool = false) async throws -> (lines: [String], summary: ReconciliationSummary) {
      let lines = Lines()
      let summary = try await host.orders.reconcile(.stripe, repairs: repairs) { lines.add($0) }
      return (lines.all, summary)
    }

    /// The jobs that take over from requests and from repairs.
    func settle() async throws {
      host.time.advance(seconds: 11)
      try await host.runOnce()
    }
  }

  private static func run(_ database: TestDatabase = .sqlite, _ body: (Shop) async throws -> Void) async throws {
    let time = ManualTime()
    try await StripeStandIn.running(time: time) { stripe in
      try await TestPlatform.orders(settings: stripe.settings, database: database, time: time) { host async throws in
        let beat = try await host.beat(host.person(), exclusive: nil, lease: 2499)
        try await body(Shop(host: host, stripe: stripe, beat: beat))
        #expect(try await host.ledgerBalances())
      }
    }
  }

  @Test(
    "Purchases that no notification has reported are found on every page, and booked", arguments: TestDatabase.allCases)
  func purchasesAreFound(_ database: TestDatabase) async throws {
    try await Self.run(database) { shop async throws in
      let first = try await shop.paidThere()
      for _ in 0..<110 { _ = try await shop.charge(100) }
      let last = try await shop.paidThere()
      let found = try await shop.reconcile()
      #expect(found.summary == ReconciliationSummary(compared: 2, differences: 2, repaired: 0))
      #expect(
        Set(found.lines) == Set([first, last].map { "missing here: \($0.intent): 24.99 USD for order \($0.order.id)" }))
      let repaired = try await shop.reconcile(repairs: true)
      #expect(repaired.summary.repaired == 2)
      try await shop.settle()
      for (buyer, order, _) in [first, last] { #expect(try await shop.host.order(order.id, buyer).status == .placed) }
      #expect(try await shop.reconcile(repairs: true).summary.differences == 0)
      // The notifications arrive after all, and change nothing.
      try await shop.stripe.deliverEvents(to: shop.host, duplicates: 3)
      #expect(try await shop.reconcile().lines.isEmpty)
      let payments = try await shop.host.orders.core.database.read { db in
        try db.count("SELECT COUNT(*) FROM ledger_transfers WHERE code = 'payment'")
      }
      #expect(payments == 2)
    }
  }

  @Test("Every kind of difference is printed, and what Stripe has is booked", arguments: TestDatabase.allCases)
  func differences(_ database: TestDatabase) async throws {
    try await Self.run(database) { shop async throws in
      let refunded = try await shop.paidThere()
      let disputed = try await shop.paidThere()
      let returned = try await shop.paidThere()
      try await shop.stripe.deliverEvents(to: shop.host)
      #expect(try await shop.reconcile().lines.isEmpty)

      let missing = try await shop.paidThere()
      let made = try await shop.stripe.control(
        "refunds", ["payment_intent": .string(refunded.intent), "amount": 500])
      try await shop.stripe.control("disputes", ["payment_intent": .string(disputed.intent), "amount": 2499])
      try await shop.book(shop.pending().order, as: "pi_gone")
      let (cheap, foreign) = (try await shop.charge(1500), try await shop.charge(2499, "eur"))
      for intent in [cheap, foreign] { try await shop.book(shop.pending().order, as: intent) }
      try await Self.refund(returned.order, "re_gone", shop)

      let dispute = try #require(try await shop.stripe.get("/v1/disputes")["data"]?.elements.first?["id"]?.string)
      let refund = try #require(made["id"]?.string)
      let stays = [
        "missing there: pi_gone", "other amount: \(cheap)", "other currency: \(foreign)",
        "refund missing there: re_gone",
      ]
      let lacks = [
        "missing here: \(missing.intent)", "refund missing here: \(refund)", "dispute: \(dispute)",
      ]
      func starts(_ lines: [String]) -> [String] {
        lines.map { $0.split(separator: ": ").prefix(2).joined(separator: ": ") }.sorted()
      }
      #expect(try await starts(shop.reconcile().lines) == (stays + lacks).sorted())
      let repaired = try await shop.reconcile(repairs: true)
      #expect(repaired.summary.differences == 7)
      #expect(repaired.summary.repaired == 3)
      try await shop.settle()
      #expect(try await starts(shop.reconcile(repairs: true).lines) == stays.sorted())
      #expect(try await shop.host.order(missing.order.id, missing.buyer).status == .placed)
      #expect(try await shop.host.order(refunded.order.id, refunded.buyer).refunded == Money(500, .usd))
      #expect(try await shop.host.order(disputed.order.id, disputed.buyer).paymentStatus == .refunded)
      // Data that a comparison has seen is not kept.
      let seen = try await shop.host.orders.core.database.read { db in
        try db.count("SELECT COUNT(*) FROM reconciliation_seen")
      }
      #expect(seen == 0)
    }
  }

  /// Books a refund that Stripe does not know.
  private static func refund(_ order: Order, _ reference: String, _ shop: Shop) async throws {
    let core = try shop.host.orders.core
    try await core.database.write { tx in
      var sale = try core.orders.sale(core.orders.get(order.id, in: tx), in: tx)
      let id = try core.refunds.refund(sale.rest, of: &sale, toCredit: false, reason: nil, in: tx)
      try core.refunds.store(&sale, by: OrderStore.service, reason: nil, in: tx)
      let refund = try #require(try id.flatMap { try RefundStore.find($0, in: tx) })
      try core.refunds.refunded(refund, .succeeded(reference: reference), in: tx)
    }
  }

  @Test("A dispute that was won and is still booked as taken back is reported, and returned")
  func wonDisputes() async throws {
    try await Self.run { shop async throws in
      let paid = try await shop.paidThere()
      try await shop.stripe.deliverEvents(to: shop.host)
      let dispute = try await shop.stripe.control(
        "disputes", ["payment_intent": .string(paid.intent), "amount": 2499])
      try await shop.stripe.deliverEvents(to: shop.host)
      #expect(try await shop.host.order(paid.order.id, paid.buyer).paymentStatus == .refunded)
      let id = try #require(dispute["id"]?.string)
      try await shop.stripe.control("disputes/\(id)", ["status": "won"])
      let found = try await shop.reconcile(repairs: true)
      #expect(found.lines == ["dispute: \(id): 24.99 USD of \(paid.intent) returned there (repaired)"])
      #expect(try await shop.host.order(paid.order.id, paid.buyer).paymentStatus == .paid)
    }
  }

  @Test("Purchases reported during an hour without a database are kept by Stripe's retries, or by reconcile")
  func anHourWithoutADatabase() async throws {
    try await TemporaryFolder.run { folder async throws in
      let time = ManualTime()
      try await StripeStandIn.running(time: time) { stripe in
        let settings = stripe.settings.merging(["data": folder]) { $1 }
        var paid: [(buyer: TestUser, order: Order, intent: String)] = []
        try await TestPlatform.orders(settings: settings, time: time) { host async throws in
          let beat = try await host.beat(host.person(), exclusive: nil, lease: 2499)
          let shop = Shop(host: host, stripe: stripe, beat: beat)
          for _ in 0..<3 { paid.append(try await shop.paidThere()) }
          await (try host.orders.core.database).close()
          let answers = try await stripe.deliverEvents(to: host)
          let refused = answers.filter { $0.type == "payment_intent.succeeded" }.map(\.status)
          #expect(refused == [503, 503, 503])
        }
        time.advance(seconds: 3600)
        try await TestPlatform.orders(settings: settings, time: time) { host async throws in
          let lines = Lines()
          let summary = try await host.orders.reconcile(.stripe, repairs: true) { lines.add($0) }
          #expect(summary == ReconciliationSummary(compared: 3, differences: 3, repaired: 3))
          try await host.runOnce()
          try await stripe.deliverEvents(to: host)
          for (buyer, order, _) in paid {
            let buyer = try await host.person(id: buyer.id)
            #expect(try await host.order(order.id, buyer).status == .placed)
          }
          #expect(try await host.orders.reconcile(.stripe) { _ in }.differences == 0)
          #expect(try await host.ledgerBalances())
        }
      }
    }
  }
}

/// Lines that a command prints.
final class Lines: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
