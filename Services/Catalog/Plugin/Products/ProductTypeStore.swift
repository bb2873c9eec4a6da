import Contracts
import Persistence

enum ProductTypeStore {
  static func list(after slug: Slug?, limit: Int, in db: any Connection) throws -> [ProductType] {
    let condition = SQL.and(slug.map { "id > \($0)" })
    return try db.all("SELECT id, title FROM product_types WHERE \(condition) ORDER BY id LIMIT \(limit)") { row in
      ProductType(slug: try row["id"], name: try row["title"])
    }
  }

  /// The slugs that are product types.
  static func known(_ slugs: [String], in db: any Connection) throws -> Set<String> {
    Set(try db.values("SELECT id FROM product_types WHERE id IN \(list: slugs)", as: String.self))
  }

  /// - Returns: `false` when the type exists.
  static func insert(_ type: ProductType, in tx: Transaction) throws -> Bool {
    try tx.execute(
      "INSERT INTO product_types (id, title) VALUES (\(type.slug), \(type.name)) ON CONFLICT DO NOTHING"
    ) == 1
  }
}
