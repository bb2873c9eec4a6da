import Contracts
import Persistence

/// The variants of products. Retired ones stay as rows, because orders and reservations refer to them, but no query
/// returns them.
enum VariantStore {
  static func list(of products: [ProductID], in db: any Connection) throws -> [ProductID: [StoredProduct.Variant]] {
    guard !products.isEmpty else { return [:] }
    let rows = try db.all(
      """
      SELECT v.product_id, v.id, v.name, v.sku, v.amount, v.currency, v.weight, v.is_shipped,
        COALESCE(s.on_hand - s.reserved, 0) AS available
      FROM product_variants v LEFT JOIN stock s ON s.item_id = v.id
      WHERE v.product_id IN \(list: products) AND v.retired_at IS NULL ORDER BY v.product_id, v.id
      """
    ) { row -> (ProductID, StoredProduct.Variant) in
      let variant = StoredProduct.Variant(
        id: try row["id"], name: try row["name"], sku: try row["sku"],
        price: try row.money("amount", "currency"), weightGrams: try row["weight"],
        isShipped: try row["is_shipped"], available: try row["available"]
      )
      return (try row["product_id"], variant)
    }
    return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
  }

  static func insert(_ variant: StoredProduct.Variant, of product: ProductID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO product_variants (id, product_id, name, sku, amount, currency, weight, is_shipped)
      VALUES (\(variant.id), \(product), \(variant.name), \(variant.sku), \(variant.price?.amount),
              \(variant.price?.currency), \(variant.weightGrams), \(variant.isShipped))
      """
    )
  }

  /// Stores the variants of a product: new ones are added, those that are missing are retired.
  static func save(_ variants: [StoredProduct.Variant], of product: ProductID, in tx: Transaction) throws {
    let before = try list(of: [product], in: tx)[product] ?? []
    let kept = Set(variants.map(\.id))
    for variant in before where !kept.contains(variant.id) {
      try tx.execute("UPDATE product_variants SET retired_at = \(tx.now) WHERE id = \(variant.id)")
    }
    for variant in variants {
      guard let known = before.first(where: { $0.id == variant.id }) else {
        try insert(variant, of: product, in: tx)
        continue
      }
      guard known != variant else { continue }
      try tx.execute(
        """
        UPDATE product_variants SET name = \(variant.name), sku = \(variant.sku), amount = \(variant.price?.amount),
          currency = \(variant.price?.currency), weight = \(variant.weightGrams),
          is_shipped = \(variant.isShipped)
        WHERE id = \(variant.id)
        """
      )
    }
  }
}
