import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// The terms that a buyer was shown are those that are sold.
@Suite(.serialized)
struct CartTermsTests {
  /// Runs with a listing whose exclusive license is in a buyer's cart.
  private static func run(
    _ database: TestDatabase = .sqlite,
    _ body: (TestPlatform, _ seller: TestUser, _ buyer: TestUser, Listing) async throws -> Void
  ) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (seller, ada) = (try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      try await host.add(beat, .exclusive, to: ada)
      try await body(host, seller, ada, beat)
      #expect(try await host.ledgerBalances())
    }
  }

  private static func exclusive(
    _ price: Int64 = 20_000, files: [LicensedFile] = [.mp3, .wav], days: Int? = nil
  ) -> LicenseOption {
    LicenseOption(kind: .exclusive, price: Price(checked: Money(price, .usd)), files: files, days: days)
  }

  @Test("A6: terms that change under a cart are reported before the license is sold", arguments: TestDatabase.allCases)
  func changedTermsAreReported(_ database: TestDatabase) async throws {
    try await Self.run(database) { host, seller, ada, beat in
      let worse = Self.exclusive(files: [.mp3], days: 1)
      _ = try await seller.client.send(CatalogAPI.UpdateListing(id: beat.id, licenses: [worse]))
      let rejection = try await problem { _ = try await host.checkOut(ada) }
      let item = try #require(try await ada.client.send(OrdersAPI.GetCart()).items.first)
      #expect(rejection?.code == "cart-changed")
      #expect(rejection?.errors?.map(\.location) == ["items.\(item.id)"])
      #expect(try await ada.client.send(OrdersAPI.ListOrders()).items.isEmpty)
      // The buyer has been notified, and accepts the terms with a second checkout.
      #expect(try await host.checkOut(ada).status == .placed)
    }
  }

  @Test("A6: another recording under a cart is reported before the license is sold")
  func changedRecordingsAreReported() async throws {
    try await Self.run { host, seller, ada, beat in
      let other: MediaID = host.ids.make()
      _ = try await seller.client.send(CatalogAPI.UpdateListing(id: beat.id, audio: other))
      #expect(await refusal { _ = try await host.checkOut(ada) } == "cart-changed")
      #expect(try await host.checkOut(ada).status == .placed)
    }
  }

  @Test("A6: prices and terms that change together are reported together")
  func pricesAndTermsAreReportedTogether() async throws {
    try await Self.run { host, seller, ada, beat in
      _ = try await seller.client.send(
        CatalogAPI.UpdateListing(id: beat.id, licenses: [Self.exclusive(30_000, days: 30)]))
      let rejection = try await problem { _ = try await host.checkOut(ada) }
      #expect(rejection?.code == "cart-changed")
      #expect(rejection?.errors?.count == 2)
      #expect(try await host.checkOut(ada).total == Money(30_000, .usd))
    }
  }

  @Test("A6: a listing that changes otherwise is sold without a question")
  func otherChangesAreNotReported() async throws {
    try await Self.run { host, seller, ada, beat in
      let rename = CatalogAPI.UpdateListing(id: beat.id, name: ShortText(checked: "Day drive"))
      _ = try await seller.client.send(rename)
      #expect(try await host.checkOut(ada).status == .placed)
    }
  }

  @Test("A6: a price that changes alone is a changed price")
  func changedPricesStayPrices() async throws {
    try await Self.run { host, seller, ada, beat in
      _ = try await seller.client.send(CatalogAPI.UpdateListing(id: beat.id, licenses: [Self.exclusive(30_000)]))
      #expect(await refusal { _ = try await host.checkOut(ada) } == "price-changed")
      #expect(try await host.checkOut(ada).total == Money(30_000, .usd))
    }
  }

  @Test("A6: a license added again is taken with the terms of now")
  func addingAgainAcceptsTheTerms() async throws {
    try await Self.run { host, seller, ada, beat in
      _ = try await seller.client.send(CatalogAPI.UpdateListing(id: beat.id, licenses: [Self.exclusive(days: 30)]))
      try await host.add(beat, .exclusive, to: ada)
      #expect(try await host.checkOut(ada).status == .placed)
    }
  }
}
