import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// The stock that a buyer who does not pay can hold.
@Suite(.serialized)
struct UnpaidOrderTests {
  private static func begin(_ product: Product, _ buyer: TestUser, _ host: TestPlatform, _ token: String? = nil)
    async throws -> Order
  {
    try await host.add(product, to: buyer)
    return try await host.checkOut(buyer, token)
  }

  @Test(
    "A2: a buyer holds stock with a few unpaid orders, however often they check out", arguments: TestDatabase.allCases)
  func fewUnpaidOrders(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      let product = try await host.product(owner, stock: 10)
      var orders: [Order] = []
      for _ in 0..<UnpaidOrders.maxPending { orders.append(try await Self.begin(product, ada, host)) }
      try await host.add(product, to: ada)
      #expect(await refusal { _ = try await host.checkOut(ada) } == "too-many-unpaid-orders")
      #expect(try await host.stock(product, owner).reserved == UnpaidOrders.maxPending)
      // Paying one makes room for the next; the refused cart is kept.
      let first = try #require(orders.first)
      #expect(try await host.pay(first.id, ada).status == .placed)
      #expect(try await host.checkOut(ada).status == .placed)
    }
  }

  @Test("A2: orders that end unpaid count for a day")
  func endedOrdersCount() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      let product = try await host.product(owner, stock: 10)
      for _ in 0..<UnpaidOrders.maxPerDay {
        let order = try await Self.begin(product, ada, host)
        _ = try await ada.client.send(OrdersAPI.CancelOrder(id: order.id))
      }
      try await host.add(product, to: ada)
      #expect(await refusal { _ = try await host.checkOut(ada) } == "too-many-unpaid-orders")
      host.time.advance(seconds: 86_401)
      #expect(try await host.checkOut(ada).status == .placed)
    }
  }

  @Test("A2: paid orders do not count")
  func paidOrdersDoNotCount() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      let product = try await host.product(owner, stock: 20)
      for _ in 0...UnpaidOrders.maxPerDay {
        #expect(try await Self.begin(product, ada, host, "test_success").status == .placed)
      }
    }
  }

  @Test("A2: a repeated checkout gets its order, also when there is no room for another")
  func repetitionsAreAnswered() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      let product = try await host.product(owner, stock: 10)
      for _ in 1..<UnpaidOrders.maxPending { _ = try await Self.begin(product, ada, host) }
      try await host.add(product, to: ada)
      let last = try await host.checkOut(ada, nil, key: "last")
      #expect(try await host.checkOut(ada, nil, key: "last").id == last.id)
    }
  }
}
