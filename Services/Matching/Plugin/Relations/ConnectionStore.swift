import Contracts
import Persistence

/// Connections between users, stored in both directions, and requests for them.
enum ConnectionStore {
  static func areConnected(_ one: UserID, _ other: UserID, in db: any Connection) throws -> Bool { false }
}
