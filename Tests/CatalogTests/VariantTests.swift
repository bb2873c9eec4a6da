import Contracts
import ServiceKit
import TestKit
import Testing

/// Variants that change after their product was created.
@Suite(.serialized)
struct VariantTests {
  private func variant(_ name: String, sku: String? = nil, cents: Int64? = nil, onHand: Int? = nil) throws
    -> VariantForm
  {
    VariantForm(
      name: try ShortText(validating: name), sku: try sku.map { try SKU(validating: $0) },
      price: try cents.map { try TestPlatform.price($0) }, onHand: onHand.map { StockCount(checked: $0) })
  }

  private func sold(_ product: ProductID, _ variant: VariantID?, _ host: TestPlatform) async throws
    -> SaleItems.Product?
  {
    let reference = ProductReference(productID: product, variantID: variant)
    return try await host.orders.send(CatalogAPI.GetSaleItems(products: [reference], listings: [])).products.first
  }

  @Test(arguments: TestDatabase.allCases)
  func aVariantIsAddedWithItsStock(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let owner = try await host.user("boss", as: .owner)
      let shirt = try await host.product(of: owner, "Shirt", variants: [variant("S", sku: "S-1", onHand: 2)])
      let add = CatalogAPI.AddVariant(
        id: shirt.id, ifMatch: EntityTag(version: 1), name: try ShortText(validating: "L"),
        sku: try SKU(validating: "L-1"), price: try TestPlatform.price(1500), weightGrams: Grams(checked: 70),
        onHand: StockCount(checked: 4))
      let added = try await owner.client.send(add, idempotencyKey: "one")
      #expect(try await owner.client.send(add, idempotencyKey: "one") == added)
      #expect(added.version == 2)
      #expect(added.variants.map(\.name.rawValue) == ["S", "L"])
      #expect(added.available == 6)
      let item = try #require(try await sold(shirt.id, added.variants[1].id, host))
      #expect(item.price.amount == 1500)
      #expect(item.weightGrams == 70)
      #expect(item.available == 4)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func changesKeepTheStock(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let owner = try await host.user("boss", as: .owner)
      let shirt = try await host.product(
        of: owner, "Shirt", variants: [variant("S", sku: "S-1", cents: 900, onHand: 3)])
      let id = shirt.variants[0].id
      let edit = CatalogAPI.UpdateVariant(
        id: shirt.id, variant: id, name: try ShortText(validating: "Small"), sku: .remove,
        price: .set(try TestPlatform.price(1100)), weightGrams: .set(Grams(checked: 50)))
      let changed = try await owner.client.send(edit)
      let variant = try #require(changed.variants.first)
      #expect(variant.name.rawValue == "Small")
      #expect(variant.sku == nil)
      #expect(variant.price.amount == 1100)
      #expect(variant.weightGrams.value == 50)
      #expect(variant.available == 3)
      // The same change again is none.
      #expect(try await owner.client.send(edit).version == 2)
      let plain = try await owner.client.send(
        CatalogAPI.UpdateVariant(id: shirt.id, variant: id, price: .remove, weightGrams: .remove))
      #expect(plain.variants.first?.price.amount == 1250)
      #expect(plain.variants.first?.weightGrams.value == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aRetiredVariantStaysForItsOrders(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let owner = try await host.user("boss", as: .owner)
      let shirt = try await host.product(
        of: owner, "Shirt", variants: [variant("S", sku: "S-1", onHand: 2), variant("L", onHand: 5)])
      let small = ProductReference(productID: shirt.id, variantID: shirt.variants[0].id)
      func reserve() async throws -> ReservationID {
        let id: ReservationID = host.ids.make()
        _ = try await host.orders.send(
          CatalogAPI.ReserveStock(
            id: id, lines: [StockLine(product: small, quantity: Quantity(checked: 1))],
            expiresAt: host.time.source.now().advanced(bySeconds: 900)))
        return id
      }
      let order = try await reserve()
      let retire = CatalogAPI.RetireVariant(id: shirt.id, variant: shirt.variants[0].id)
      _ = try await owner.client.send(retire)
      #expect(try await problem { _ = try await owner.client.send(retire) }?.code == "variant-not-found")
      #expect(try await host.client.send(CatalogAPI.GetProduct(id: shirt.id)).variants.map(\.name.rawValue) == ["L"])
      #expect(try await sold(shirt.id, small.variantID, host) == nil)
      #expect(try await problem { _ = try await reserve() }?.code == "product-not-found")
      let committed = try await host.orders.send(CatalogAPI.CommitReservation(id: order))
      #expect(committed.status == .committed)
      // Its SKU is free for others.
      _ = try await host.product(of: owner, "Other", sku: "S-1")
    }
  }

  @Test func theFirstVariantTakesTheProductsPlace() async throws {
    try await TestPlatform.catalog { host async throws in
      let owner = try await host.user("boss", as: .owner)
      let bow = try await host.product(of: owner, "Bow", sku: "BOW-1", onHand: 3)
      let add = CatalogAPI.AddVariant(id: bow.id, name: try ShortText(validating: "Red"))
      let refused = try await problem { _ = try await owner.client.send(add) }
      #expect(refused?.status == 422)
      #expect(refused?.errors?.map(\.location) == ["body.sku"])
      _ = try await owner.client.send(CatalogAPI.UpdateProduct(id: bow.id, sku: .remove))
      let added = try await owner.client.send(add)
      #expect(added.available == 0)
      #expect(try await sold(bow.id, nil, host) == nil)
      _ = try await owner.client.send(CatalogAPI.RetireVariant(id: bow.id, variant: added.variants[0].id))
      #expect(try await sold(bow.id, nil, host)?.available == 3)
    }
  }

  @Test func whatVariantsCannotBeIsRefused() async throws {
    try await TestPlatform.catalog { host async throws in
      let (owner, bob) = (try await host.user("boss", as: .owner), try await host.user("bob"))
      let shirt = try await host.product(of: owner, "Shirt", variants: [variant("S", sku: "S-1"), variant("L")])
      _ = try await host.product(of: owner, "Bow", sku: "BOW-1")
      let name = try ShortText(validating: "M")
      for sku in ["S-1", "BOW-1"] {
        let add = CatalogAPI.AddVariant(id: shirt.id, name: name, sku: try SKU(validating: sku))
        #expect(try await problem { _ = try await owner.client.send(add) }?.code == "sku-taken", "\(sku)")
      }
      let euros = Price(checked: Money(100, try #require(Currency("EUR"))))
      let foreign = CatalogAPI.UpdateVariant(id: shirt.id, variant: shirt.variants[0].id, price: .set(euros))
      #expect(try await problem { _ = try await owner.client.send(foreign) }?.status == 422)
      let late = CatalogAPI.UpdateVariant(
        id: shirt.id, variant: shirt.variants[0].id, ifMatch: EntityTag(version: 9), name: name)
      #expect(try await problem { _ = try await owner.client.send(late) }?.status == 412)
      #expect(
        try await problem { _ = try await bob.client.send(CatalogAPI.AddVariant(id: shirt.id, name: name)) }?.status
          == 403)
      let unknown = CatalogAPI.UpdateVariant(id: shirt.id, variant: host.ids.make(), name: name)
      #expect(try await problem { _ = try await owner.client.send(unknown) }?.code == "variant-not-found")
    }
  }
}
