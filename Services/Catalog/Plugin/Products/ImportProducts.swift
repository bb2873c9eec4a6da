import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// Imports products from a file. Valid ones are imported, invalid ones are reported; what was imported from the same row
/// before is not touched.
struct ImportProducts: Feature {
  private let core: CatalogCore

  /// Products per transaction.
  private static let batch = 200

  init(_ core: CatalogCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ImportProducts.self) { request, call in try await take(ProductRows(request.body), call) }
  }

  private struct Good: Sendable {
    var line: Int
    var key: String
    var fingerprint: String
    var form: CatalogAPI.CreateProduct
    var new: NewProduct
  }

  private func take(_ file: ProductRows, _ call: Call) async throws -> ImportReport {
    var report = ImportReport(rejected: file.rejected)
    let good = try check(file.products, &report)
    let (object, wanted) = (Topic("import", core.ids.text()), good.flatMap { ProductMedia.wanted($0.form.images) })
    let images = try await core.media.check(wanted, of: call.user.id, for: object)
    for start in stride(from: 0, to: good.count, by: Self.batch) {
      let part = Array(good[start..<min(start + Self.batch, good.count)])
      let landed = try await core.database.write { tx in try Self.land(part, images, by: call.auditActor, in: tx) }
      report.created += landed.created
      report.updated += landed.updated
      report.unchanged += landed.unchanged
      report.rejected += landed.rejected
    }
    report.rejected.sort { $0.line < $1.line }
    return report
  }

  /// Leaves out products that repeat another one of the file, or that could not be created.
  private func check(_ products: [ImportedProduct], _ report: inout ImportReport) throws -> [Good] {
    var lines: [String: Int] = [:]
    return try products.compactMap { product in
      let fingerprint = try product.fingerprint
      let key = product.key(fingerprint: fingerprint)
      let names = Set([key] + product.form.skus.map { "sku:\($0)" })
      if let (name, line) = names.sorted().lazy.compactMap({ name in lines[name].map { (name, $0) } }).first {
        let field = name.hasPrefix("id:") ? "sourceID" : name.hasPrefix("sku:") ? "sku" : "the row"
        report.rejected.append(.init(line: product.line, errors: ["\(field) is already used in line \(line)"]))
        return nil
      }
      for name in names { lines[name] = product.line }
      do {
        let new = try NewProduct(product.form, core.ids)
        return Good(line: product.line, key: key, fingerprint: fingerprint, form: product.form, new: new)
      } catch let problem as Problem {
        report.rejected.append(.init(line: product.line, errors: ImportViolation(problem).messages))
        return nil
      }
    }
  }

  private static func land(_ rows: [Good], _ images: MediaUses.Checked, by actor: AuditActor, in tx: Transaction) throws
    -> ImportReport
  {
    let types = try ProductTypeStore.known(rows.map(\.form.type.rawValue), in: tx)
    let sources = try ProductSourceStore.find(rows.map(\.key), in: tx)
    let known = try KnownProducts(sources.values.map(\.product), rows.compactMap(\.form.sku), in: tx)
    var report = ImportReport()
    for row in rows {
      let source = sources[row.key]
      if let source, source.fingerprint == row.fingerprint {
        report.unchanged += 1
        continue
      }
      let product = known.find(source?.product, row.form.sku)
      do {
        guard types.contains(row.form.type.rawValue) else { throw ImportViolation("type does not exist") }
        let wanted = ProductMedia.wanted(row.form.images, besides: product?.images ?? [])
        if let problem = wanted.lazy.compactMap(images.problem).first { throw ImportViolation(problem) }
        let id: ProductID
        if let product {
          id = product.id
          if try ImportedChange(product, row.form, row.new).apply(in: tx) {
            report.updated += 1
          } else {
            report.unchanged += 1
          }
        } else {
          id = try row.new.insert(in: tx)
          report.created += 1
        }
        try ProductSourceStore.save(row.key, .init(product: id, fingerprint: row.fingerprint), in: tx)
      } catch let violation as ImportViolation {
        report.rejected.append(.init(line: row.line, errors: violation.messages))
      } catch let problem as Problem where problem.is(.skuTaken) {
        report.rejected.append(.init(line: row.line, errors: ["sku is already used by another product"]))
      }
    }
    try tx.audit("products.imported", object: "products", by: actor, changes: report.auditChanges)
    return report
  }
}

/// The products that rows may be about, by id and by SKU.
private struct KnownProducts {
  private var byID: [ProductID: StoredProduct]
  private var bySKU: [String: StoredProduct]

  init(_ ids: [ProductID], _ skus: [SKU], in tx: Transaction) throws {
    let products = try ProductStore.list("p.id IN \(list: ids)", limit: max(1, ids.count), in: tx)
    let named = try ProductStore.list("p.sku IN \(list: skus)", limit: max(1, skus.count), in: tx)
    byID = Dictionary(products.map { ($0.id, $0) }) { first, _ in first }
    bySKU = Dictionary(named.map { ($0.sku ?? "", $0) }) { first, _ in first }
  }

  func find(_ id: ProductID?, _ sku: SKU?) -> StoredProduct? {
    id.flatMap { byID[$0] } ?? sku.flatMap { bySKU[$0.rawValue] }
  }
}
