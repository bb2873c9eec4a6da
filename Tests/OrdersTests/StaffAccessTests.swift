import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// The rights of staff in the orders of others.
@Suite(.serialized)
struct StaffAccessTests {
  private func actions(of user: TestUser, _ host: TestPlatform) async throws -> [String] {
    try await host.database(of: OrdersAPI.self).read { db in
      try db.values("SELECT action FROM audit WHERE actor = \("user:\(user.id)") ORDER BY id", as: String.self)
    }
  }

  @Test("S12: staff who read the orders of others leave entries", arguments: TestDatabase.allCases)
  func readsOfOrdersAreAudited(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let mixed = try await MixedOrder.make(host)
      let support = try await host.person([.support])
      let id = mixed.order.id
      // The buyer's own reads leave none.
      let before = try await actions(of: mixed.buyer, host)
      _ = try await mixed.buyer.client.send(OrdersAPI.GetOrder(id: id))
      _ = try await mixed.buyer.client.send(OrdersAPI.ListOrders())
      _ = try await mixed.buyer.client.send(OrdersAPI.GetReceipt(id: id))
      #expect(try await actions(of: mixed.buyer, host) == before)

      #expect(try await support.client.send(OrdersAPI.ListAllOrders()).items.map(\.id) == [id])
      #expect(try await support.client.send(OrdersAPI.GetOrder(id: id)).shippingAddress == TestPlatform.address)
      _ = try await support.client.send(OrdersAPI.GetReceipt(id: id))
      _ = try await support.client.send(OrdersAPI.ListOrderRefunds(id: id))
      #expect(
        try await actions(of: support, host) == ["orders.viewed", "order.viewed", "receipt.viewed", "refunds.viewed"])
      let trail = try await AuditTrail(host.database(of: OrdersAPI.self)).search(
        AuditFilter(action: "orders.viewed"), limit: 10, cursor: nil)
      #expect(trail.items.first?.changes == [AuditChange("viewed", from: nil, to: "order:\(id)")])
      // A stranger sees nothing and leaves nothing.
      let eve = try await host.person()
      #expect(await refusal { _ = try await eve.client.send(OrdersAPI.GetOrder(id: id)) } == "order-not-found")
      #expect(await refusal { _ = try await eve.client.send(OrdersAPI.GetReceipt(id: id)) } == "order-not-found")
      #expect(try await actions(of: eve, host).isEmpty)
    }
  }

  @Test("S22: support does not cancel paid orders, and so pays nothing back", arguments: TestDatabase.allCases)
  func supportDoesNotCancelOrders(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let mixed = try await MixedOrder.make(host)
      let support = try await host.person([.support])
      let cancel = OrdersAPI.CancelOrder(id: mixed.order.id)
      #expect(await refusal { _ = try await support.client.send(cancel) } == "forbidden")
      let refund = OrdersAPI.RefundOrder(id: mixed.order.id)
      #expect(await refusal { _ = try await support.client.send(refund, idempotencyKey: "r") } == "forbidden")
      #expect(try await mixed.now().refunded.amount == 0)
      #expect(try await mixed.now().status == .placed)
      // An administrator may.
      let admin = try await host.person([.administrator])
      #expect(try await admin.client.send(cancel).status == .canceled)
      #expect(try await mixed.now().refunded == mixed.order.total)
    }
  }

  @Test("S22: support cancels its own orders as every buyer does")
  func supportCancelsItsOwnOrders() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, support) = (try await host.owner(), try await host.person([.support]))
      try await host.add(host.product(owner, price: 1000), to: support)
      let order = try await host.checkOut(support)
      #expect(try await support.client.send(OrdersAPI.CancelOrder(id: order.id)).status == .canceled)
    }
  }
}
