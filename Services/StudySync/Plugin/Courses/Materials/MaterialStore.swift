import Contracts
import Persistence
import ServiceKit

/// A material as stored. Its content stays encrypted until ``MaterialStore/open(_:)``.
struct StoredMaterial: Sendable {
  let id: MaterialID
  let course: CourseID
  var position: Int64
  let kind: CourseMaterial.Kind
  var sealed: String
  let set: StudySetID?
  let createdAt: Timestamp
  var version: Int
}

/// The materials of courses, in their order.
struct MaterialStore: Sendable {
  let keys: DataKeys

  static let contentColumn = SealedColumn("course_materials", "content")

  struct Content: Codable, Sendable {
    var title: ShortText
    var text: CourseText?
    var url: WebLink?
    var media: MediaID?
  }

  struct Cursor: PageCursor {
    var position: Int64
    var id: MaterialID

    init(_ material: StoredMaterial) { (position, id) = (material.position, material.id) }

    init?(cursor: String) {
      let parts = cursor.split(separator: "_", omittingEmptySubsequences: false).map { String($0) }
      guard parts.count == 2, let position = Int64(parts[0]), let id = MaterialID(parts[1]) else { return nil }
      (self.position, self.id) = (position, id)
    }

    var cursor: String { "\(position)_\(id)" }
  }

  func seal(_ content: Content, of id: MaterialID) throws -> String {
    try keys.sealContent(content, in: Self.contentColumn, row: id.rawValue)
  }

  func content(_ stored: StoredMaterial) throws -> Content {
    try keys.openContent(stored.sealed, in: Self.contentColumn, row: stored.id.rawValue)
  }

  func open(_ stored: StoredMaterial) throws -> CourseMaterial {
    let content = try content(stored)
    return CourseMaterial(
      id: stored.id, kind: stored.kind, title: content.title, text: content.text, url: content.url,
      media: content.media, set: stored.set, createdAt: stored.createdAt, version: stored.version)
  }

  // MARK: reading

  static func list(of course: CourseID, after: Cursor?, limit: Int, in db: any Connection) throws -> [StoredMaterial] {
    let rest: SQL? = after.map { "(position, id) > (\($0.position), \($0.id))" }
    return try list(.and("course_id = \(course)", rest), limit: limit, in: db)
  }

  static func get(_ id: MaterialID, of course: CourseID, in db: any Connection) throws -> StoredMaterial {
    guard let material = try list("id = \(id) AND course_id = \(course)", limit: 1, in: db).first else {
      throw Problem(.notFound)
    }
    return material
  }

  /// The study sets among the materials, without those that were deleted with their owner's account.
  static func sets(of course: CourseID, in db: any Connection) throws -> [StudySetID] {
    try db.values(
      """
      SELECT m.set_id FROM course_materials m JOIN spaces s ON s.id = m.set_id
      WHERE m.course_id = \(course) AND m.set_id IS NOT NULL ORDER BY m.set_id
      """
    )
  }

  /// The courses to which a set is attached.
  static func courses(with set: StudySetID, in db: any Connection) throws -> [CourseID] {
    try db.values("SELECT course_id FROM course_materials WHERE set_id = \(set) ORDER BY course_id")
  }

  /// The material of a set.
  static func find(_ set: StudySetID, in course: CourseID, _ db: any Connection) throws -> MaterialID? {
    try db.value("SELECT id FROM course_materials WHERE course_id = \(course) AND set_id = \(set)")
  }

  private static func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [StoredMaterial] {
    try db.all(
      """
      SELECT id, course_id, position, kind, content, set_id, created_at, version FROM course_materials
      WHERE \(condition) ORDER BY position, id LIMIT \(limit)
      """
    ) { row in
      StoredMaterial(
        id: try row["id"], course: try row["course_id"], position: try row["position"], kind: try row["kind"],
        sealed: try row["content"], set: try row["set_id"], createdAt: try row["created_at"],
        version: try row["version"])
    }
  }

  /// How many materials a course has, and the position of the last.
  static func end(of course: CourseID, in db: any Connection) throws -> (count: Int, position: Int64) {
    try db.first(
      """
      SELECT COUNT(*) AS count, COALESCE(MAX(position), 0) AS last FROM course_materials WHERE course_id = \(course)
      """
    ) { row in (try row["count"], try row["last"]) } ?? (0, 0)
  }

  // MARK: writing

  static func insert(_ material: StoredMaterial, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO course_materials (id, course_id, position, kind, content, set_id, created_at, version)
      VALUES (\(material.id), \(material.course), \(material.position), \(material.kind), \(material.sealed),
              \(material.set), \(material.createdAt), \(material.version))
      """
    )
  }

  static func update(_ material: StoredMaterial, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE course_materials SET content = \(material.sealed), version = \(material.version + 1)
      WHERE id = \(material.id)
      """
    )
  }

  static func move(_ id: MaterialID, to position: Int64, in tx: Transaction) throws {
    try tx.execute("UPDATE course_materials SET position = \(position) WHERE id = \(id)")
  }

  static func delete(_ id: MaterialID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM course_materials WHERE id = \(id)")
  }
}
