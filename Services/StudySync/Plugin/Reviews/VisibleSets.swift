import Contracts
import Persistence

/// The sets that a user can study: those that the user sees and that are not deleted.
enum VisibleSets {
  static func list(of user: UserID, in db: any Connection) throws -> [Membership] {
    let sets = try SpaceStore.memberships(of: user, in: db).filter { $0.space.id != user.space }
    let existing = try existing(sets.map(\.space.id), in: db)
    return sets.filter { existing.contains($0.space.id) }
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
