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

  mutating func append(_ hash: UInt64, to collection: SyncCollection) {
    sequence += 1
    checksums.insert(hash, into: collection)
  }
}

/// The checksums of a space's collections.
struct SpaceChecksums: Sendable, Equatable {
  /// The checksums by the names of collections, also of those that only a newer version of the service has.
  private var checksums: [String: Checksum] = [:]

  subscript(collection: SyncCollection) -> Checksum {
    get { checksums[collection.rawValue] ?? Checksum() }
    set { checksums[collection.rawValue] = newValue }
  }

  mutating func insert(_ hash: UInt64, into collection: SyncCollection) {
    checksums[collection.rawValue, default: Checksum()].insert(hash)
  }
}

extension SpaceChecksums: Codable {
  private struct Entry: Codable {
    var count: Int
    /// In hexadecimal digits.
    var sum: String
  }

  private enum CodingKeys: CodingKey { case entries }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    checksums = try container.decode([String: Entry].self, forKey: .entries).mapValues {
      Checksum(count: $0.count, sum: UInt64($0.sum, radix: 16) ?? 0)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    let entries = checksums.mapValues { Entry(count: $0.count, sum: String($0.sum, radix: 16)) }
    try container.encode(entries, forKey: .entries)
  }
}

/// The rights of a user in a space.
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
