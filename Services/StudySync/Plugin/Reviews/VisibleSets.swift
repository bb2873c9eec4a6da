import Contracts
import Persistence

/// The sets that a user can study: those that the user sees and that are not deleted.
enum VisibleSets {
  static func list(of user: UserID, in db: any Connection) throws -> [Membership] {
    let sets = try SpaceStore.memberships(of: user, in: db).filter { $0.space.id != user.space }
    let existing = try existing(sets.map(\.space.id), in: db)
    return sets.filter { existing.contains($0.space.id) }
  }

  /// The sets that a user sees, or has seen until lately.
  static func known(_ sets: Set<StudySetID>, to user: UserID, in db: any Connection) throws -> Set<StudySetID> {
    guard !sets.isEmpty else { return [] }
    let spaces = sets.map(\.space).sorted { $0.rawValue < $1.rawValue }
    var known: Set<StudySetID> = []
    for start in stride(from: 0, to: spaces.count, by: 1000) {
      let batch = Array(spaces[start..<min(start + 1000, spaces.count)])
      let found: [StudySetID] = try db.values(
        "SELECT DISTINCT space_id FROM space_members WHERE user_id = \(user) AND space_id IN \(list: batch)")
      known.formUnion(found)
    }
    return known
  }

  static func find(_ set: StudySetID, of user: UserID, in db: any Connection) throws -> Membership? {
    guard let membership = try SpaceStore.membership(of: user, in: set.space, db),
      try existing([set.space], in: db).contains(set.space)
    else { return nil }
    return membership
  }

  /// - Throws: ``Problem`` 404 unless the user can study all of the sets.
  static func require(_ sets: Set<StudySetID>, for writer: SpaceWriter) throws {
    let spaces = sets.map(\.space)
    guard try existing(spaces, in: writer.tx).count == spaces.count,
      try spaces.allSatisfy({ try writer.role(in: $0) != nil })
    else { throw Problem(.notFound) }
  }

  private static func existing(_ spaces: [SpaceID], in db: any Connection) throws -> Set<SpaceID> {
    guard !spaces.isEmpty else { return [] }
    return Set(
      try db.values(
        """
        SELECT id FROM sync_records
        WHERE id IN \(list: spaces) AND collection = \(SyncCollection.sets) AND deleted_at IS NULL
        """, as: SpaceID.self))
  }
}
