import Contracts
import SyncMerge

enum SpaceSubject {}
/// The key of what belongs to one user, or of a set: what its members share.
typealias SpaceID = ID<SpaceSubject>

extension StudySetID {
  var space: SpaceID { SpaceID(trusted: rawValue) }
}

extension UserID {
  /// Not a UUID, so that no one can take the space of another user by making a set with its id.
  var space: SpaceID { SpaceID(trusted: "user-\(rawValue)") }

  /// The user's record in ``SyncCollection/studySettings``; not a UUID for the same reason.
  var settingsRecord: RecordID { RecordID(trusted: RecordID.settingsPrefix + rawValue) }
}

extension SpaceID {
  /// The user whose own space it is.
  var owner: UserID? { rawValue.hasPrefix("user-") ? UserID(trusted: String(rawValue.dropFirst(5))) : nil }
}

extension RecordID {
  fileprivate static let settingsPrefix = "settings-"

  /// The id as devices know it.
  var wire: String {
    rawValue.hasPrefix(Self.settingsPrefix) ? String(rawValue.dropFirst(Self.settingsPrefix.count)) : rawValue
  }
}

/// Records that are numbered in the order in which they were committed: whoever has everything up to a number misses
/// nothing before it.
struct Space: Sendable {
  let id: SpaceID
  /// The number of the last change.
  var sequence: Int64
  var checksums: SpaceChecksums
}

/// The checksums of a space's collections.
struct SpaceChecksums: Codable, Sendable, Equatable {
  struct Entry: Codable, Sendable, Equatable {
    var count: Int
    var sum: String
  }

  private var entries: [String: Entry] = [:]

  subscript(collection: SyncCollection) -> Checksum {
    get {
      guard let entry = entries[collection.rawValue] else { return Checksum() }
      return Checksum(count: entry.count, sum: UInt64(entry.sum, radix: 16) ?? 0)
    }
    set { entries[collection.rawValue] = Entry(count: newValue.count, sum: String(newValue.sum, radix: 16)) }
  }
}

/// What a user may do in a space.
enum SpaceRole: String, Sendable, Comparable {
  case viewer, editor, owner

  static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .viewer: 0
    case .editor: 1
    case .owner: 2
    }
  }
}

/// A space that a user sees.
struct Membership: Sendable {
  /// Short and unique for the user, for cursors; another one when the user becomes a member again.
  let number: Int64
  let role: SpaceRole
  let space: Space
}
