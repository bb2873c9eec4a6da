import Contracts
import Persistence

/// Events for other services and the gateway when a relation between two users changes.
enum RelationEvents {
  /// The topics that only followers may follow.
  private static let forFollowers: [UserTopic] = [.videos, .streams, .progress]

  /// The streams of a former follower lose the topics of the user.
  static func unfollowed(_ followed: UserID, by follower: UserID, in tx: Transaction) throws {
    try tx.record(TopicAccessEnded(forFollowers.map { $0.of(followed) }, for: follower))
  }

  /// They are connected no longer.
  static func disconnected(_ one: UserID, _ other: UserID, in tx: Transaction) throws {
    try tx.record(ConnectionChanged(one, other, isConnected: false))
    try presenceChanged(one, other, in: tx)
  }

  /// A connection or match has ended: their streams lose each other's presence, unless they may see it for another
  /// reason.
  static func presenceChanged(_ one: UserID, _ other: UserID, in tx: Transaction) throws {
    for (user, reader) in [(one, other), (other, one)]
    where try PresenceAccess.visible([user], to: reader, in: tx).isEmpty {
      try tx.record(TopicAccessEnded([UserTopic.presence.of(user)], for: reader))
    }
  }

  /// Their streams lose every topic of each other.
  static func blocked(_ blocked: UserID, by blocker: UserID, in tx: Transaction) throws {
    try tx.record(BlockChanged(blocker: blocker, blocked: blocked, isBlocked: true))
    for (user, reader) in [(blocker, blocked), (blocked, blocker)] {
      try tx.record(TopicAccessEnded(UserTopic.allCases.map { $0.of(user) }, for: reader))
    }
  }

  /// Everyone's streams lose the topics of a deleted user.
  static func deleted(_ user: UserID, in tx: Transaction) throws {
    try tx.record(TopicAccessEnded(UserTopic.allCases.map { $0.of(user) }, for: nil))
  }
}
