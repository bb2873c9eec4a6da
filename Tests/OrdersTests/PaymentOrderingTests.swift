import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// The fates of one payment, in every order: it ends with one order and one charge, or with neither and the money back.
@Suite(.serialized)
struct PaymentOrderingTests {
  private enum Step: String, CaseIterable, Sendable {
    /// A request asks Stripe to confirm the payment, and continues with the order.
    case confirm
    case notification
    /// Every notification so far, twice.
    case doubledNotification
    /// Stripe charges, and the process ends before it stores the response.
    case crashBeforeCommit
    /// The response is stored, and the process ends.
    case crashAfterCommit
    case expiry
  }

  private static let orderings = permutations(Step.allCases)

  private static func permutations(_ steps: [Step]) -> [[Step]] {
    guard !steps.isEmpty else { return [[]] }
    return steps.flatMap { first in permutations(steps.filter { $0 != first }).map { [first] + $0 } }
  }

  @Test(arguments: TestDatabase.allCases)
  func everyOrderingEndsWithOneOrderAndOneChargeOrWithTheMoneyBack(_ database: TestDatabase) async throws {
    #expect(Self.orderings.count == 720)
    try await StripeShop.run(database) { shop async throws in
      var (placed, refunded) = (0, 0)
      // The steps are the same on both databases: the second runs a quarter of the orders, for its transactions.
      for number in Self.orderings.indices where database == .sqlite || number % 4 == 0 {
        let ordering = Self.orderings[number]
        let steps = ordering.map(\.rawValue).joined(separator: ", ")
        let before = try await shop.books()
        let (order, buyer) = try await Self.run(ordering, in: shop)
        let after = try await shop.books()
        let (charged, returned) = (after.charges - before.charges, after.refunds - before.refunds)
        #expect(after.count - before.count <= 1, "\(steps)")
        let ended = try await shop.host.order(order, buyer)
        switch ended.status {
        case .placed:
          #expect(charged == ended.total.amount, "\(steps)")
          #expect(returned == 0, "\(steps)")
          placed += 1
        case .expired:
          #expect(charged == returned, "\(steps)")
          refunded += charged > 0 ? 1 : 0
        case .pendingPayment, .canceled: Issue.record("\(ended.status): \(steps)")
        }
        #expect(try await buyer.client.send(OrdersAPI.ListOrders()).items.count == 1)
      }
      // Both ends are reached.
      #expect(placed > 0)
      #expect(refunded > 0)
      let level = try await shop.host.stock(shop.product, shop.owner)
      #expect(level.onHand == 10_000 - placed)
      #expect(level.reserved == 0)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  /// Makes an order with a payment that Stripe has not heard of, takes the steps, and lets everything come to its end.
  private static func run(_ ordering: [Step], in shop: StripeShop) async throws -> (order: OrderID, buyer: TestUser) {
    let buyer = try await shop.host.person()
    try await shop.host.add(shop.product, to: buyer)
    let order = try await shop.host.checkOut(buyer, nil)
    let core = try shop.core
    let payment = StoredPayment(
      id: core.ids.make(), orderID: order.id, provider: .stripe, amount: Money(order.total.amount, .usd))
    try await core.database.write { tx in
      try core.payments.insert(payment, token: StripeShop.token("visa"), in: tx)
      try core.queue.schedule(order.id, in: tx)
    }
    for step in ordering { try await take(step, payment, of: buyer, in: shop) }
    try await shop.settle()
    return (order.id, buyer)
  }

  private static func take(_ step: Step, _ payment: StoredPayment, of buyer: TestUser, in shop: StripeShop) async throws
  {
    let core = try shop.core
    let stripe = try core.providers[.stripe]
    let request = PaymentRequest(
      id: payment.id, user: buyer.id, amount: payment.amount, token: StripeShop.token("visa"))
    switch step {
    case .confirm: try await core.workflow.advance(payment.orderID)
    case .notification: try await notify(payment, times: 1, in: shop)
    case .doubledNotification: try await notify(payment, times: 2, in: shop)
    case .crashBeforeCommit: _ = try await stripe.pay(request)
    case .crashAfterCommit:
      let outcome = try await stripe.pay(request)
      try await core.database.write { tx in try core.transitions.paid(payment, outcome, in: tx) }
    case .expiry:
      shop.host.time.advance(seconds: 17 * 60)
      try await shop.host.orders.runOnce()
    }
  }

  /// Sends Stripe's events about a payment, with the ids under which the stand-in delivers them once more at the end.
  private static func notify(_ payment: StoredPayment, times: Int, in shop: StripeShop) async throws {
    let events = try await shop.stripe.get("/v1/events?limit=20")["data"]?.elements ?? []
    for event in events.reversed() {
      guard event["data"]?["object"]?["metadata"]?["payment"]?.string == payment.id.rawValue else { continue }
      let text = String(decoding: try WireJSON.encode(event), as: UTF8.self)
      for _ in 0..<times { #expect(try await shop.notify(text) == 200) }
    }
  }

  // MARK: an hour without a database

  /// Buyers pay with Stripe while this service cannot store anything.
  @Test func purchasesReportedDuringAnHourWithoutADatabaseAreKept() async throws {
    try await StripeShop.run(.postgresql, settings: ["orders.payMinutes": "300"]) { shop async throws in
      var purchases: [(order: Order, buyer: TestUser)] = []
      for _ in 0..<8 {
        let buyer = try await shop.host.person()
        purchases.append((try await shop.checkOut(buyer), buyer))
      }
      var intents: [String] = []
      for purchase in purchases { intents.append(try await shop.intent(of: purchase.order)) }
      let found = try await shop.core.database.read { db in try db.value("SELECT current_database()", as: String.self) }
      let name = try #require(found)
      try await allow(false, on: name)
      for (round, intent) in intents.enumerated() {
        try await shop.stripe.post("/v1/payment_intents/\(intent)/confirm", "payment_method=pm_card_visa")
        let answers = try await shop.stripe.deliverEvents(to: shop.host, types: ["payment_intent.succeeded"])
        #expect(answers.contains { $0.status == 503 }, "\(round)")
        #expect(answers.allSatisfy { $0.status == 503 }, "\(round)")
        shop.host.time.advance(seconds: 450)
      }
      try await allow(true, on: name)
      // The provider's next attempts.
      shop.host.time.advance(seconds: 2 * 3600)
      try await eventually("the database is reached again") {
        (try? await shop.core.database.read { try $0.exists("SELECT 1 FROM orders") }) == true
      }
      try await shop.stripe.deliverEvents(to: shop.host)
      try await shop.settle()
      for purchase in purchases {
        #expect(try await shop.host.order(purchase.order.id, purchase.buyer).status == .placed)
      }
      let books = try await shop.books()
      #expect(books.count == 8)
      #expect(books.refunds == 0)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  /// Lets connections to a database in, or ends them and refuses new ones.
  private func allow(_ allows: Bool, on database: String) async throws {
    let url = try TestDatabase.postgresURL()
    try await Command.run(["psql", "-q", url, "-c", "ALTER DATABASE \(database) ALLOW_CONNECTIONS \(allows)"])
    guard !allows else { return }
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)'"
    try await Command.run(["psql", "-q", url, "-c", end])
  }
}
