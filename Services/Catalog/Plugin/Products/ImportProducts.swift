import Contracts
import Persistence
import ServiceKit

/// Imports products from a file. Each row is independent: valid rows are imported, invalid rows are reported.
struct ImportProducts: Feature {
  private let database: any Database
  private let ids: IDGenerator
  private let media: MediaUses

  /// Rows per transaction.
  private static let batch = 200

  init(_ environment: ServiceEnvironment) throws {
    database = try environment.database
    ids = environment.ids
    media = MediaUses(environment)
  }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ImportProducts.self) { request, call in
      try await take(ProductRows(request.body).rows, call)
    }
  }

  private struct Good: Sendable {
    var line: Int
    var form: CatalogAPI.CreateProduct
    var new: NewProduct
  }

  private func take(_ rows: [ProductRows.Row], _ call: Call) async throws -> ProductImportReport {
    var result = ProductImportReport(created: 0, updated: 0, rejected: [])
    var good: [Good] = []
    var lines: [SKU: Int] = [:]
    for row in rows {
      do {
        let form = try row.form.get()
        if let sku = form.sku, let first = lines.updateValue(row.line, forKey: sku) {
          lines[sku] = first
          throw ProductRows.Complaint(messages: ["sku is already used in line \(first)"])
        }
        good.append(Good(line: row.line, form: form, new: try NewProduct(form, ids)))
      } catch let complaint as ProductRows.Complaint {
        result.rejected.append(.init(line: row.line, errors: complaint.messages))
      } catch let problem as Problem {
        result.rejected.append(.init(line: row.line, errors: ProductRows.messages(of: problem)))
      }
    }
    let (object, wanted) = (Topic("import", ids.text()), good.flatMap { ProductMedia.wanted($0.form.images) })
    let images = try await media.check(wanted, of: call.user.id, for: object)
    for start in stride(from: 0, to: good.count, by: Self.batch) {
      let part = Array(good[start..<min(start + Self.batch, good.count)])
      let (created, updated, rejected) = try await database.write { tx in
        try Self.land(part, images, by: call.auditActor, in: tx)
      }
      result.created += created
      result.updated += updated
      result.rejected += rejected
    }
    result.rejected.sort { $0.line < $1.line }
    return result
  }

  private static func land(_ rows: [Good], _ images: MediaUses.Checked, by actor: AuditActor, in tx: Transaction) throws
    -> (created: Int, updated: Int, rejected: [ProductImportReport.Rejection])
  {
    let types = try ProductTypeStore.known(rows.map(\.form.type.rawValue), in: tx)
    let skus = rows.compactMap { $0.form.sku?.rawValue }
    let known = Dictionary(
      try ProductStore.list("p.sku IN \(list: skus)", limit: max(1, skus.count), in: tx).map { ($0.sku ?? "", $0) }
    ) { first, _ in first }
    var (created, updated) = (0, 0)
    var rejected: [ProductImportReport.Rejection] = []
    for row in rows {
      guard types.contains(row.form.type.rawValue) else {
        rejected.append(.init(line: row.line, errors: ["type does not exist"]))
        continue
      }
      let product = row.form.sku.flatMap { known[$0.rawValue] }
      let wanted = ProductMedia.wanted(row.form.images, besides: product?.images ?? [])
      if let problem = wanted.lazy.compactMap(images.problem).first {
        rejected.append(.init(line: row.line, errors: ProductRows.messages(of: problem)))
        continue
      }
      if let product {
        if let complaint = try change(product, to: row.form, in: tx) {
          rejected.append(.init(line: row.line, errors: [complaint]))
          continue
        }
        updated += 1
      } else {
        do { _ = try row.new.insert(in: tx) } catch let problem as Problem where problem.is(.skuTaken) {
          rejected.append(.init(line: row.line, errors: ["sku is already used by a variant of another product"]))
          continue
        }
        created += 1
      }
    }
    let changes = [
      AuditChange("created", from: nil, to: String(created)), AuditChange("updated", from: nil, to: String(updated)),
    ]
    try tx.audit("products.imported", object: "products", by: actor, changes: changes)
    return (created, updated, rejected)
  }

  /// Updates an existing product; fields that the row omits are unchanged.
  /// - Returns: Why the row is rejected; `nil` when the product was updated.
  private static func change(_ product: StoredProduct, to form: CatalogAPI.CreateProduct, in tx: Transaction)
    throws -> String?
  {
    guard form.variants == nil, product.variants.isEmpty else {
      return "a product with variants cannot be updated by an import"
    }
    var changed = product
    changed.type = form.type.rawValue
    changed.title = form.title.rawValue
    changed.description = form.description?.rawValue ?? product.description
    changed.price = form.price.money
    changed.taxClass = form.taxClass?.rawValue ?? product.taxClass
    changed.weightGrams = form.weightGrams?.value ?? product.weightGrams
    changed.images = form.images ?? product.images
    changed.video = form.video?.rawValue ?? product.video
    changed.version += 1
    if let onHand = form.onHand {
      do { try StockStore.set(product.id.rawValue, onHand: onHand.value, in: tx) } catch let problem as Problem {
        return problem.title
      }
    }
    try ProductStore.update(changed, in: tx)
    try ProductMedia.report(changed, in: tx)
    return nil
  }
}
