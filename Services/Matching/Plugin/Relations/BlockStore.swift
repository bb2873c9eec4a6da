import Contracts
import Persistence

/// Who has blocked whom. Between two users of which one has blocked the other, nothing happens any more.
enum BlockStore {
  /// Whether one of the two users has blocked the other.
  static func exists(between one: UserID, and other: UserID, in db: any Connection) throws -> Bool { false }

  /// Those of the users who have blocked the user or are blocked by them.
  static func others(of user: UserID, among ids: [UserID], in db: any Connection) throws -> Set<UserID> { [] }
}
