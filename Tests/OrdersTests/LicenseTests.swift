import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Free licenses, the text of licenses, and what becomes of sales when a seller's account is deleted.
@Suite(.serialized)
struct LicenseTests {
  private static func free(_ kind: LicenseKind) -> LicenseOption {
    LicenseOption(kind: kind, price: Price(checked: Money(0, .usd)), files: [.taggedMP3])
  }

  @Test("A license with a price of 0 needs no payment", arguments: [LicenseKind.free, .lease])
  func freeLicenses(_ kind: LicenseKind) async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada) = (try await host.person(), try await host.person())
      let beat = try await seller.client.send(
        CatalogAPI.CreateListing(
          kind: .beat, name: ShortText(validating: "Night drive"), tags: [], audio: host.ids.make(),
          licenses: [Self.free(kind)], acceptsOffers: false))
      try await host.add(beat, kind, to: ada)
      let order = try await host.checkOut(ada, nil)
      #expect(order.status == .placed)
      #expect(order.paymentStatus == .paid)
      #expect(order.payment == nil)
      let license = try #require(try await host.licenses(of: ada).first)
      #expect(license.kind == kind)
      #expect(license.terms.contains("free of charge"))
      #expect(try await ada.client.send(OrdersAPI.GetDownload(id: license.id)).url.contains("file=taggedMP3"))
      #expect(try await ada.client.send(OrdersAPI.GetReceipt(id: order.id)).paidWith == "free")
      #expect(try await host.ledgerBalances())
    }
  }

  private static func text(_ terms: LicenseOption, price: Int64 = 1000, prior: Int = 0, until: Timestamp? = nil)
    -> String
  {
    LicenseContract.text(
      of: terms, title: "Night drive", listing: .example, seller: .example, holder: .example, order: .example,
      price: Money(price, .usd), priorLicenses: prior, until: until, at: Timestamp(microseconds: 0))
  }

  @Test func contractsSayWhatIsGranted() {
    var terms = LicenseOption(
      kind: .lease, price: Price(checked: Money(1000, .usd)), files: [.mp3, .wav], streams: 5000, copies: 1,
      territory: ShortText(checked: "Europe"), ownerShare: BasisPoints(checked: 3305))
    let lease = Self.text(terms)
    for words in [
      "License (lease) for “Night drive”", "for 10.00 USD.", "Territory: Europe. Term: unlimited.",
      "Audio streams: up to 5000. Copies: up to 1. Music videos: unlimited.", "Files: mp3, wav.",
      "the owner's share is 33.05%.", "This license is not exclusive.",
    ] { #expect(lease.contains(words), "\(words)") }
    terms.kind = .free
    #expect(Self.text(terms).contains("For noncommercial use only."))
    terms.kind = .exclusive
    #expect(Self.text(terms).hasSuffix("No further license will be granted."))
    #expect(Self.text(terms, prior: 1).hasSuffix("granted. 1 license granted earlier remains valid."))
    #expect(Self.text(terms, prior: 2).hasSuffix("granted. 2 licenses granted earlier remain valid."))
    terms.days = 1
    let end = Timestamp(microseconds: 86_400_000_000)
    let text = Self.text(terms, until: end)
    #expect(text.contains("Term: 1 day, until \(end)."))
    #expect(text.hasSuffix("No further license will be granted during the term."))
  }

  @Test("M18: a deleted seller leaves no id in sales and histories", arguments: TestDatabase.allCases)
  func deletedSellersLeaveNoID(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (seller, ada, bob) = (try await host.person(), try await host.person(), try await host.person())
      let beat = try await host.beat(seller, exclusive: nil)
      for buyer in [ada, bob] { try await host.add(beat, .lease, to: buyer) }
      let sold = try await host.checkOut(ada)
      let open = try await host.checkOut(bob, "test_later")
      let (orders, store) = (try host.orders, try host.database(of: OrdersAPI.self))
      try await store.write { tx in try orders.eraseAll(of: seller.id, in: tx) }
      let traces = try await store.read { db in
        try db.count("SELECT COUNT(*) FROM order_lines WHERE seller_id = \(seller.id)")
          + db.count("SELECT COUNT(*) FROM order_changes WHERE actor = \("user:\(seller.id)")")
          + db.count("SELECT COUNT(*) FROM licenses WHERE seller_id = \(seller.id)")
      }
      #expect(traces == 0)
      #expect(try await host.order(sold.id, ada).status == .placed)
      #expect(try await host.licenses(of: ada).map(\.status) == [.active])
      // A license cannot be granted without its seller: the payment in flight is refunded.
      try await host.succeed(open)
      #expect(try await host.order(open.id, bob).status == .canceled)
      #expect(try await host.refunds(of: open).map(\.amount) == [open.total])
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M23: a tracking number with the form of a card number is stored, one in free text is refused")
  func trackingNumbers() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      try await host.add(try await host.product(owner), to: ada)
      let order = try await host.checkOut(ada)
      _ = try await owner.client.send(OrdersAPI.UpdateOrder(id: order.id, status: .processed))
      let number = ShortText(checked: "4111111111111111")
      let noted = OrdersAPI.UpdateOrder(
        id: order.id, status: .shipped, carrier: ShortText(checked: "Post"), tracking: number, reason: number)
      #expect(await refusal { _ = try await owner.client.send(noted) } == "invalid-request")
      let shipped = try await owner.client.send(
        OrdersAPI.UpdateOrder(id: order.id, status: .shipped, carrier: ShortText(checked: "Post"), tracking: number))
      #expect(shipped.tracking == number.rawValue)
    }
  }

  @Test func quantitiesOfCartItemsChange() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, seller, ada) = (try await host.owner(), try await host.person(), try await host.person())
      try await host.add(try await host.product(owner), to: ada)
      let cart = try await ada.client.send(OrdersAPI.GetCart())
      let item = try #require(cart.items.first)
      func set(_ item: CartItemID, _ quantity: Int, _ version: Int? = nil) -> OrdersAPI.UpdateCartItem {
        .init(id: item, ifMatch: version.map { EntityTag(version: $0) }, quantity: Quantity(checked: quantity))
      }
      let changed = try await ada.client.send(set(item.id, 4, cart.version))
      #expect(changed.items.map(\.quantity) == [4])
      #expect(changed.version == cart.version + 1)
      #expect(await refusal { _ = try await ada.client.send(set(item.id, 5, cart.version)) } == "version-mismatch")
      #expect(await refusal { _ = try await ada.client.send(set(host.ids.make(), 5)) } == "cart-item-not-found")
      try await host.add(try await host.beat(seller), .lease, to: ada)
      let license = try #require(try await ada.client.send(OrdersAPI.GetCart()).items.last)
      #expect(await refusal { _ = try await ada.client.send(set(license.id, 2)) } == "invalid-request")
      #expect(try await host.checkOut(ada).lines.map(\.quantity) == [4, 1])
    }
  }
}
