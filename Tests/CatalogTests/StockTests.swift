import CatalogService
import Contracts
import ServiceKit
import TestKit
import Testing

/// Stock reservations: never oversold, in any order, with any number of repetitions.
@Suite(.serialized)
struct StockTests {
  private func line(_ product: Product, _ quantity: Int = 1, variant: VariantID? = nil) -> StockLine {
    StockLine(
      product: ProductReference(productID: product.id, variantID: variant),
      quantity: Quantity(checked: quantity)
    )
  }

  private func reserve(_ lines: [StockLine], _ host: TestPlatform, id: ReservationID? = nil, seconds: Double = 900)
    async throws -> ReservationID
  {
    let id = id ?? host.ids.make()
    let expiresAt = host.time.source.now().advanced(bySeconds: seconds)
    let reservation = try await host.orders.send(
      CatalogAPI.ReserveStock(id: id, lines: lines, expiresAt: expiresAt)
    )
    #expect(reservation.status == .held)
    return id
  }

  /// The code of the problem that a commit fails with; `nil` on success.
  private func refusal(of id: ReservationID, _ host: TestPlatform) async throws -> String? {
    try await problem {
      let reservation = try await host.orders.send(CatalogAPI.CommitReservation(id: id))
      #expect(reservation.status == .committed)
    }?.code
  }

  private func release(_ id: ReservationID, _ host: TestPlatform) async throws {
    _ = try await host.orders.send(CatalogAPI.ReleaseReservation(id: id))
  }

  private func level(_ product: Product, _ owner: TestUser) async throws -> [Int] {
    let level = try await owner.client.send(CatalogAPI.GetStock(id: product.id))
    return [level.onHand, level.reserved]
  }

  @Test(arguments: TestDatabase.allCases)
  func theLastOneIsKeptForOne(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let owner = try await host.user("boss", as: .owner)
      let (one, many) = (
        try await host.product(of: owner, "Last", onHand: 1), try await host.product(of: owner, "Plenty", onHand: 500)
      )
      let answers = try await concurrently(0..<200) { index in
        // Half of them also reserve a product with ample stock: an order is reserved as a whole or not at all.
        let lines = index.isMultiple(of: 2) ? [line(one)] : [line(many), line(one)]
        return (index, try await problem { _ = try await reserve(lines, host) })
      }
      let winners = answers.filter { $0.1 == nil }.map(\.0)
      #expect(winners.count == 1)
      #expect(Set(answers.compactMap { $0.1?.code }) == ["insufficient-stock"])
      #expect(try await level(one, owner) == [1, 1])
      let winner = try #require(winners.first)
      #expect(try await level(many, owner)[1] == (winner.isMultiple(of: 2) ? 0 : 1))
      let seen = try await host.client.send(CatalogAPI.GetProduct(id: one.id))
      #expect(seen.available == 0)
      #expect(seen.availability == .outOfStock)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func eachStepCountsOnce(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let owner = try await host.user("boss", as: .owner)
      let bow = try await host.product(of: owner, onHand: 5)
      let first = try await reserve([line(bow, 2), line(bow, 1)], host)
      _ = try await reserve([line(bow, 2), line(bow, 1)], host, id: first)
      #expect(try await level(bow, owner) == [5, 3])
      for _ in 0..<2 { #expect(try await refusal(of: first, host) == nil) }
      #expect(try await level(bow, owner) == [2, 0])
      // A reservation is released once and cannot be used again.
      for _ in 0..<2 { try await release(first, host) }
      #expect(try await level(bow, owner) == [5, 0])
      #expect(try await refusal(of: first, host) == "reservation-ended")
      #expect(try await problem { _ = try await reserve([line(bow)], host, id: first) }?.code == "reservation-ended")

      let second = try await reserve([line(bow, 5)], host)
      try await release(second, host)
      #expect(try await level(bow, owner) == [5, 0])

      // The release arrives before the reservation.
      let late: ReservationID = host.ids.make()
      try await release(late, host)
      #expect(try await problem { _ = try await reserve([line(bow)], host, id: late) }?.code == "reservation-ended")
      #expect(try await refusal(of: host.ids.make(), host) == "reservation-ended")
      #expect(try await level(bow, owner) == [5, 0])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whatIsNotPaidForIsFreed(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let owner = try await host.user("boss", as: .owner)
      let bow = try await host.product(of: owner, onHand: 1)
      let slow = try await reserve([line(bow)], host, seconds: 60)
      #expect(try await problem { _ = try await reserve([line(bow)], host) }?.code == "insufficient-stock")
      host.time.advance(seconds: 61)
      // No job has released the expired reservation yet, but its stock is available.
      let quick = try await reserve([line(bow)], host, seconds: 60)
      #expect(try await refusal(of: slow, host) == "insufficient-stock")
      #expect(try await level(bow, owner) == [1, 1])

      host.time.advance(seconds: 61)
      try await host.catalog.runOnce()
      #expect(try await level(bow, owner) == [1, 0])
      // Paid too late, but the stock is still available.
      #expect(try await refusal(of: slow, host) == nil)
      #expect(try await level(bow, owner) == [0, 0])
      #expect(try await refusal(of: quick, host) == "insufficient-stock")
      try await release(quick, host)
      #expect(try await refusal(of: quick, host) == "reservation-ended")
      try await release(slow, host)
      #expect(try await level(bow, owner) == [1, 0])
    }
  }

