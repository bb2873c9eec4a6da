import Contracts
import Persistence

struct StoredProduct: Sendable, Equatable {
  struct Variant: Sendable, Equatable {
    var id: VariantID
    var name: String
    var sku: String?
    /// `nil` when the product's price applies.
    var price: Money?
    /// `nil` when the product's weight applies.
    var weightGrams: Int?
    /// `nil` when it is as for the product.
    var isShipped: Bool?
    var available: Int
  }

  var id: ProductID
  var type: String
  var title: String
  var description: String?
  var sku: String?
  var price: Money
  var taxClass: String
  var isShipped = true
  var weightGrams: Int
  var images: [MediaID]
  var video: String?
  var createdAt: Timestamp
  var version: Int
  /// The stock of a product without variants.
  var available: Int
  var variants: [Variant] = []

  var response: Product {
    let count = variants.isEmpty ? available : variants.reduce(0) { $0 + $1.available }
    return Product(
      id: id,
      type: Slug(checked: type),
      title: ShortText(checked: title),
      description: description.map { LongText(checked: $0) },
      price: Price(checked: price),
      sku: sku.map { SKU(checked: $0) },
      taxClass: Slug(checked: taxClass),
      isShipped: isShipped,
      weightGrams: Grams(checked: weightGrams),
      images: images,
      video: video.map { WebLink(checked: $0) },
      variants: variants.map { variant in
        Product.Variant(
          id: variant.id,
          name: ShortText(checked: variant.name),
          sku: variant.sku.map { SKU(checked: $0) },
          price: Price(checked: variant.price ?? price),
          weightGrams: Grams(checked: variant.weightGrams ?? weightGrams),
          availability: Product.Availability(of: variant.available),
          available: variant.available,
          isShipped: variant.isShipped ?? isShipped
        )
      },
      availability: Product.Availability(of: count),
      available: count,
      createdAt: createdAt,
      version: version
    )
  }

  static let maxVariants = 50

  /// Requires what must be true of a product together with its variants.
  func requireConsistency() throws(Problem) {
    func invalid(_ field: String, _ message: String) -> Problem {
      Problem(.invalidRequest, errors: [.init(location: "body.\(field)", message: message)])
    }
    guard variants.count <= Self.maxVariants else {
      throw invalid("variants", "may have at most \(Self.maxVariants) items")
    }
    guard variants.isEmpty || sku == nil else {
      throw invalid("sku", "must be set on the variants, not on the product")
    }
    guard variants.allSatisfy({ $0.price.map { $0.currency == price.currency } ?? true }) else {
      throw invalid("price.currency", "must be the currency of the product and all its variants")
    }
    let skus = variants.compactMap(\.sku)
    guard Set(skus).count == skus.count else { throw Problem(.skuTaken) }
  }
}

/// Products in the database. Deleted products stay as rows that no query returns.
enum ProductStore {
  static let index = TextIndex("products")

  // MARK: reading

  static func find(_ id: ProductID, in db: any Connection) throws -> StoredProduct? {
    try list("p.id = \(id)", limit: 1, in: db).first
  }

  static func get(_ id: ProductID, in db: any Connection) throws -> StoredProduct {
    guard let product = try find(id, in: db) else { throw Problem(.productNotFound) }
    return product
  }

  /// Matching products with their variants, by default newest first; two statements per page.
  static func list(_ condition: SQL, _ order: SQL = "p.id DESC", limit: Int, in db: any Connection) throws
    -> [StoredProduct]
  {
    var products = try db.all(
      """
      SELECT p.id, p.type, p.title, p.description, p.sku, p.amount, p.currency, p.tax_class, p.is_shipped, p.weight,
        p.images, p.video, p.created_at, p.version, COALESCE(s.on_hand - s.reserved, 0) AS available
      FROM products p LEFT JOIN stock s ON s.item_id = p.id
      WHERE p.deleted_at IS NULL AND \(condition) ORDER BY \(order) LIMIT \(limit)
      """
    ) { row in
      StoredProduct(
        id: try row["id"], type: try row["type"],
        title: try row["title"], description: try row["description"], sku: try row["sku"],
        price: try row.money("amount", "currency"), taxClass: try row["tax_class"],
        isShipped: try row["is_shipped"], weightGrams: try row["weight"],
        images: try row[words: "images"], video: try row["video"],
        createdAt: try row["created_at"], version: try row["version"],
        available: try row["available"]
      )
    }
    let variants = try VariantStore.list(of: products.map(\.id), in: db)
    for index in products.indices { products[index].variants = variants[products[index].id] ?? [] }
    return products
  }

