import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// Tools and supplies that the owner recommends.
struct Tools: Feature {
  private let core: CatalogCore

  init(_ core: CatalogCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ListTools.self) { request, _ in try await list(request) }
    routes.on(CatalogAPI.CreateTool.self, create)
    routes.on(CatalogAPI.UpdateTool.self, update)
    routes.on(CatalogAPI.DeleteTool.self) { request, call in try await delete(request.id, by: call.auditActor) }
  }

  func list(_ request: CatalogAPI.ListTools) async throws -> Page<Tool> {
    let page = try request.page(by: ToolID.self)
    return try await core.database.read { db in
      try page.fetch({ try ToolStore.list(before: $0, limit: $1, in: db) }, key: \.id).page
    }
  }

  private func create(_ request: CatalogAPI.CreateTool, _ call: Call) async throws -> Tool {
    let id = core.ids.make(ToolID.self)
    let change = request.image.map { Patch.set($0) } ?? .keep
    try await core.media.require(ToolMedia.wanted(change), of: call.user.id, for: id.topic)
    return try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        let tool = Tool(
          id: id,
          name: request.name,
          description: request.description,
          link: request.link,
          image: request.image,
          productType: request.productType,
          createdAt: tx.now,
          version: 1
        )
        try ToolStore.insert(tool, in: tx)
        try ToolMedia.report(tool, in: tx)
        try tx.audit("tool.created", object: Self.object(id), by: call.auditActor)
        return tool
      }
    }
  }

  private func update(_ patch: CatalogAPI.UpdateTool, _ call: Call) async throws -> Tool {
    let id = patch.id
    let known = try await core.database.read { db in try ToolStore.find(id, in: db)?.image }
    try await core.media.require(ToolMedia.wanted(patch.image, from: known), of: call.user.id, for: id.topic)
    return try await core.database.write { tx in
      guard let before = try ToolStore.find(id, in: tx) else { throw Problem(.toolNotFound) }
      try patch.ifMatch?.require(before.version)
      var tool = before
      tool.name = patch.name ?? before.name
      tool.description = patch.description.applied(to: before.description)
      tool.link = patch.link.applied(to: before.link)
      tool.image = patch.image.applied(to: before.image)
      tool.productType = patch.productType.applied(to: before.productType)
      guard tool != before else { return before }
      tool.version += 1
      try ToolStore.update(tool, in: tx)
      try ToolMedia.report(tool, in: tx)
      try tx.audit("tool.changed", object: Self.object(id), by: call.auditActor)
      return tool
    }
  }

  func delete(_ id: ToolID, by actor: AuditActor) async throws {
    try await core.database.write { tx in
      guard let tool = try ToolStore.find(id, in: tx), try ToolStore.delete(id, in: tx) else { return }
      try ToolMedia.reportDeleted(tool, in: tx)
      try tx.audit("tool.deleted", object: Self.object(id), by: actor)
    }
  }

  private static func object(_ id: ToolID) -> String { "tool:\(id)" }
}