  /// The order of a refused reservation has ended; an earlier attempt to reserve, which was held up, takes nothing.
  @Test(arguments: TestDatabase.allCases)
  func whatWasRefusedIsNotReservedLater(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let owner = try await host.user("boss", as: .owner)
      let (rare, plenty) = (
        try await host.product(of: owner, "Rare", onHand: 1), try await host.product(of: owner, "Plenty", onHand: 5)
      )
      let winner = try await reserve([line(rare)], host)
      let loser: ReservationID = host.ids.make()
      func attempt() async throws -> String? {
        try await problem { _ = try await reserve([line(plenty), line(rare)], host, id: loser) }?.code
      }
      #expect(try await attempt() == "insufficient-stock")
      #expect(try await level(plenty, owner) == [5, 0])
      try await release(winner, host)
      #expect(try await attempt() == "reservation-ended")
      #expect(try await refusal(of: loser, host) == "reservation-ended")
      #expect(try await level(plenty, owner) == [5, 0])
      #expect(try await level(rare, owner) == [1, 0])
    }
  }

  @Test func aReservationThatComesTooLateKeepsNothing() async throws {
    try await TestPlatform.catalog { host async throws in
      let owner = try await host.user("boss", as: .owner)
      let (one, two) = (
        try await host.product(of: owner, "One", onHand: 3), try await host.product(of: owner, "Two", onHand: 0)
      )
      for lines in [[line(one)], [line(one), line(two)]] {
        let problem = try await problem { _ = try await reserve(lines, host, seconds: -1) }
        #expect(problem?.code == "reservation-ended")
      }
      try await host.catalog.runOnce()
      #expect(try await level(one, owner) == [3, 0])
    }
  }

  @Test func onlyWhatIsSoldIsKept() async throws {
    try await TestPlatform.catalog { host async throws in
      let owner = try await host.user("boss", as: .owner)
      let bow = try await host.product(of: owner, sku: "BOW-1", onHand: 3)
      let shirt = try await host.product(
        of: owner,
        "Shirt",
        variants: [
          VariantForm(name: ShortText(validating: "S"), onHand: StockCount(2)),
          VariantForm(name: ShortText(validating: "L"), price: TestPlatform.price(1500), onHand: StockCount(1)),
        ]
      )
      let large = try #require(shirt.variants.first { $0.name.rawValue == "L" }?.id)
      let asked = [
        ProductReference(productID: bow.id), ProductReference(productID: bow.id, variantID: large),
        ProductReference(productID: shirt.id), ProductReference(productID: shirt.id, variantID: large),
        ProductReference(productID: host.ids.make()),
      ]
      let items = try await host.orders.send(CatalogAPI.GetSaleItems(products: asked, listings: []))
      #expect(Set(items.products.map(\.product)) == [asked[0], asked[3]])
      let sold = try #require(items.products.first { $0.product == asked[3] })
      #expect(sold.price.amount == 1500)
      #expect(sold.available == 1)
      #expect(sold.taxClass == "standard")
      for reference in [asked[1], asked[2], asked[4]] {
        let wrong = StockLine(product: reference, quantity: Quantity(checked: 1))
        #expect(try await problem { _ = try await reserve([line(bow), wrong], host) }?.code == "product-not-found")
      }
      #expect(try await level(bow, owner) == [3, 0])

      let kept = try await reserve([line(bow, 2), line(shirt, variant: large)], host)
      let small = try await problem {
        _ = try await owner.client.send(CatalogAPI.PutStock(id: bow.id, onHand: StockCount(checked: 1)))
      }
      #expect(small?.code == "stock-reserved")
      _ = try await owner.client.send(CatalogAPI.DeleteProduct(id: bow.id))
      // An existing reservation can be committed; a new one is refused.
      #expect(try await problem { _ = try await reserve([line(bow)], host) }?.code == "product-not-found")
      #expect(try await refusal(of: kept, host) == nil)
      let left = try await owner.client.send(CatalogAPI.GetStock(id: shirt.id, variantID: large))
      #expect(left.onHand == 0)
      #expect(left.reserved == 0)
    }
  }

  @Test func theOwnerCounts() async throws {
    try await TestPlatform.catalog { host async throws in
      let (owner, bob) = (try await host.user("boss", as: .owner), try await host.user("bob"))
      let bow = try await host.product(of: owner, onHand: 3)
      #expect(bow.available == 3)
      #expect(bow.availability == .lowStock)
      let before = try await owner.client.send(CatalogAPI.GetStock(id: bow.id))
      let put = CatalogAPI.PutStock(
        id: bow.id,
        ifMatch: EntityTag(version: before.version),
        onHand: StockCount(checked: 40))
      let after = try await owner.client.send(put)
      #expect(after.onHand == 40)
      #expect(after.version == before.version + 1)
      #expect(try await problem { _ = try await owner.client.send(put) }?.status == 412)
      let sold = try await reserve([line(bow)], host)
      #expect(try await refusal(of: sold, host) == nil)
      // The sale has changed the version of the stock level.
      let stale = CatalogAPI.PutStock(
        id: bow.id,
        ifMatch: EntityTag(version: after.version),
        onHand: StockCount(checked: 40))
      #expect(try await problem { _ = try await owner.client.send(stale) }?.status == 412)
      let seen = try await host.client.send(CatalogAPI.GetProduct(id: bow.id))
      #expect(seen.available == 39)
      #expect(seen.availability == .inStock)
      #expect(try await problem { _ = try await bob.client.send(put) }?.status == 403)
      let internalCall = CatalogAPI.ReleaseReservation(id: sold)
      #expect(try await problem { _ = try await owner.client.send(internalCall) }?.status == 404)
    }
  }
}
