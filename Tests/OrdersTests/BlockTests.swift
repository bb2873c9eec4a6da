import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// The reactions of orders to blocks that matching reports.
@Suite(.serialized)
struct BlockTests {
  private func block(_ blocker: TestUser, _ blocked: TestUser, _ host: TestPlatform, isBlocked: Bool = true)
    async throws
  {
    let event = BlockChanged(blocker: blocker.id, blocked: blocked.id, isBlocked: isBlocked)
    try await host.deliver(event, from: MatchingAPI.self, to: OrdersAPI.self)
  }

  private func offer(_ amount: Int64, _ buyer: TestUser, _ beat: ListingID) async throws -> Offer {
    try await buyer.client.send(
      OrdersAPI.MakeOffer(
        listingID: beat, license: .exclusive, amount: Price(checked: Money(amount, .usd)),
        message: Biography(validating: "Please.")
      ),
      idempotencyKey: UUID().uuidString
    )
  }

  @Test(arguments: [true, false])
  func noOffersAreMadeAcrossABlock(isSellerBlocker: Bool) async throws {
    try await TestPlatform.orders(settings: ["services.matching.url": "http://127.0.0.1:1"]) { host async throws in
      let (seller, buyer, other) = (try await host.person(), try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      let (blocker, blocked) = isSellerBlocker ? (seller, buyer) : (buyer, seller)
      try await block(blocker, blocked, host)
      for id in [beat.id, host.ids.make()] {
        #expect(await refusal { _ = try await offer(9000, buyer, id) } == "listing-not-for-sale")
      }
      #expect(try await seller.client.send(OrdersAPI.ListOffers()).items.isEmpty)
      #expect(try await offer(9000, other, beat.id).status == .pending)
      try await block(blocker, blocked, host, isBlocked: false)
      #expect(try await offer(9000, buyer, beat.id).status == .pending)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aBlockEndsThePendingOffersBetweenTheTwo(_ kind: TestDatabase) async throws {
    let settings = ["services.matching.url": "http://127.0.0.1:1"]
    try await TestPlatform.orders(settings: settings, database: kind) { host async throws in
      let (seller, buyer, other) = (try await host.person(), try await host.person(), try await host.person())
      let (sold, wanted) = (try await host.beat(seller), try await host.beat(buyer))
      let ended = [try await offer(9000, buyer, sold.id), try await offer(9000, seller, wanted.id)]
      let kept = try await offer(9000, other, sold.id)
      try await block(seller, buyer, host)
      for offer in ended {
        #expect(try await buyer.client.send(OrdersAPI.GetOffer(id: offer.id)).status == .declined)
        let answer = OrdersAPI.CounterOffer(id: offer.id, amount: Price(checked: Money(10_000, .usd)))
        let recipient = offer.sellerID == seller.id ? seller : buyer
        let code = await refusal {
          _ = try await recipient.client.send(answer, idempotencyKey: UUID().uuidString)
        }
        #expect(code == "offer-ended")
      }
      #expect(try await other.client.send(OrdersAPI.GetOffer(id: kept.id)).status == .pending)
      let events = try await host.recorded(RealtimeEvent.self, by: OrdersAPI.self).filter {
        $0.data["status"] == .string("declined")
      }
      #expect(Set(events.map(\.userID)) == [seller.id, buyer.id])
      #expect(events.count == 4)
      // Removing the block does not bring them back.
      try await block(seller, buyer, host, isBlocked: false)
      #expect(try await buyer.client.send(OrdersAPI.GetOffer(id: ended[0].id)).status == .declined)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func blocksAreExportedToTheirBlockerAndErased(_ kind: TestDatabase) async throws {
    let settings = ["services.matching.url": "http://127.0.0.1:1"]
    try await TestPlatform.orders(settings: settings, database: kind) { host async throws in
      let (ada, bob, eve) = (try await host.person(), try await host.person(), try await host.person())
      try await block(ada, bob, host)
      try await block(bob, ada, host)
      try await block(eve, bob, host)
      let (orders, database) = (try host.orders, try host.database(of: OrdersAPI.self))
      let export = try await orders.export(ada.id, from: database)
      #expect(export["blocks"]?.elements == [.string(bob.id.rawValue)])
      try await database.write { try orders.eraseAll(of: ada.id, in: $0) }
      let left = try await database.read { db in try db.values("SELECT blocker_id FROM blocks", as: UserID.self) }
      #expect(left == [eve.id])
    }
  }
}
