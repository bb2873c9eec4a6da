import Contracts
import Persistence
import ServiceKit

/// An existing product as a row of an imported file describes it; what the row omits stays.
struct ImportedChange {
  private let before: StoredProduct
  private var after: StoredProduct
  /// Quantities on hand, by item.
  private var stock: [(item: String, onHand: Int)] = []

  init(_ product: StoredProduct, _ form: CatalogAPI.CreateProduct, _ new: NewProduct) {
    (before, after) = (product, product)
    after.type = form.type.rawValue
    after.title = form.title.rawValue
    after.description = form.description?.rawValue ?? product.description
    after.price = form.price.money
    after.taxClass = form.taxClass?.rawValue ?? product.taxClass
    after.weightGrams = form.weightGrams?.value ?? product.weightGrams
    after.isShipped = form.isShipped ?? product.isShipped
    after.images = form.images ?? product.images
    after.video = form.video?.rawValue ?? product.video
    let variants = new.storedVariants
    after.sku = form.sku?.rawValue ?? (variants.isEmpty ? product.sku : nil)
    for (request, variant) in zip(form.variants ?? [], variants) {
      let item = merge(variant)
      if let onHand = request.onHand { stock.append((item.rawValue, onHand.value)) }
    }
    if let onHand = form.onHand { stock.append((product.id.rawValue, onHand.value)) }
  }

  /// A variant is known by its SKU or its name; others are new.
  private mutating func merge(_ variant: StoredProduct.Variant) -> VariantID {
    let bySKU = variant.sku.flatMap { sku in after.variants.firstIndex { $0.sku == sku } }
    guard let index = bySKU ?? after.variants.firstIndex(where: { $0.name == variant.name }) else {
      after.variants.append(variant)
      return variant.id
    }
    after.variants[index].name = variant.name
    after.variants[index].sku = variant.sku ?? after.variants[index].sku
    after.variants[index].price = variant.price ?? after.variants[index].price
    after.variants[index].weightGrams = variant.weightGrams ?? after.variants[index].weightGrams
    after.variants[index].isShipped = variant.isShipped ?? after.variants[index].isShipped
    return after.variants[index].id
  }

  /// - Returns: Whether something changed.
  /// - Throws: ``ImportViolation`` or ``Problem`` before anything is written.
  func apply(in tx: Transaction) throws -> Bool {
    do { try after.requireConsistency() } catch { throw ImportViolation(error) }
    guard after.variants.isEmpty || !stock.contains(where: { $0.item == after.id.rawValue }) else {
      throw ImportViolation("onHand must be set on the variants")
    }
    let levels = try stock.filter { level in
      let known = try StockStore.find(level.item, in: tx)
      guard known?.reserved ?? 0 <= level.onHand else { throw ImportViolation(Problem.Kind.stockReserved.title) }
      return known?.onHand != level.onHand
    }
    if after != before {
      var changed = after
      changed.version += 1
      try ProductStore.update(changed, in: tx)
      try ProductMedia.report(changed, in: tx)
    }
    for (item, onHand) in levels { try StockStore.set(item, onHand: onHand, in: tx) }
    return after != before || !levels.isEmpty
  }
}
