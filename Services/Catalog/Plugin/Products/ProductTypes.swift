import Contracts
import Persistence
import ServiceKit

/// The product types by which the shop is browsed.
struct ProductTypes: Feature {
  private let database: any Database

  init(_ environment: ServiceEnvironment) throws { database = try environment.database }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ListProductTypes.self) { request, _ in try await list(request) }
    routes.on(CatalogAPI.CreateProductType.self) { request, call in try await create(request.body, call) }
  }

  private func list(_ request: CatalogAPI.ListProductTypes) async throws -> Page<ProductType> {
    let limit = request.limit?.value ?? 100
    return try await database.read { db in
      let found = try db.all(
        "SELECT id, title FROM product_types WHERE id > \(request.cursor ?? "") ORDER BY id LIMIT \(limit + 1)"
      ) { row in ProductType(slug: try row["id"], name: try row["title"]) }
      let items = Array(found.prefix(limit))
      return Page(items: items, nextCursor: found.count > limit ? items.last?.slug.rawValue : nil)
    }
  }

  private func create(_ type: ProductType, _ call: Call) async throws -> ProductType {
    try await database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        let isNew = try tx.execute(
          """
          INSERT INTO product_types (id, title) VALUES (\(type.slug), \(type.name))
          ON CONFLICT DO NOTHING
          """
        )
        guard isNew == 1 else { throw Problem(.productTypeExists) }
        try tx.audit("product-type.created", object: "product-type:\(type.slug)", by: call.auditActor)
        return type
      }
    }
  }
}
