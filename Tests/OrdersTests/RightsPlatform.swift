import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// Helpers for tests of rights and prices.
extension TestPlatform {
  /// The provider reports that the last payment of an order has succeeded.
  func succeed(_ order: Order) async throws {
    let core = try orders.core
    let id = try #require(order.payment?.id)
    try await core.database.write { tx in
      let payment = try #require(try core.payments.find(id, in: tx))
      try core.transitions.paid(payment, .succeeded(reference: TestProvider.reference(of: id)), in: tx)
      try core.queue.schedule(order.id, in: tx)
    }
    try await core.workflow.advance(order.id)
  }

  func pay(_ order: OrderID, _ buyer: TestUser, region: Region? = nil, token: String = "test_success") async throws
    -> Order
  {
    try await buyer.client.send(
      OrdersAPI.PayOrder(id: order, body: Self.card(token), region: region), idempotencyKey: UUID().uuidString)
  }

  func refunds(of order: Order) async throws -> [StoredRefund] {
    try await orders.core.database.read { try RefundStore.list(of: order.id, in: $0) }
  }

  func offer(_ amount: Int64, _ buyer: TestUser, _ beat: Listing, _ license: LicenseKind) async throws -> Offer {
    try await buyer.client.send(
      OrdersAPI.MakeOffer(listingID: beat.id, license: license, amount: Price(checked: Money(amount, .usd))),
      idempotencyKey: UUID().uuidString)
  }

  func accept(_ offer: Offer, _ person: TestUser) async throws -> OrderID {
    let accepted = try await person.client.send(
      OrdersAPI.AcceptOffer(id: offer.id), idempotencyKey: offer.id.rawValue)
    return try #require(accepted.orderID)
  }

  func auction(_ beat: Listing, _ seller: TestUser, buyNow: Int64? = nil, seconds: Double = 3600) async throws
    -> Auction
  {
    try await seller.client.send(
      OrdersAPI.CreateAuction(
        listingID: beat.id, startPrice: Price(checked: Money(1000, .usd)),
        buyNow: buyNow.map { Price(checked: Money($0, .usd)) },
        closesAt: time.source.now().advanced(bySeconds: seconds)))
  }

  func bid(_ amount: Int64, _ bidder: TestUser, _ auction: Auction) async throws -> BidReceipt {
    try await bidder.client.send(
      OrdersAPI.PlaceBid(id: auction.id, maxAmount: Price(checked: Money(amount, .usd))),
      idempotencyKey: UUID().uuidString)
  }

  func licenses(of holder: TestUser) async throws -> [License] {
    try await holder.client.send(OrdersAPI.ListLicenses()).items
  }
}
