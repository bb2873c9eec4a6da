import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Requests that reach both instances of the shop at the same time.
@Suite(.serialized)
struct InstanceRaceTests {
  /// Sends the same request with the same key to both instances, each several times, as impatient clients do.
  private static func twice<Answer: Sendable>(
    _ pair: TwoInstances, by user: TestUser, _ send: @escaping @Sendable (TestUser) async throws -> Answer
  ) async throws -> [Answer] {
    try await concurrently(0..<6) { number in
      try await retryingUnavailable { try await send(pair.client(user, of: number)) }
    }
  }

  @Test("Two buyers on two instances buy one exclusive license: one order is placed, the other is refused")
  func exclusiveLicense() async throws {
    try await TwoInstances.run { pair async throws in
      let host = pair.one
      let seller = try await host.person()
      for round in 1...10 {
        let beat = try await host.beat(seller)
        let buyers = pair.clients(try await host.people(2))
        for buyer in buyers { try await host.add(beat, .exclusive, to: buyer) }
        let outcomes = try await concurrently(buyers) { buyer in
          try await problem {
            _ = try await retryingUnavailable { try await host.checkOut(buyer, key: buyer.id.rawValue) }
          }
        }
        let refusals = outcomes.compactMap { $0 }
        #expect(refusals.count == 1)
        // The sale removes the listing from the other cart, which may happen while that one is checked out.
        let expected: Set<String> = ["listing-not-for-sale", "cart-empty", "version-mismatch"]
        #expect(Set(refusals.map(\.code)).isSubset(of: expected), "\(refusals)")
        var licenses = 0
        for buyer in buyers { licenses += try await host.licenses(of: buyer).count { $0.status == .active } }
        #expect(licenses == 1)
        #expect(try await host.moneyKept() == 20_000 * round)
      }
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("One key of a checkout on two instances makes one order and takes one payment")
  func checkout() async throws {
    try await TwoInstances.run { pair async throws in
      let host = pair.one
      let owner = try await host.owner()
      let product = try await host.product(owner, stock: 5)
      let buyer = try await host.person()
      try await host.add(product, to: buyer)
      let orders = try await Self.twice(pair, by: buyer) { try await host.checkOut($0, key: "once") }
      #expect(Set(orders.map(\.id)).count == 1)
      #expect(Set(orders.map(\.total)) == [Money(2499, .usd)])
      #expect(try await buyer.client.send(OrdersAPI.ListOrders()).items.map(\.status) == [.placed])
      #expect(try await host.stock(product, owner).onHand == 4)
      #expect(try await host.moneyKept() == 2499)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("One key of a refund on two instances is one refund with one answer")
  func refund() async throws {
    try await TwoInstances.run { pair async throws in
      let mixed = try await MixedOrder.make(pair.one)
      let lines = [MixedOrder.line(0, amount: 1000)]
      let refunds = try await Self.twice(pair, by: mixed.owner) { staff in
        try await staff.client.send(
          OrdersAPI.RefundOrder(id: mixed.order.id, lines: lines), idempotencyKey: "once")
      }
      #expect(Set(refunds.map(\.id)).count == 1)
      #expect(try await mixed.refunds().map(\.amount) == [Money(1000, .usd)])
      #expect(try await pair.one.moneyKept() == 7248)
      #expect(try await pair.one.ledgerBalances())
    }
  }

  @Test("One key of a pay-out on two instances is one pay-out with one answer")
  func payout() async throws {
    try await TwoInstances.run { pair async throws in
      let seller = try await Seller.make(pair.one)
      let payouts = try await Self.twice(pair, by: seller.user) { user in
        try await Seller(host: pair.one, user: user).request(1500, key: "once")
      }
      #expect(Set(payouts.map(\.id)).count == 1)
      #expect(try await seller.user.client.send(OrdersAPI.ListPayouts()).items == [payouts[0]])
      let earnings = Balance(kind: .earnings, available: Money(300, .usd), held: Money(1500, .usd))
      #expect(try await seller.earnings() == earnings)
      #expect(try await pair.one.ledgerBalances())
    }
  }
}
