import Contracts
import Persistence
import ServiceKit

/// The variants of products, as the owner changes them. Their stock and their orders are kept.
struct Variants: Feature {
  private let core: CatalogCore

  init(_ core: CatalogCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.AddVariant.self) { request, call in try await add(request, call) }
    routes.on(CatalogAPI.UpdateVariant.self) { request, call in try await update(request, call) }
    routes.on(CatalogAPI.RetireVariant.self) { request, call in try await retire(request, call) }
  }

  private func add(_ request: CatalogAPI.AddVariant, _ call: Call) async throws -> Product {
    let variant = StoredProduct.Variant(
      id: core.ids.make(), name: request.name.rawValue, sku: request.sku?.rawValue, price: request.price?.money,
      weightGrams: request.weightGrams?.value, isShipped: request.isShipped, available: 0)
    return try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        try Self.change(request.id, request.ifMatch, by: call.auditActor, in: tx) { product in
          product.variants.append(variant)
          try StockStore.set(variant.id.rawValue, onHand: request.onHand?.value ?? 0, in: tx)
        }
      }
    }
  }

  private func update(_ request: CatalogAPI.UpdateVariant, _ call: Call) async throws -> Product {
    try await core.database.write { tx in
      try Self.change(request.id, request.ifMatch, by: call.auditActor, in: tx) { product in
        let index = try Self.index(of: request.variant, in: product)
        var variant = product.variants[index]
        variant.name = request.name?.rawValue ?? variant.name
        variant.sku = request.sku.applied(to: variant.sku.map { SKU(checked: $0) })?.rawValue
        variant.price = request.price.applied(to: variant.price.map { Price(checked: $0) })?.money
        let weight = variant.weightGrams.map { Grams(checked: $0) }
        variant.weightGrams = request.weightGrams.applied(to: weight)?.value
        variant.isShipped = request.isShipped.applied(to: variant.isShipped)
        product.variants[index] = variant
      }
    }
  }

  private func retire(_ request: CatalogAPI.RetireVariant, _ call: Call) async throws {
    try await core.database.write { tx in
      _ = try Self.change(request.id, request.ifMatch, by: call.auditActor, in: tx) { product in
        product.variants.remove(at: try Self.index(of: request.variant, in: product))
      }
    }
  }

  private static func index(of variant: VariantID, in product: StoredProduct) throws(Problem) -> Int {
    guard let index = product.variants.firstIndex(where: { $0.id == variant }) else { throw Problem(.variantNotFound) }
    return index
  }

  private static func change(
    _ id: ProductID, _ ifMatch: EntityTag?, by actor: AuditActor, in tx: Transaction,
    _ body: (inout StoredProduct) throws -> Void
  ) throws -> Product {
    let before = try ProductStore.get(id, in: tx)
    try ifMatch?.require(before.version)
    var product = before
    try body(&product)
    guard product != before else { return before.response }
    try product.requireConsistency()
    product.version += 1
    try ProductStore.update(product, in: tx)
    try ProductMedia.report(product, in: tx)
    try tx.audit("product.changed", object: "product:\(id)", by: actor)
    return try ProductStore.get(id, in: tx).response
  }
}
