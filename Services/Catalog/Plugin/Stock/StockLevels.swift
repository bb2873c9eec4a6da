import Contracts
import Persistence
import ServiceKit

/// Stock levels, as the owner reads and sets them.
struct StockLevels: Feature {
  private let core: CatalogCore

  init(_ core: CatalogCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.GetStock.self) { request, _ in
      try await core.database.read { db in try Self.level(of: request.id, request.variantID, in: db) }
    }
    routes.on(CatalogAPI.PutStock.self) { request, call in try await put(request, by: call.auditActor) }
  }

  private func put(_ request: CatalogAPI.PutStock, by actor: AuditActor) async throws -> StockLevel {
    let variant = request.variantID
    return try await core.database.write { tx in
      let before = try Self.level(of: request.id, variant, in: tx)
      try request.ifMatch?.require(before.version)
      try StockStore.set(variant?.rawValue ?? request.id.rawValue, onHand: request.onHand.value, in: tx)
      let changes = [AuditChange("onHand", from: String(before.onHand), to: String(request.onHand.value))]
      try tx.audit("stock.set", object: "product:\(request.id)", by: actor, changes: changes)
      return try Self.level(of: request.id, variant, in: tx)
    }
  }

  /// - Throws: ``Problem`` for an unknown product or variant; a product with variants has stock only per variant.
  private static func level(of id: ProductID, _ variant: VariantID?, in db: any Connection) throws -> StockLevel {
    let product = try ProductStore.get(id, in: db)
    guard (variant == nil) == product.variants.isEmpty,
      variant == nil || product.variants.contains(where: { $0.id == variant })
    else { throw Problem(.productNotFound, detail: "The product has no such variant.") }
    let stock = try StockStore.find(variant?.rawValue ?? id.rawValue, in: db) ?? (onHand: 0, reserved: 0, version: 0)
    return StockLevel(
      productID: id, variantID: variant, onHand: stock.onHand, reserved: stock.reserved, version: stock.version)
  }
}
