import Contracts
import Persistence
import ServiceKit

/// What becomes of sets when their owner's account is deleted: an editor inherits what is edited together, the rest is
/// deleted, also from the devices of readers.
struct SetSuccession: Feature {
  private let core: StudyCore

  init(_ core: StudyCore) { self.core = core }

  /// The sets that the user sees, with the cards of the user's own ones.
  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let sets = try SetReader.list("m.user_id = \(user)", "m.number", limit: SyncPush.maxSpaces, in: db)
    let content = try sets.map { set -> JSONValue in
      let isOwn = set.role == .owner
      let cards =
        try isOwn
        ? RecordStore.list(
          "space_id = \(set.id.space) AND collection = 'cards'", "position, id", limit: SyncPush.maxCards, in: db) : []
      return .object([
        ("role", .string(set.role.rawValue)), ("set", try JSONValue(core.records.wire(set.record))),
        ("cards", isOwn ? .array(try cards.map { try JSONValue(core.records.wire($0)) }) : nil),
      ])
    }
    return [("studySets", .array(content))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    for space in try SpaceStore.spaces(grantedTo: user, source: SetMembers.owner, tx) where space != user.space {
      let set = StudySetID(trusted: space.rawValue)
      let editors = try SetMembers.list(of: set, in: tx).filter { $0.role == .editor }
      if let heir = editors.first {
        try SetMembers.passOn(set, from: user, to: heir.user, in: tx)
      } else {
        try delete(set, in: tx)
      }
    }
    for space in try SpaceStore.spaces(grantedTo: user, source: SetMembers.share, tx) {
      try SpaceStore.revoke(user, in: space, source: SetMembers.share, tx)
    }
  }

  private func delete(_ set: StudySetID, in tx: Transaction) throws {
    for (user, _) in try SpaceStore.members(of: set.space, in: tx) {
      for grant in try SpaceStore.grants(of: user, in: set.space, tx) {
        try SpaceStore.revoke(user, in: set.space, source: grant.source, tx)
      }
      try SetMembers.hint(user, in: tx)
    }
    try SetLinkStore.delete(of: set, in: tx)
    try PublicationStore.delete(set, in: tx)
    try RecordStore.delete(of: set.space, in: tx)
    try SpaceStore.delete(set.space, in: tx)
  }
}
