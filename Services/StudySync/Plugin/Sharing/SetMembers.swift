import Contracts
import Persistence
import ServiceKit

/// The users who see a set because it is theirs or was shared with them. Courses have grants of their own.
enum SetMembers {
  static let owner = "owner"
  static let share = "share"
  /// How many users a set can be shared with.
  static let maxShares = 100
  /// How many sets can be shared with a user, besides those of the user's own.
  static let maxReceived = 1000

  struct Member: Sendable {
    var user: UserID
    var role: SpaceRole
  }

  /// The owner first.
  static func list(of set: StudySetID, in db: any Connection) throws -> [Member] {
    let grants = try SpaceStore.grants(in: set.space, from: [owner, share], db)
    return grants.filter { $0.source == owner }.map { Member(user: $0.user, role: .owner) }
      + grants.filter { $0.source == share }.map { Member(user: $0.user, role: $0.role) }
  }

  /// How many sets a user owns: those that others share do not keep the user from making sets.
  static func countOwned(by user: UserID, in db: any Connection) throws -> Int { try count(owner, of: user, in: db) }

  private static func count(_ source: String, of user: UserID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM space_grants WHERE source = \(source) AND user_id = \(user)")
  }

  /// Makes a user a member, or changes the role of one.
  static func add(_ user: UserID, as role: SpaceRole, to set: StudySetID, in tx: Transaction) throws {
    let others = try list(of: set, in: tx).filter { $0.role != .owner && $0.user != user }
    guard others.count < maxShares else {
      throw Problem(.tooManyShares, detail: "A set can be shared with \(maxShares) users.")
    }
    if try SpaceStore.role(of: user, in: set.space, tx) == nil, try count(share, of: user, in: tx) >= maxReceived {
      throw Problem(.tooManyStudySets, detail: "\(maxReceived) sets can be shared with a user.")
    }
    try SpaceStore.grant(role, to: user, in: set.space, source: share, tx)
    try hint(user, in: tx)
  }

  /// Ends a share. The user's devices delete their copies, unless there is another grant.
  static func remove(_ user: UserID, from set: StudySetID, in tx: Transaction) throws {
    try OwnershipOfferStore.delete(to: user, of: set, in: tx)
    guard try SpaceStore.revoke(user, in: set.space, source: share, tx) else { return }
    try tx.record(RealtimeEvent(to: user, "studySet.unshared", ["set": .string(set.rawValue)]))
    try hint(user, in: tx)
  }

  /// Passes on the ownership to a member, who publishes the set anew or not; the old owner becomes an editor.
  static func passOn(_ set: StudySetID, from old: UserID, to new: UserID, in tx: Transaction) throws {
    try SpaceStore.grant(.editor, to: old, in: set.space, source: share, tx)
    // One grant of an owner at a time.
    try SpaceStore.revoke(old, in: set.space, source: owner, tx)
    try SpaceStore.grant(.owner, to: new, in: set.space, source: owner, tx)
    try SpaceStore.revoke(new, in: set.space, source: share, tx)
    try OwnershipOfferStore.delete(of: set, in: tx)
    try unpublish(set, for: new, in: tx)
    for user in [old, new] { try hint(user, in: tx) }
  }

  /// Ends the publication of the owner before. One that support has removed stays, so that it is not published again.
  static func unpublish(_ set: StudySetID, for owner: UserID, in tx: Transaction) throws {
    guard let publication = try PublicationStore.find(set, in: tx) else { return }
    guard publication.removedAt == nil else { return try PublicationStore.setOwner(owner, of: set, in: tx) }
    try PublicationStore.delete(set, in: tx)
    try LibraryReportStore.delete(of: set, in: tx)
  }

  /// Notifies the devices of a user that there is something to synchronize.
  static func hint(_ user: UserID, in tx: Transaction) throws {
    try tx.record(SyncHint.changed(for: user, by: nil))
  }
}

/// Sharing and publication follow sets that end or pass to an heir.
struct SetMembersObserver: StudyObserver {
  func setRemoved(_ set: StudySetID, in tx: Transaction) throws {
    try SetLinkStore.delete(of: set, in: tx)
    try SetRemovalStore.delete(from: set, in: tx)
    try OwnershipOfferStore.delete(of: set, in: tx)
    try PublicationStore.delete(set, in: tx)
    try LibraryReportStore.delete(of: set, in: tx)
  }

  func setPassed(_ set: StudySetID, to owner: UserID, in tx: Transaction) throws {
    try SpaceStore.revoke(owner, in: set.space, source: SetMembers.share, tx)
    try OwnershipOfferStore.delete(of: set, in: tx)
    try SetMembers.unpublish(set, for: owner, in: tx)
    try SetMembers.hint(owner, in: tx)
  }
}
