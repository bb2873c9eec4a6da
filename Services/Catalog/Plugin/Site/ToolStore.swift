import Contracts
import Persistence

enum ToolStore {
  static func find(_ id: ToolID, in db: any Connection) throws -> Tool? {
    try db.first("SELECT \(columns) FROM tools WHERE id = \(id)", decode)
  }

  static func list(before cursor: ToolID?, limit: Int, in db: any Connection) throws -> [Tool] {
    let condition = SQL.and(cursor.map { "id < \($0)" })
    return try db.all("SELECT \(columns) FROM tools WHERE \(condition) ORDER BY id DESC LIMIT \(limit)", decode)
  }

  private static let columns: SQL = "id, name, description, link, image, product_type, created_at, version"

  private static func decode(_ row: Row) throws -> Tool {
    Tool(
      id: try row["id"], name: try row["name"], description: try row["description"],
      link: try row["link"], image: try row["image"], productType: try row["product_type"],
      createdAt: try row["created_at"], version: try row["version"]
    )
  }

  static func insert(_ tool: Tool, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO tools (\(columns)) VALUES
        (\(tool.id), \(tool.name), \(tool.description), \(tool.link), \(tool.image),
         \(tool.productType), \(tool.createdAt), \(tool.version))
      """
    )
  }

  static func update(_ tool: Tool, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE tools SET name = \(tool.name), description = \(tool.description),
        link = \(tool.link), image = \(tool.image), product_type = \(tool.productType),
        version = \(tool.version)
      WHERE id = \(tool.id)
      """
    )
  }

  /// - Returns: `false` when there is no such tool.
  static func delete(_ id: ToolID, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM tools WHERE id = \(id)") > 0
  }
}
