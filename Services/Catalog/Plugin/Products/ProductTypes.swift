import Contracts
import Persistence
import ServiceKit

/// The product types by which the shop is browsed.
struct ProductTypes: Feature {
  private let core: CatalogCore

  init(_ core: CatalogCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ListProductTypes.self) { request, _ in try await list(request) }
    routes.on(CatalogAPI.CreateProductType.self) { request, call in try await create(request.body, call) }
  }

  private func list(_ request: CatalogAPI.ListProductTypes) async throws -> Page<ProductType> {
    let page = try request.page(by: Slug.self, limit: 100)
    return try await core.database.read { db in
      try page.fetch({ try ProductTypeStore.list(after: $0, limit: $1, in: db) }, key: \.slug).page
    }
  }

  private func create(_ type: ProductType, _ call: Call) async throws -> ProductType {
    try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        guard try ProductTypeStore.insert(type, in: tx) else { throw Problem(.productTypeExists) }
        try tx.audit("product-type.created", object: "product-type:\(type.slug)", by: call.auditActor)
        return type
      }
    }
  }
}