  /// Sale items for orders. A product with variants is sold only by variant.
  static func saleItems(_ references: [ProductReference], in db: any Connection) throws -> [SaleItems.Product] {
    let ids = Set(references.map(\.productID))
    guard !ids.isEmpty else { return [] }
    let products = try list("p.id IN \(list: Array(ids))", limit: ids.count, in: db)
    let byID = Dictionary(products.map { ($0.id, $0) }) { first, _ in first }
    return Set(references).compactMap { reference in
      guard let product = byID[reference.productID] else { return nil }
      let variant = product.variants.first { $0.id == reference.variantID }
      guard (reference.variantID == nil) == product.variants.isEmpty, reference.variantID == nil || variant != nil
      else {
        return nil
      }
      return SaleItems.Product(
        product: reference,
        title: variant.map { "\(product.title), \($0.name)" } ?? product.title,
        sku: variant?.sku ?? product.sku,
        price: Price(checked: variant?.price ?? product.price),
        taxClass: product.taxClass,
        isShipped: variant?.isShipped ?? product.isShipped,
        weightGrams: variant?.weightGrams ?? product.weightGrams,
        available: variant?.available ?? product.available,
        image: product.images.first
      )
    }
  }

  // MARK: writing

  /// - Throws: ``Problem`` for a SKU that is taken or a type that does not exist.
  static func insert(_ product: StoredProduct, stock: [String: Int], in tx: Transaction) throws {
    try requireFreeSKUs(of: product, in: tx)
    try naming {
      try tx.execute(
        """
        INSERT INTO products
          (id, type, title, description, sku, amount, currency, tax_class, is_shipped, weight, images, video,
           created_at, version)
        VALUES (\(product.id), \(product.type), \(product.title), \(product.description), \(product.sku),
                \(product.price.amount), \(product.price.currency), \(product.taxClass), \(product.isShipped),
                \(product.weightGrams), \(text(product.images)), \(product.video), \(product.createdAt),
                \(product.version))
        """
      )
    }
    for variant in product.variants { try VariantStore.insert(variant, of: product.id, in: tx) }
    for (item, onHand) in stock { try StockStore.set(item, onHand: onHand, in: tx) }
    try describe(product, in: tx)
  }

  /// Updates a product with its variants.
  /// - Throws: ``Problem`` for a SKU that is taken or a type that does not exist.
  static func update(_ product: StoredProduct, in tx: Transaction) throws {
    try requireFreeSKUs(of: product, in: tx)
    try naming {
      try tx.execute(
        """
        UPDATE products SET type = \(product.type), title = \(product.title), description = \(product.description),
          sku = \(product.sku), amount = \(product.price.amount), currency = \(product.price.currency),
          tax_class = \(product.taxClass), is_shipped = \(product.isShipped), weight = \(product.weightGrams),
          images = \(text(product.images)), video = \(product.video), version = \(product.version)
        WHERE id = \(product.id)
        """
      )
    }
    try VariantStore.save(product.variants, of: product.id, in: tx)
    try describe(product, in: tx)
  }

  /// A SKU is unique across products and variants, which no index can enforce.
  private static func requireFreeSKUs(of product: StoredProduct, in tx: Transaction) throws {
    let skus = [product.sku].compactMap(\.self) + product.variants.compactMap(\.sku)
    guard !skus.isEmpty else { return }
    let isTaken =
      try tx.exists(
        """
        SELECT 1 FROM products WHERE sku IN \(list: skus) AND deleted_at IS NULL AND id <> \(product.id)
        UNION ALL
        SELECT 1 FROM product_variants v JOIN products p ON p.id = v.product_id
        WHERE v.sku IN \(list: skus) AND v.retired_at IS NULL AND p.deleted_at IS NULL AND p.id <> \(product.id)
        """
      )
    guard !isTaken else { throw Problem(.skuTaken) }
  }

  static func delete(_ id: ProductID, in tx: Transaction) throws {
    try index.remove(id.rawValue, in: tx)
    try ProductSourceStore.delete(of: id, in: tx)
    try tx.execute("UPDATE products SET deleted_at = \(tx.now) WHERE id = \(id)")
  }

  private static func describe(_ product: StoredProduct, in tx: Transaction) throws {
    try index.put(document(product), in: tx)
  }

  private static func document(_ product: StoredProduct) -> TextDocument {
    TextDocument(
      product.id.rawValue, [product.title, "\(product.type) \(product.sku ?? "")"],
      values: ["type:\(product.type)"] + (product.video == nil ? [] : ["video"]))
  }

  /// Indexes the products that exist.
  static func fillIndex(_ database: any Database) async throws {
    try await index.fill(database, version: 1) { after, limit, tx in
      try list("p.id > \(after)", "p.id", limit: limit, in: tx).map { document($0) }
    }
  }

  private static func text(_ images: [MediaID]) -> String { images.map(\.rawValue).joined(separator: " ") }

  private static func naming(_ body: () throws -> Void) throws {
    do { try body() } catch let error as DatabaseError {
      switch error.kind {
      case .uniqueViolation: throw Problem(.skuTaken)
      case .foreignKeyViolation: throw Problem(.productTypeNotFound)
      default: throw error
      }
    }
  }
}
