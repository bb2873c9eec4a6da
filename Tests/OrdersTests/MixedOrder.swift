import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit

@testable import OrdersService

/// A placed order of two sellers' leases and two units of a product, with tax and shipping.
struct MixedOrder: Sendable {
  let host: TestPlatform
  let owner: TestUser
  let buyer: TestUser
  let sellers: [TestUser]
  let product: Product
  let order: Order

  /// The product's line is 2; the first two are leases for 20.00 and 30.00, of which the sellers get 18.00 and 27.00.
  static func make(_ host: TestPlatform, token: String = "test_success", credit: Int64 = 0) async throws -> Self {
    let (owner, buyer) = (try await host.owner(), try await host.person())
    let sellers = try await host.people(2)
    _ = try await owner.client.send(
      OrdersAPI.PutPricingRules(
        tax: [TaxRule(rate: TaxRate(checked: 100_000))],
        shipping: [ShippingRule(base: Price(checked: Money(500, .usd)))])
    )
    let product = try await host.product(owner, price: 999, stock: 10, weight: 100)
    for (seller, price) in zip(sellers, [2000, 3000] as [Int64]) {
      try await host.add(host.beat(seller, exclusive: nil, lease: price), .lease, to: buyer)
    }
    try await host.add(product, 2, to: buyer)
    if credit > 0 {
      _ = try await owner.client.send(
        OrdersAPI.GrantCredit(
          user: buyer.id, amount: Price(checked: Money(credit, .usd)), reason: ShortText(checked: "sorry")),
        idempotencyKey: UUID().uuidString
      )
    }
    let order = try await buyer.client.send(
      OrdersAPI.CheckOut(
        shippingAddress: TestPlatform.address, payment: TestPlatform.card(token), useCredit: credit > 0),
      idempotencyKey: UUID().uuidString
    )
    return Self(host: host, owner: owner, buyer: buyer, sellers: sellers, product: product, order: order)
  }

  func refund(
    _ lines: [RefundedLine]? = nil, shipping: Int64? = nil, amount: Int64? = nil, toCredit: Bool? = nil,
    restock: Bool? = nil
  ) async throws -> Refund {
    try await owner.client.send(
      OrdersAPI.RefundOrder(
        id: order.id, lines: lines, shipping: shipping.map { Price(checked: Money($0, .usd)) },
        amount: amount.map { Money($0, .usd) }, toCredit: toCredit, restock: restock),
      idempotencyKey: UUID().uuidString
    )
  }

  static func line(_ position: Int, quantity: Int? = nil, amount: Int64? = nil) -> RefundedLine {
    RefundedLine(
      position: LinePosition(checked: position), quantity: quantity.map { Quantity(checked: $0) },
      amount: amount.map { Price(checked: Money($0, .usd)) }
    )
  }

  func now() async throws -> Order { try await host.order(order.id, buyer) }

  /// The earnings of the sellers.
  func earned() async throws -> [Int64] {
    var amounts: [Int64] = []
    for seller in sellers { amounts.append(try await balance(.earnings, of: seller)) }
    return amounts
  }

  func balance(_ kind: Balance.Kind, of person: TestUser) async throws -> Int64 {
    try await person.client.send(OrdersAPI.GetBalance()).items.first { $0.kind == kind }?.available.amount ?? 0
  }

  func licenses() async throws -> [License.Status] {
    try await buyer.client.send(OrdersAPI.ListLicenses()).items.sorted { $0.price.amount < $1.price.amount }
      .map(\.status)
  }

  func refunds() async throws -> [Refund] {
    try await buyer.client.send(OrdersAPI.ListOrderRefunds(id: order.id)).items
  }
}
