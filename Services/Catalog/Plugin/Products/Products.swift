import Contracts
import Persistence
import PlatformRules
import ServiceKit
import ServiceLifecycle

struct Products: Feature {
  private let core: CatalogCore

  init(_ core: CatalogCore) { self.core = core }

  var workers: [any Service] {
    [core.environment.indexFilling("products") { try await ProductStore.fillIndex(core.database) }]
  }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ListProducts.self) { request, _ in try await list(request) }
    routes.on(CatalogAPI.CreateProduct.self) { request, call in try await create(request, call) }
    routes.on(CatalogAPI.GetProduct.self) { request, _ in
      try await core.database.read { try ProductStore.get(request.id, in: $0).response }
    }
    routes.previews("product") { id in
      try await core.database.read { db in try ProductStore.find(id, in: db) }.map { product in
        LinkPreview(
          type: .product, title: product.title, description: product.description, picture: product.images.first,
          price: product.price, isIndexed: true)
      }
    }
    routes.on(CatalogAPI.UpdateProduct.self) { request, call in try await update(request, call) }
    routes.on(CatalogAPI.DeleteProduct.self) { request, call -> Void in
      try await core.database.write { tx in
        let product = try ProductStore.get(request.id, in: tx)
        try Self.check(request.ifMatch, product)
        try ProductStore.delete(request.id, in: tx)
        try ProductMedia.reportDeleted(product, in: tx)
        try tx.audit("product.deleted", object: "product:\(request.id)", by: call.auditActor)
      }
    }
    routes.on(CatalogAPI.GetSaleItems.self) { request, _ in
      try Self.checkCount(request.products.count + request.listings.count)
      return try await core.database.read { db in
        SaleItems(
          products: try ProductStore.saleItems(request.products, in: db),
          listings: request.listings.isEmpty ? [] : try ListingStore.saleItems(request.listings, in: db)
        )
      }
    }
  }

  /// Limits the items of one request; a cart has at most 100.
  static func checkCount(_ count: Int) throws(Problem) {
    guard count <= 200 else {
      throw Problem(.invalidRequest, errors: [.init(location: "body", message: "must contain at most 200 items")])
    }
  }

  private func list(_ request: CatalogAPI.ListProducts) async throws -> Page<Product> {
    let page = try request.page(by: ProductID.self)
    let filter = SQL.and(
      request.type.map { "p.type = \($0)" },
      request.hasVideo.map { $0 ? "p.video IS NOT NULL" : "p.video IS NULL" }
    )
    let values = TextFilter.all(
      [
        request.type.map { .value("type:\($0.rawValue)") },
        request.hasVideo.map { $0 ? .value("video") : .not(.value("video")) },
      ]
      .compactMap { $0 })
    return try await core.database.read(.snapshot) { db in
      if let query = request.query {
        // Results are ranked, so there is only one page.
        let found = try ProductStore.index.search(TextQuery(query, where: values), limit: page.limit, in: db)
        let ids = found.documents.map { ProductID(trusted: $0) }
        let products = try ProductStore.list("p.id IN \(list: ids)", limit: page.limit, in: db)
        let byID = Dictionary(products.map { ($0.id, $0) }) { first, _ in first }
        return Page(items: ids.compactMap { byID[$0]?.response })
      }
      let found = try page.fetch(
        { after, limit in
          try ProductStore.list(.and(filter, after.map { "p.id < \($0)" }), limit: limit, in: db)
        }, key: \.id)
      return found.with(found.rows.map(\.response))
    }
  }

  private func create(_ request: CatalogAPI.CreateProduct, _ call: Call) async throws -> Product {
    let product = try NewProduct(request, core.ids)
    try await core.media.require(ProductMedia.wanted(request.images), of: call.user.id, for: product.id.topic)
    return try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        let id = try product.insert(in: tx)
        try tx.audit("product.created", object: "product:\(id)", by: call.auditActor)
        return try ProductStore.get(id, in: tx).response
      }
    }
  }

  private func update(_ request: CatalogAPI.UpdateProduct, _ call: Call) async throws -> Product {
    _ = try NewProduct.checked(request.images ?? [])
    let known = try await core.database.read { db in try ProductStore.get(request.id, in: db).images }
    try await core.media.require(
      ProductMedia.wanted(request.images, besides: known), of: call.user.id, for: request.id.topic)
    return try await core.database.write { tx in
      var product = try ProductStore.get(request.id, in: tx)
      try Self.check(request.ifMatch, product)
      let patch = request
      product.type = patch.type?.rawValue ?? product.type
      product.title = patch.title?.rawValue ?? product.title
      product.description = patch.description.applied(to: product.description.map { LongText(checked: $0) })?.rawValue
      product.sku = patch.sku.applied(to: product.sku.map { SKU(checked: $0) })?.rawValue
      product.price = patch.price?.money ?? product.price
      product.taxClass = patch.taxClass?.rawValue ?? product.taxClass
      product.isShipped = patch.isShipped ?? product.isShipped
      product.weightGrams = patch.weightGrams?.value ?? product.weightGrams
      product.images = try NewProduct.checked(patch.images ?? product.images)
      product.video = patch.video.applied(to: product.video.map { WebLink(checked: $0) })?.rawValue
      try product.requireConsistency()
      product.version += 1
      try ProductStore.update(product, in: tx)
      try ProductMedia.report(product, in: tx)
      try tx.audit("product.changed", object: "product:\(product.id)", by: call.auditActor)
      return product.response
    }
  }

  private static func check(_ ifMatch: EntityTag?, _ product: StoredProduct) throws {
    try ifMatch?.require(product.version)
  }
}

