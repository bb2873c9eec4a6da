import Contracts
import Persistence

/// When rights to follow topics have last ended, so that a stream that resumes does not catch up on what happened while
/// its user could not follow a topic. There is one row for a topic and user, however often the right ends.
enum TopicEndStore {
  /// Stands for everyone.
  private static let everyone = ""

  static func insert(_ ended: TopicAccessEnded, at number: Int64, in tx: Transaction) throws {
    for topic in Set(ended.topics) {
      try tx.execute(
        """
        INSERT INTO realtime_ends (topic, user_id, number, ended_at)
        VALUES (\(topic), \(ended.user?.rawValue ?? everyone), \(number), \(tx.now))
        ON CONFLICT (topic, user_id) DO UPDATE SET number = excluded.number, ended_at = excluded.ended_at
        """
      )
    }
  }

  static func delete(before moment: Timestamp, in tx: Transaction) throws {
    try tx.execute("DELETE FROM realtime_ends WHERE ended_at < \(moment)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM realtime_ends WHERE user_id = \(user)")
  }

  /// The topics that a user could not follow at some time after a number.
  static func interrupted(_ topics: Set<Topic>, of user: UserID, after number: Int64, in db: any Connection) throws
    -> Set<Topic>
  {
    guard !topics.isEmpty else { return [] }
    let found = try db.values(
      """
      SELECT topic FROM realtime_ends
      WHERE topic IN \(list: topics.map(\.rawValue)) AND user_id IN \(list: [everyone, user.rawValue])
        AND number > \(number)
      """,
      as: String.self
    )
    return Set(found.map { Topic(checked: $0) })
  }
}
