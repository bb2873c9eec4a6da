import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import MediaIndexService

/// A recording that is being paid for can be delivered.
@Suite(.serialized)
struct OrderedRecordingTests {
  @Test(arguments: TestDatabase.allCases)
  func aRecordingIsKeptFromTheOrderOn(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let audio = try await host.beat(1, by: users[0])
      let listing = try await host.listing(of: users[0], audio: audio)
      try await host.relayUses(from: CatalogAPI.self)
      let order = try await host.order(listing, users[1])
      _ = try await users[0].client.send(CatalogAPI.DeleteListing(id: listing.id))
      try await host.relayUses(from: CatalogAPI.self)
      // Held since the checkout, then referenced.
      #expect(try await host.delete(audio, by: users[0]) == "media-in-use")
      try await host.relayUses(from: OrdersAPI.self)
      #expect(try await host.delete(audio, by: users[0]) == "media-in-use")
      // An unpaid order gives no access.
      #expect(try await host.content(audio, by: users[1]).status == 404)
      _ = try await users[1].client.send(OrdersAPI.CancelOrder(id: order.id))
      try await host.relayUses(from: OrdersAPI.self)
      #expect(try await host.delete(audio, by: users[0]) == nil)
    }
  }

  @Test func aRecordingThatIsGoneIsNotOrdered() async throws {
    try await ItemHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let audio = try await host.beat(1, by: users[0])
      let listing = try await host.listing(of: users[0], audio: audio)
      // Its use has not been reported yet.
      host.test.time.advance(seconds: 3 * 86_400)
      #expect(try await host.delete(audio, by: users[0]) == nil)
      let refused = try await problem { _ = try await host.order(listing, users[1]) }
      #expect(refused?.code == "listing-not-for-sale")
      #expect(try await users[1].client.send(OrdersAPI.ListOrders()).items.isEmpty)
    }
  }
}

extension ItemHost {
  /// An order that is not paid.
  fileprivate func order(_ listing: Listing, _ buyer: TestUser) async throws -> Order {
    _ = try await buyer.client.send(OrdersAPI.AddCartItem(listingID: listing.id, license: .lease))
    let address = PostalAddress(
      name: ShortText(checked: "Ada Lovelace"), street: ShortText(checked: "12 St James Square"),
      city: ShortText(checked: "London"), postalCode: ShortText(checked: "SW1Y 4JH"), region: Region(checked: "GB"))
    return try await buyer.client.send(
      OrdersAPI.CheckOut(shippingAddress: address), idempotencyKey: UUID().uuidString)
  }
}
