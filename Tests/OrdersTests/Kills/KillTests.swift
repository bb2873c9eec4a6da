import Contracts
import Foundation
import TestKit
import Testing

@testable import OrdersService

/// Orders or catalog is killed at every step of a sale, before and after the other party's commit. Afterwards money,
/// stock, licenses and the providers' own books agree.
///
/// What is killed between its own commit and the next step is killed before that step: each step follows from the commit
/// before it.
@Suite struct KillTests {
  /// The rounds on each database: every case once, or as many as the environment asks for.
  private static let rounds =
    (ProcessInfo.processInfo.environment["QUINTET_KILL_ROUNDS"].flatMap { Int($0) } ?? 0) / TestDatabase.allCases.count

  @Test(arguments: TestDatabase.allCases)
  func booksAgreeWhereverServicesAreKilled(_ database: TestDatabase) async throws {
    var generator = SeededGenerator()
    let seed = "\(generator)"
    let rounds = KillCase.rounds(Self.rounds, &generator)
    try await KillShop.run(database) { shop async throws in
      var cases: [OrderID: KillCase] = [:]
      for (number, kill) in rounds.enumerated() {
        do { cases[try await shop.play(kill)] = kill } catch {
          Issue.record("\(kill) (round \(number), \(seed)): \(error)")
          // The remains of a case would be blamed on the next ones.
          return
        }
      }
      // Stripe sends everything once more.
      try await shop.deliverStripe()
      try await shop.settle()
      let books = try await shop.books()
      for order in books.orders {
        let kill = try #require(cases[OrderID(trusted: order.id)], "an order of no case: \(order), \(seed)")
        let end = kill.step.end
        #expect(order.status == end.status.rawValue, "\(kill), \(seed)")
        #expect(order.payment == end.payment.rawValue, "\(kill), \(seed)")
        #expect(order.stock == end.stock.rawValue, "\(kill), \(seed)")
      }
      #expect(books.orders.count == rounds.count, "\(seed)")
      let found = books.contradictions(initial: shop.goods.initial) { order in
        cases[OrderID(trusted: order)].map { "\($0) (\(order))" } ?? order
      }
      #expect(found == [], "\(seed)")
    }
  }

  @Test func theTableNamesEveryStepOnce() {
    #expect(KillCase.table.count == KillStep.allCases.count * 4)
    #expect(Set(KillCase.table.map(\.description)).count == KillCase.table.count)
    var generator = SeededGenerator()
    #expect(Set(KillCase.rounds(1, &generator).map(\.description)).count == KillCase.table.count)
    #expect(KillCase.rounds(500, &generator).count == 500)
  }

  // MARK: the check itself

  private static func books(of shop: StripeShop) async throws -> KillBooks {
    try await KillBooks(
      orders: shop.core.database, catalog: shop.host.database(of: CatalogAPI.self),
      provider: ProviderBooks.of(shop.stripe))
  }

  /// A sale whose books agree, and one that is canceled and given back.
  private static func run(_ body: (StripeShop, _ placed: Order, _ initial: [String: Int64]) async throws -> Void)
    async throws
  {
    try await StripeShop.run { shop async throws in
      let placed = try await shop.checkOut(shop.host.person(), "visa")
      let canceled = try await shop.checkOut(shop.host.person(), "visa")
      _ = try await shop.owner.client.send(OrdersAPI.CancelOrder(id: canceled.id))
      try await shop.settle()
      let initial = [shop.product.id.rawValue: Int64(10_000)]
      #expect(try await books(of: shop).contradictions(initial: initial) == [])
      try await body(shop, placed, initial)
    }
  }

  @Test func theCheckFindsADoubleCharge() async throws {
    try await Self.run { shop, placed, initial async throws in
      let payment = try #require(placed.payment?.id)
      try await shop.stripe.post(
        "/v1/payment_intents",
        "amount=2499&currency=usd&payment_method=pm_card_visa&confirm=true&payment_method_types[]=card"
          + "&metadata[payment]=\(payment)")
      let found = try await Self.books(of: shop).contradictions(initial: initial)
      #expect(found.contains("\(placed.id): charged 2 times"))
      #expect(found.contains("\(placed.id): charged 4998, booked 2499"))
    }
  }

  @Test func theCheckFindsARefundThatIsNotBooked() async throws {
    try await Self.run { shop, placed, initial async throws in
      let intent = try await shop.intent(of: placed)
      try await shop.stripe.post("/v1/refunds", "payment_intent=\(intent)&amount=499")
      let found = try await Self.books(of: shop).contradictions(initial: initial)
      #expect(found.contains("\(placed.id): returned 499, booked 0"))
    }
  }

  @Test func theCheckFindsWhatIsMissing() async throws {
    try await Self.run { shop, placed, initial async throws in
      let right = try await Self.books(of: shop)
      let refund = try #require(right.provider.returns.first)
      let canceled = try #require(right.payments[refund.payment])
      // The provider has not made a refund that the ledger has.
      var wrong = right
      wrong.provider.returns = []
      #expect(
        wrong.contradictions(initial: initial) == [
          "\(canceled): charged 2499, returned 0, due 0", "\(canceled): returned 0, booked 2499",
        ])
      // A product is sold that has not left the stock.
      let product = shop.product.id.rawValue
      wrong = right
      wrong.stock[product] = KillBooks.Stock(onHand: 10_000, reserved: 0)
      #expect(wrong.contradictions(initial: initial).count == 1)
      wrong.stock[product] = KillBooks.Stock(onHand: 9999, reserved: 1)
      #expect(wrong.contradictions(initial: initial).count == 1)
      // A license is granted without a sale.
      wrong = right
      wrong.orders[0].licenses += 1
      #expect(wrong.contradictions(initial: initial) == ["\(right.orders[0].id): 1 licenses instead of 0"])
      // An order has not come to its end.
      wrong = right
      wrong.orders[0].stock = "held"
      #expect(wrong.contradictions(initial: initial) == ["\(right.orders[0].id): not final: placed, stock held"])
      #expect(right.orders.map(\.id) == [placed.id.rawValue, canceled])
    }
  }
}
