import Contracts
import Persistence
import PlatformRules
import ServiceKit
import SyncMerge

/// A set as a user sees it. Its texts stay encrypted until ``SetReader/view(_:)``.
struct SetRow: Sendable {
  var record: StoredRecord
  /// That of the user's membership.
  var number: Int64
  var role: SpaceRole
  var joinedAt: Timestamp
  var checksums: SpaceChecksums
  var owner: UserID?
  var openedAt: Timestamp?
  var isPublished: Bool

  var id: StudySetID { StudySetID(trusted: record.id.rawValue) }
  /// The time by which sets are ordered by opening.
  var lastUse: Timestamp { max(openedAt ?? joinedAt, joinedAt) }
}

/// Reads the sets that a user sees.
struct SetReader: Sendable {
  let core: StudyCore

  init(_ core: StudyCore) { self.core = core }

  /// - Throws: ``Problem`` when the user does not see the set, or it is deleted.
  static func get(_ id: StudySetID, for user: UserID, in db: any Connection) throws -> SetRow {
    let rows = try list(
      "m.user_id = \(user) AND m.space_id = \(id.space) AND r.deleted_at IS NULL", "m.number", limit: 1, in: db)
    guard let row = rows.first else { throw Problem(.studySetNotFound) }
    return row
  }

  static func list(_ condition: SQL, _ order: SQL, limit: Int, in db: any Connection) throws -> [SetRow] {
    try db.all(
      """
      SELECT r.id, r.space_id, r.collection, r.sequence, r.position, r.content, r.created_at, r.changed_at,
        r.deleted_at, r.has_conflict, r.expires_at, m.number, m.role, m.joined_at, s.checksums, o.user_id AS owner_id, v.opened_at,
        p.set_id AS published_id
      FROM space_members m
      JOIN spaces s ON s.id = m.space_id
      JOIN sync_records r ON r.id = m.space_id
      LEFT JOIN space_grants o ON o.space_id = m.space_id AND o.source = 'owner'
      LEFT JOIN set_visits v ON v.user_id = m.user_id AND v.set_id = m.space_id
      LEFT JOIN publications p ON p.set_id = m.space_id AND p.removed_at IS NULL
      WHERE m.left_at IS NULL AND \(condition) ORDER BY \(order) LIMIT \(limit)
      """
    ) { row in
      let record = try RecordStore.decode(row)
      let (number, role): (Int64, SpaceRole) = (try row["number"], try row["role"])
      let (joinedAt, owner): (Timestamp, UserID?) = (try row["joined_at"], try row["owner_id"])
      let published: StudySetID? = try row["published_id"]
      return SetRow(
        record: record, number: number, role: role, joinedAt: joinedAt, checksums: try row[json: "checksums"],
        owner: owner, openedAt: try row["opened_at"], isPublished: published != nil)
    }
  }

  /// Opens sets, and asks once for the names of their owners.
  func view(_ rows: [SetRow]) async throws -> [StudySet] {
    let contents = try rows.map { try core.records.open($0.record) }
    let names = await core.names.of(rows.compactMap(\.owner) + contents.compactMap(\.originOwner))
    return zip(rows, contents).map { row, content in
      let originOwner = content.originOwner.flatMap { names[$0]?.displayName }
      return StudySet(
        id: row.id, title: content["title"]?.string ?? "",
        description: content["description"]?.string.flatMap { $0.isEmpty ? nil : $0 }, tags: content.tags,
        role: SetRole(row.role), ownerID: row.owner, owner: row.owner.flatMap { names[$0] },
        cardCount: row.checksums[.cards].count, isPublished: row.isPublished,
        origin: content.origin(owner: originOwner),
        variants: content.wireVariants, createdAt: row.record.createdAt, changedAt: row.record.changedAt,
        lastOpenedAt: row.openedAt, deletedAt: row.record.deletedAt, version: Int(row.record.sequence))
    }
  }

  func view(_ row: SetRow) async throws -> StudySet {
    guard let set = try await view([row]).first else { throw Problem(.studySetNotFound) }
    return set
  }

  /// A set after a change of the user.
  func current(_ id: StudySetID, for user: UserID) async throws -> StudySet {
    try await view(core.database.read { db in try Self.get(id, for: user, in: db) })
  }
}

extension SetRole {
  init(_ role: SpaceRole) {
    switch role {
    case .viewer: self = .viewer
    case .editor: self = .editor
    case .owner: self = .owner
    }
  }
}

extension MergeRecord where Value == JSONValue {
  var tags: [String] { self["tags"]?.elements.compactMap(\.string) ?? [] }

  /// The owner of what the set was copied from.
  var originOwner: UserID? { self["origin"]?["ownerID"]?.string.flatMap { UserID($0) } }

  func origin(owner: String?) -> SetOrigin? {
    guard let origin = self["origin"], let set = origin["set"]?.string.flatMap({ StudySetID($0) }) else { return nil }
    return SetOrigin(set: set, title: origin["title"]?.string ?? "", owner: owner)
  }

  var wireVariants: [SyncVariant]? {
    variants.isEmpty ? nil : variants.map { SyncVariant(field: $0.field, text: $0.text, version: $0.version) }
  }
}
