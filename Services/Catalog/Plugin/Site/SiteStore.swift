import Contracts
import Persistence

/// The site's content: one row, with the content as JSON.
enum SiteStore {
  private static let name = "site"

  static func find(in db: any Connection) throws -> Site {
    let content = try db.value("SELECT content FROM site WHERE name = \(name)", as: String.self)
    return try content.map { try WireJSON.decode(Site.self, from: $0.utf8) } ?? Site()
  }

  static func save(_ site: Site, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO site (name, content) VALUES (\(name), \(json: site))
      ON CONFLICT (name) DO UPDATE SET content = excluded.content
      """
    )
  }
}
