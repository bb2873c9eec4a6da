import Contracts
import Persistence
import ServiceKit

/// A profile as stored.
struct StoredRoommate: Sendable {
  let userID: UserID
  /// Another one after the profile has been deleted and created again.
  let generation: String
  var isComplete: Bool
  var version: Int
  var stages: RoommateStages
  var updatedAt: Timestamp
  var activeAt: Timestamp

  /// The person whom others may see; `nil` for a draft.
  var visible: CompleteProfile? { isComplete ? CompleteProfile(userID, stages) : nil }

  var response: RoommateProfile {
    RoommateProfile(
      contact: stages.contact, identity: stages.identity, about: stages.about, preferences: stages.preferences,
      photos: stages.photos, isComplete: isComplete, missingStages: stages.missing, version: version,
      updatedAt: updatedAt)
  }
}

/// A complete profile that has not been decrypted.
struct SealedRoommate: Sendable {
  let userID: UserID
  let sealed: String
}

/// The changes of the complete profiles since a number.
struct RoommateChanges: Sendable {
  /// The number of the latest change.
  var number: Int64
  /// Whether earlier changes are missing, so that everything has to be read again.
  var isIncomplete = false
  /// The profiles that have changed, as they are now; `nil` for those that are not visible any more.
  var profiles: [(userID: UserID, profile: CompleteProfile?)] = []
}

/// Stores profiles, all of whose values are encrypted together, and numbers their changes.
///
/// Changes of visible profiles get consecutive numbers from one row that is updated in the same transaction, so that
/// they become visible in the order of their numbers, also with several instances.
struct RoommateProfileStore: Sendable {
  let keys: DataKeys

  static let column = SealedColumn("roommate_profiles", key: "user_id", "sealed")
  /// Indexes that are further behind are read again.
  private static let maxChanges = 4096

  // MARK: profiles

  func find(_ user: UserID, in db: any Connection) throws -> StoredRoommate? { try list([user], in: db).first }

  private func list(_ users: [UserID], in db: any Connection) throws -> [StoredRoommate] {
    try db.all(
      """
      SELECT user_id, generation, is_complete, version, sealed, updated_at, active_at FROM roommate_profiles
      WHERE user_id IN \(list: users)
      """
    ) { row in
      let user: UserID = try row["user_id"]
      return StoredRoommate(
        userID: user, generation: try row["generation"], isComplete: try row["is_complete"],
        version: try row["version"], stages: try open(try row["sealed"], of: user), updatedAt: try row["updated_at"],
        activeAt: try row["active_at"])
    }
  }

  /// The visible profiles of users.
  func visible(_ users: [UserID], in db: any Connection) throws -> [UserID: CompleteProfile] {
    guard !users.isEmpty else { return [:] }
    return try list(users, in: db).reduce(into: [:]) { $0[$1.userID] = $1.visible }
  }

  static func isVisible(_ user: UserID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM roommate_profiles WHERE user_id = \(user) AND is_complete = 1")
  }

  /// Complete profiles in the order of their users' ids.
  static func page(after user: UserID?, limit: Int, in db: any Connection) throws -> [SealedRoommate] {
    try db.all(
      """
      SELECT user_id, sealed FROM roommate_profiles WHERE is_complete = 1 AND user_id > \(user?.rawValue ?? "")
      ORDER BY user_id LIMIT \(limit)
      """
    ) { row in SealedRoommate(userID: try row["user_id"], sealed: try row["sealed"]) }
  }

  func open(_ row: SealedRoommate) throws -> CompleteProfile? {
    CompleteProfile(row.userID, try open(row.sealed, of: row.userID))
  }

  private func open(_ sealed: String, of user: UserID) throws -> RoommateStages {
    try WireJSON.decode(RoommateStages.self, from: keys.open(sealed, in: Self.column, row: user.rawValue))
  }

  /// The most recently active people of a region.
  static func pool(of region: String, activeSince: Timestamp, limit: Int, in db: any Connection) throws -> [UserID] {
    try db.values(
      """
      SELECT user_id FROM roommate_profiles WHERE region = \(region) AND is_complete = 1 AND active_at > \(activeSince)
      ORDER BY active_at DESC, user_id LIMIT \(limit)
      """)
  }

  /// The key under which the people of a region are found; it does not reveal the region.
  func key(of region: RoommateRegion) -> String { keys.lookup(region.name, for: "roommate-regions") }

  func save(_ profile: StoredRoommate, wasVisible: Bool, in tx: Transaction) throws {
    let sealed = try keys.seal(WireJSON.encode(profile.stages), in: Self.column, row: profile.userID.rawValue)
    let region = profile.visible.map { key(of: $0.region) }
    try tx.execute(
      """
      INSERT INTO roommate_profiles
        (user_id, generation, is_complete, version, sealed, region, updated_at, active_at)
      VALUES (\(profile.userID), \(profile.generation), \(profile.isComplete), \(profile.version), \(sealed),
              \(region), \(profile.updatedAt), \(profile.activeAt))
      ON CONFLICT (user_id) DO UPDATE SET is_complete = excluded.is_complete, version = excluded.version,
        sealed = excluded.sealed, region = excluded.region, updated_at = excluded.updated_at,
        active_at = excluded.active_at
      """)
    if wasVisible || profile.isComplete { try Self.recordChange(of: profile.userID, in: tx) }
  }

  /// Notes activity, once a day.
  static func touch(_ profile: StoredRoommate, in tx: Transaction) throws {
    guard tx.now.seconds(since: profile.activeAt) > 86_400 else { return }
    try tx.execute("UPDATE roommate_profiles SET active_at = \(tx.now) WHERE user_id = \(profile.userID)")
  }

  static func delete(_ user: UserID, in tx: Transaction) throws {
    let wasVisible = try isVisible(user, in: tx)
    try tx.execute("DELETE FROM roommate_profiles WHERE user_id = \(user)")
    if wasVisible { try recordChange(of: user, in: tx) }
  }

  // MARK: changes

  private static func recordChange(of user: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE roommate_change_counter SET number = number + 1 WHERE id = 1")
    let number = try changeNumber(in: tx)
    try tx.execute(
      "INSERT INTO roommate_changes (number, user_id, changed_at) VALUES (\(number), \(user), \(tx.now))")
  }

  static func changeNumber(in db: any Connection) throws -> Int64 {
    try db.value("SELECT number FROM roommate_change_counter WHERE id = 1") ?? 0
  }

  /// The changes after a number.
  func changes(after number: Int64, in db: any Connection) throws -> RoommateChanges {
    let latest = try Self.changeNumber(in: db)
    guard latest != number else { return RoommateChanges(number: latest) }
    let found = try db.all(
      """
      SELECT number, user_id FROM roommate_changes WHERE number > \(number) ORDER BY number LIMIT \(Self.maxChanges)
      """
    ) { row -> (number: Int64, user: UserID) in (try row["number"], try row["user_id"]) }
    guard found.first?.number == number + 1, found.last?.number == latest else {
      return RoommateChanges(number: latest, isIncomplete: true)
    }
    let users = Array(Set(found.map(\.user)))
    let profiles = try visible(users, in: db)
    return RoommateChanges(number: latest, profiles: users.map { ($0, profiles[$0]) })
  }

  /// Deletes changes that every index has read, or has to do without.
  static func purgeChanges(before time: Timestamp, in tx: Transaction) throws {
    try tx.execute("DELETE FROM roommate_changes WHERE changed_at < \(time)")
  }
}