/// A validated product that is not stored yet.
struct NewProduct: Sendable {
  private let request: CatalogAPI.CreateProduct
  let id: ProductID
  private let variants: [VariantID]

  init(_ request: CatalogAPI.CreateProduct, _ ids: IDGenerator) throws {
    func invalid(_ field: String, _ message: String) -> Problem {
      Problem(.invalidRequest, errors: [.init(location: "body.\(field)", message: message)])
    }
    let variants = request.variants ?? []
    guard variants.count <= StoredProduct.maxVariants else {
      throw invalid("variants", "may have at most \(StoredProduct.maxVariants) items")
    }
    guard variants.allSatisfy({ $0.price.map { $0.currency == request.price.currency } ?? true }) else {
      throw invalid("variants", "must have the product's currency")
    }
    guard variants.isEmpty || request.onHand == nil else { throw invalid("onHand", "must be set on the variants") }
    guard variants.isEmpty || request.sku == nil else { throw invalid("sku", "must be set on the variants") }
    let skus = variants.compactMap(\.sku)
    guard Set(skus).count == skus.count else { throw invalid("variants", "must have different SKUs") }
    _ = try Self.checked(request.images ?? [])
    self.request = request
    id = ids.make()
    self.variants = variants.map { _ in ids.make() }
  }

  /// The variants as they are stored first.
  var storedVariants: [StoredProduct.Variant] {
    zip(request.variants ?? [], variants).map { form, id in
      StoredProduct.Variant(
        id: id, name: form.name.rawValue, sku: form.sku?.rawValue, price: form.price?.money,
        weightGrams: form.weightGrams?.value, isShipped: form.isShipped, available: 0)
    }
  }

  static func checked(_ images: [MediaID]) throws -> [MediaID] {
    guard images.count <= 20 else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.images", message: "may have at most 20 items")])
    }
    return images
  }

  func insert(in tx: Transaction) throws -> ProductID {
    let forms = request.variants ?? []
    let product = StoredProduct(
      id: id,
      type: request.type.rawValue,
      title: request.title.rawValue,
      description: request.description?.rawValue,
      sku: request.sku?.rawValue,
      price: request.price.money,
      taxClass: request.taxClass?.rawValue ?? "standard",
      isShipped: request.isShipped ?? true,
      weightGrams: request.weightGrams?.value ?? 0,
      images: request.images ?? [],
      video: request.video?.rawValue,
      createdAt: tx.now,
      version: 1,
      available: 0,
      variants: storedVariants
    )
    var stock = Dictionary(uniqueKeysWithValues: zip(forms, variants).map { ($1.rawValue, $0.onHand?.value ?? 0) })
    if forms.isEmpty { stock[id.rawValue] = request.onHand?.value ?? 0 }
    try ProductStore.insert(product, stock: stock, in: tx)
    try ProductMedia.report(product, in: tx)
    return id
  }
}

extension CatalogAPI.CreateProduct {
  /// The SKUs of the product and its variants.
  var skus: [SKU] { [sku].compactMap(\.self) + (variants ?? []).compactMap(\.sku) }
}
