import Contracts
import ServiceKit
import TestKit
import Testing

/// Products: creation, search, variants and types.
@Suite(.serialized)
struct ProductTests {
  @Test(
    "M20: products are shipped unless they say otherwise, and variants are as their product unless they say otherwise")
  func productsSayWhetherTheyAreShipped() async throws {
    try await TestPlatform.catalog { host async throws in
      let owner = try await host.user("boss", as: .owner)
      let variants = [
        VariantForm(name: ShortText(checked: "Sewn")),
        VariantForm(name: ShortText(checked: "Pattern"), isShipped: false),
      ]
      let bow = try await host.product(of: owner, variants: variants)
      #expect(bow.isShipped)
      #expect(bow.variants.map(\.isShipped) == [true, false])
      var edit = CatalogAPI.UpdateProduct(id: bow.id)
      edit.isShipped = false
      let changed = try await owner.client.send(edit)
      #expect(!changed.isShipped)
      #expect(changed.variants.map(\.isShipped) == [false, false])
      #expect(try await host.client.send(CatalogAPI.GetProduct(id: bow.id)) == changed)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theOwnerSells(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let owner = try await host.user("boss", as: .owner)
      let red = try await host.product(of: owner, "Red satin bow", sku: "BOW-1", onHand: 10)
      #expect(red.taxClass.rawValue == "standard")
      #expect(red.weightGrams.value == 0)
      #expect(red.availability == .inStock)
      let taken = try await problem { _ = try await host.product(of: owner, "Other bow", sku: "BOW-1") }
      #expect(taken?.code == "sku-taken")
      for number in 1...4 { _ = try await host.product(of: owner, "Ribbon \(number)") }
      let images: [MediaID] = [host.ids.make(), host.ids.make()]
      let edit = CatalogAPI.UpdateProduct(
        id: red.id,
        ifMatch: EntityTag(version: 1),
        title: try ShortText(validating: "Scarlet bow"), description: .set(try LongText(validating: "By hand.")),
        weightGrams: Grams(checked: 30), images: images,
        video: .set(try WebLink(validating: "https://youtu.be/aqz-KE-bpKQ")))
      let changed = try await owner.client.send(edit)
      #expect(changed.version == 2)
      #expect(changed.images == images)
      #expect(changed.sku?.rawValue == "BOW-1")
      #expect(try await host.client.send(CatalogAPI.GetProduct(id: red.id)) == changed)
      #expect(try await problem { _ = try await owner.client.send(edit) }?.status == 412)

      func found(_ request: CatalogAPI.ListProducts) async throws -> [ProductID] {
        try await host.client.send(request).items.map(\.id)
      }
      #expect(try await found(.init(query: "scarlet")) == [red.id])
      #expect(try await found(.init(query: "scarlte")) == [red.id])
      #expect(try await found(.init(query: "satin")) == [])
      // The best matches of the query do not pass the filter; the next one that passes is found.
      #expect(try await found(.init(query: "bows", hasVideo: true, limit: PageSize(checked: 1))) == [red.id])
      #expect(try await found(.init(hasVideo: true)) == [red.id])
      #expect(try await found(.init(type: Slug(validating: "bows"))).count == 5)
      #expect(try await found(.init(type: Slug(validating: "hats"))).isEmpty)
      let two = PageSize(checked: 2)
      let first = try await host.client.send(CatalogAPI.ListProducts(limit: two))
      _ = try await host.product(of: owner, "Late")
      let rest = try await allPages { cursor in
        try await host.client.send(CatalogAPI.ListProducts(limit: two, cursor: cursor ?? first.nextCursor))
      }
      #expect((first.items + rest).count == 5)
      #expect(Set((first.items + rest).map(\.id)).count == 5)

      _ = try await owner.client.send(CatalogAPI.DeleteProduct(id: red.id))
      #expect(
        try await problem { _ = try await owner.client.send(CatalogAPI.DeleteProduct(id: red.id)) }?.status == 404
      )
      #expect(
        try await problem { _ = try await host.client.send(CatalogAPI.GetProduct(id: red.id)) }?.code
          == "product-not-found"
      )
      #expect(try await found(.init(query: "scarlet")) == [])
      // The SKU is free again.
      _ = try await host.product(of: owner, "New bow", sku: "BOW-1")
    }
  }

  @Test func variantsHaveTheirOwnPriceAndStock() async throws {
    try await TestPlatform.catalog { host async throws in
      let owner = try await host.user("boss", as: .owner)
      let shirt = try await host.product(
        of: owner,
        "Shirt",
        variants: [
          VariantForm(name: ShortText(validating: "Small"), sku: SKU(validating: "S-1"), onHand: StockCount(2)),
          VariantForm(name: ShortText(validating: "Large"), price: TestPlatform.price(1500)),
        ]
      )
      #expect(shirt.variants.map(\.name.rawValue) == ["Small", "Large"])
      #expect(shirt.available == 2)
      #expect(shirt.variants.map(\.price.amount) == [1250, 1500])
      #expect(shirt.variants.map(\.availability) == [.lowStock, .outOfStock])
      let taken = try await problem {
        _ = try await host.product(
          of: owner,
          "Coat",
          variants: [VariantForm(name: ShortText(validating: "Any"), sku: SKU(validating: "S-1"))]
        )
      }
      #expect(taken?.code == "sku-taken")
      #expect(try await problem { _ = try await host.product(of: owner, "Coat", sku: "S-1") }?.code == "sku-taken")
      let coat = try await host.product(of: owner, "Coat", sku: "C-1")
      let edit = CatalogAPI.UpdateProduct(id: coat.id, sku: .set(SKU(checked: "S-1")))
      #expect(try await problem { _ = try await owner.client.send(edit) }?.code == "sku-taken")
      let shared = CatalogAPI.UpdateProduct(id: shirt.id, sku: .set(SKU(checked: "X-1")))
      #expect(try await problem { _ = try await owner.client.send(shared) }?.errors?.first?.location == "body.sku")
      _ = try await owner.client.send(CatalogAPI.DeleteProduct(id: shirt.id))
      _ = try await owner.client.send(edit)
    }
  }

  @Test func productTypesAreListed() async throws {
    try await TestPlatform.catalog { host async throws in
      let (owner, bob) = (try await host.user("boss", as: .owner), try await host.user("bob"))
      for name in ["hats", "bows", "wreaths"] {
        let type = ProductType(slug: try Slug(validating: name), name: try ShortText(validating: name))
        _ = try await owner.client.send(CatalogAPI.CreateProductType(body: type))
        #expect(
          try await problem { _ = try await owner.client.send(CatalogAPI.CreateProductType(body: type)) }?.code
            == "product-type-exists"
        )
        #expect(
          try await problem { _ = try await bob.client.send(CatalogAPI.CreateProductType(body: type)) }?.status == 403
        )
      }
      let two = PageSize(checked: 2)
      let all = try await allPages { try await host.client.send(CatalogAPI.ListProductTypes(limit: two, cursor: $0)) }
      #expect(all.map(\.slug.rawValue) == ["bows", "hats", "wreaths"])
    }
  }

  @Test func badInputIsRefused() async throws {
    let table = [
      (#"{"type":"bows","title":"a"}"#, 422), (#"{"type":"bows","title":" ","price":P}"#, 422),
      (#"{"type":"no such","title":"a","price":P}"#, 422), (#"{"type":"hats","title":"a","price":P}"#, 409),
      (#"{"type":"bows","title":"a","price":{"amount":-1,"currency":"USD"}}"#, 422),
      (#"{"type":"bows","title":"a","price":P,"sku":"two words"}"#, 422),
      (#"{"type":"bows","title":"a","price":P,"onHand":-1}"#, 422),
      (#"{"type":"bows","title":"a","price":P,"weightGrams":-1}"#, 422),
      (#"{"type":"bows","title":"a","price":P,"video":"javascript:alert(1)"}"#, 422),
      (#"{"type":"bows","title":"a","price":P,"variants":[{"name":"S","price":{"amount":1,"currency":"EUR"}}]}"#, 422),
      (#"{"type":"bows","title":"a","price":P,"onHand":1,"variants":[{"name":"S"}]}"#, 422), ("{", 400),
      (#"{"type":"bows","title":"a","price":P,"sku":"A","variants":[{"name":"S"}]}"#, 422),
      (#"{"type":"bows","title":"a","price":P,"variants":[{"name":"S","sku":"A"},{"name":"L","sku":"A"}]}"#, 422),
    ]
    try await TestPlatform.catalog { host async throws in
      let owner = try await host.user("boss", as: .owner)
      _ = try await host.product(of: owner)
      for (body, status) in table {
        let text = body.replacing("P", with: #"{"amount":100,"currency":"USD"}"#)
        #expect(try await host.send(.post, "/v1/products", text, by: owner).status == status, "\(body)")
        #expect(try await host.send(.post, "/v1/products", text).status == 401)
      }
    }
  }
}
