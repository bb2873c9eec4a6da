import Contracts
import Persistence

enum SchoolStore {
  private static let columns: SQL = "id, name, country, is_active, created_at, version"

  static func find(_ id: SchoolID, in db: any Connection) throws -> School? {
    try db.first("SELECT \(columns) FROM schools WHERE id = \(id)", decode)
  }

  /// The newest schools before a cursor.
  static func list(before cursor: SchoolID?, limit: Int, in db: any Connection) throws -> [School] {
    let filter = SQL.and(cursor.map { "id < \($0)" })
    return try db.all("SELECT \(columns) FROM schools WHERE \(filter) ORDER BY id DESC LIMIT \(limit)", decode)
  }

  static func find(_ ids: [SchoolID], in db: any Connection) throws -> [School] {
    guard !ids.isEmpty else { return [] }
    return try db.all("SELECT \(columns) FROM schools WHERE id IN \(list: ids) ORDER BY id", decode)
  }

  private static func decode(_ row: Row) throws -> School {
    School(
      id: try row["id"], name: try row["name"], country: try row["country"], isActive: try row["is_active"],
      createdAt: try row["created_at"], version: try row["version"])
  }

  static func insert(_ school: School, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO schools (id, name, country, is_active, created_at, version)
      VALUES (\(school.id), \(school.name), \(school.country), \(school.isActive), \(school.createdAt),
              \(school.version))
      """
    )
  }

  /// Increments the version.
  static func update(_ school: inout School, in tx: Transaction) throws {
    school.version += 1
    try tx.execute(
      """
      UPDATE schools SET name = \(school.name), is_active = \(school.isActive), version = \(school.version)
      WHERE id = \(school.id)
      """
    )
  }
}
