import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Lines are fulfilled and canceled one by one.
@Suite(.serialized)
struct FulfillmentTests {
  private func cancel(_ mixed: MixedOrder, _ lines: [Int]? = nil, by person: TestUser? = nil) async throws -> Order {
    try await (person ?? mixed.buyer).client.send(
      OrdersAPI.CancelOrder(id: mixed.order.id, lines: lines?.map { LinePosition(checked: $0) }))
  }

  private func move(_ mixed: MixedOrder, _ status: FulfillmentStatus, _ lines: [Int]? = nil) async throws -> Order {
    try await mixed.owner.client.send(
      OrdersAPI.UpdateOrder(
        id: mixed.order.id, status: status, lines: lines?.map { LinePosition(checked: $0) },
        carrier: ShortText(checked: "Post"), tracking: ShortText(checked: "X1")))
  }

  @Test("M8: the buyer cancels goods, and granted licenses stay", arguments: TestDatabase.allCases)
  func licensesStay(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let mixed = try await MixedOrder.make(host)
      #expect(mixed.order.fulfillmentStatus == .processing)
      #expect(mixed.order.lines.map(\.fulfillmentStatus) == [.delivered, .delivered, .processing])
      let order = try await cancel(mixed)
      #expect(order.status == .placed)
      #expect(order.fulfillmentStatus == .delivered)
      #expect(order.lines.map(\.fulfillmentStatus) == [.delivered, .delivered, .canceled])
      // The product and shipping, with their taxes.
      #expect(order.refunded == Money(2198 + 550, .usd))
      #expect(try await mixed.licenses() == [.active, .active])
      #expect(try await mixed.earned() == [1800, 2700])
      #expect(try await host.stock(mixed.product, mixed.owner).onHand == 10)
      #expect(await refusal { _ = try await cancel(mixed) } == "invalid-transition")
      #expect(await refusal { _ = try await cancel(mixed, [0]) } == "invalid-transition")
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M8: what has shipped is not canceled")
  func shippedGoodsStay() async throws {
    try await TestPlatform.orders { host async throws in
      let mixed = try await MixedOrder.make(host)
      _ = try await move(mixed, .processed)
      #expect(try await move(mixed, .shipped).lines[2].fulfillmentStatus == .shipped)
      #expect(await refusal { _ = try await cancel(mixed) } == "invalid-transition")
      #expect(await refusal { _ = try await move(mixed, .delivered, [0, 2]) } == nil)
      #expect(try await mixed.now().fulfillmentStatus == .delivered)
      #expect(await refusal { _ = try await move(mixed, .delivered, [7]) } == "line-not-found")
      #expect(try await mixed.now().refunded.amount == 0)
    }
  }

  @Test("M8: staff take back everything")
  func staffTakeBackEverything() async throws {
    try await TestPlatform.orders { host async throws in
      let mixed = try await MixedOrder.make(host)
      let order = try await cancel(mixed, by: mixed.owner)
      #expect(order.status == .canceled)
      #expect(order.fulfillmentStatus == .canceled)
      #expect(order.paymentStatus == .refunded)
      #expect(order.refunded == order.total)
      #expect(try await mixed.licenses() == [.revoked, .revoked])
      #expect(try await mixed.earned() == [0, 0])
      #expect(try await host.stock(mixed.product, mixed.owner).onHand == 10)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M8: one of two products is canceled, and shipping stays paid")
  func oneProductIsCanceled() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      let products = try await [host.product(owner, price: 1000), host.product(owner, price: 300)]
      for product in products { try await host.add(product, 2, to: ada) }
      let order = try await host.checkOut(ada)
      let position = try #require(order.lines.first { $0.productID == products[0].id }).position
      let canceled = try await ada.client.send(
        OrdersAPI.CancelOrder(id: order.id, lines: [LinePosition(checked: position)]))
      #expect(canceled.status == .placed)
      #expect(canceled.fulfillmentStatus == .processing)
      #expect(canceled.refunded == Money(2000, .usd))
      #expect(try await host.stock(products[0], owner).onHand == 10)
      #expect(try await host.stock(products[1], owner).onHand == 8)
      let rest = try await ada.client.send(OrdersAPI.CancelOrder(id: order.id))
      #expect(rest.status == .canceled)
      #expect(rest.refunded == rest.total)
      #expect(try await host.stock(products[1], owner).onHand == 10)
      #expect(try await host.ledgerBalances())
    }
  }

  /// Catalog may get the calls of two cancellations in any order, and more than once.
  @Test func reservationsOnlyShrink() async throws {
    try await TestPlatform.orders { host async throws in
      let mixed = try await MixedOrder.make(host)
      let reference = ProductReference(productID: mixed.product.id, variantID: nil)
      for (kept, onHand) in [(1, 9), (2, 9), (1, 9), (0, 10)] {
        let lines = Quantity(kept).map { [StockLine(product: reference, quantity: $0)] } ?? []
        _ = try await host.orders.core.catalog.catalog.send(
          CatalogAPI.ReduceReservation(id: ReservationID(trusted: mixed.order.id.rawValue), lines: lines))
        #expect(try await host.stock(mixed.product, mixed.owner).onHand == onHand)
      }
    }
  }
}
