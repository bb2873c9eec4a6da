import Contracts
import Persistence
import ServiceKit

/// A membership as stored.
struct StoredMember: Sendable {
  var id: ID<StoredMember>
  var school: SchoolID
  var user: UserID
  var role: SchoolRole
  var number: SourceID?
  var joinedAt: Timestamp
  /// When the school removed the member; a list with the number brings the member back.
  var leftAt: Timestamp?
}

/// The members of schools. The schools' own numbers of their members are encrypted and looked up by a keyed hash.
struct SchoolMemberStore: Sendable {
  let keys: DataKeys

  static let numberColumn = SealedColumn("school_members", "number")

  private static let columns: SQL = "id, school_id, user_id, role, number, joined_at, left_at"

  // MARK: reading

  static func role(of user: UserID, at school: SchoolID, in db: any Connection) throws -> SchoolRole? {
    try db.first(
      "SELECT role FROM school_members WHERE school_id = \(school) AND user_id = \(user) AND left_at IS NULL"
    ) { row in try row["role"] }
  }

  func find(_ user: UserID, at school: SchoolID, in db: any Connection) throws -> StoredMember? {
    try db.first(
      """
      SELECT \(Self.columns) FROM school_members
      WHERE school_id = \(school) AND user_id = \(user) AND left_at IS NULL
      """, decode)
  }

  /// Also one who was removed.
  func find(_ number: SourceID, at school: SchoolID, in db: any Connection) throws -> StoredMember? {
    try db.first(
      """
      SELECT \(Self.columns) FROM school_members
      WHERE school_id = \(school) AND number_lookup = \(lookup(number, school))
      """, decode)
  }

  /// Also those that have ended.
  func list(of user: UserID, in db: any Connection) throws -> [StoredMember] {
    try db.all("SELECT \(Self.columns) FROM school_members WHERE user_id = \(user) ORDER BY id LIMIT 1000", decode)
  }

  func list(at school: SchoolID, after cursor: ID<StoredMember>?, limit: Int, in db: any Connection) throws
    -> [StoredMember]
  {
    let filter = SQL.and("school_id = \(school) AND left_at IS NULL", cursor.map { "id > \($0)" })
    return try db.all("SELECT \(Self.columns) FROM school_members WHERE \(filter) ORDER BY id LIMIT \(limit)", decode)
  }

  private func lookup(_ number: SourceID, _ school: SchoolID) -> String {
    keys.lookup("\(school.rawValue) \(number.rawValue)", for: "school_members.number")
  }

  private func decode(_ row: Row) throws -> StoredMember {
    let id: ID<StoredMember> = try row["id"]
    let sealed: String? = try row["number"]
    let number = try sealed.map { sealed in
      let bytes = try keys.open(sealed, in: Self.numberColumn, row: id.rawValue)
      return SourceID(checked: String(decoding: bytes, as: UTF8.self))
    }
    return StoredMember(
      id: id, school: try row["school_id"], user: try row["user_id"], role: try row["role"], number: number,
      joinedAt: try row["joined_at"], leftAt: try row["left_at"])
  }

  // MARK: writing

  func insert(_ member: StoredMember, in tx: Transaction) throws {
    let number = try member.number.map { number in
      try keys.seal(Array(number.rawValue.utf8), in: Self.numberColumn, row: member.id.rawValue)
    }
    try tx.execute(
      """
      INSERT INTO school_members (id, school_id, user_id, role, number, number_lookup, joined_at)
      VALUES (\(member.id), \(member.school), \(member.user), \(member.role), \(number),
              \(member.number.map { lookup($0, member.school) }), \(member.joinedAt))
      """
    )
  }

  static func setRole(_ role: SchoolRole, of member: StoredMember, in tx: Transaction) throws {
    try tx.execute("UPDATE school_members SET role = \(role) WHERE id = \(member.id)")
  }

  /// - Parameter isLeft: Whether the membership ends, otherwise it begins anew.
  static func setLeft(_ isLeft: Bool, of member: StoredMember, in tx: Transaction) throws {
    let leftAt = isLeft ? tx.now : nil
    try tx.execute("UPDATE school_members SET left_at = \(leftAt) WHERE id = \(member.id)")
  }

  /// Forgets that a user was a member.
  static func deleteLeft(_ user: UserID, at school: SchoolID, in tx: Transaction) throws {
    try tx.execute(
      "DELETE FROM school_members WHERE school_id = \(school) AND user_id = \(user) AND left_at IS NOT NULL")
  }

  /// Forgets that schools have removed a user, so that none of them brings the account back.
  ///
  /// - Returns: How many schools.
  static func deleteLeft(_ user: UserID, in tx: Transaction) throws -> Int {
    try tx.execute("DELETE FROM school_members WHERE user_id = \(user) AND left_at IS NOT NULL")
  }

  static func delete(_ member: StoredMember, in tx: Transaction) throws {
    try tx.execute("DELETE FROM school_members WHERE id = \(member.id)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM school_members WHERE user_id = \(user)")
  }
}
