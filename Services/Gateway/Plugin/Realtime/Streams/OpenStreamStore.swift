import Contracts
import Persistence
import ServiceKit

/// The open streams of all gateways, so that one gateway can change what a stream of another one follows.
enum OpenStreamStore {
  static func insert(_ streams: [EventStream], in tx: Transaction) throws {
    for stream in streams {
      let viewer = stream.viewer
      try tx.executeLater(
        """
        INSERT INTO realtime_streams (id, user_id, session_id, opened_at, expires_at)
        VALUES (\(stream.id), \(viewer.id), \(viewer.sessionID), \(tx.now), \(viewer.expiresAt)) ON CONFLICT DO NOTHING
        """
      )
    }
  }

  static func exists(_ id: StreamID, of user: UserID, _ session: SessionID, in db: any Connection) throws -> Bool {
    try db.exists(
      "SELECT 1 FROM realtime_streams WHERE id = \(id) AND user_id = \(user) AND session_id = \(session)"
    )
  }

  static func delete(_ ids: [StreamID], in tx: Transaction) throws {
    try tx.execute("DELETE FROM realtime_streams WHERE id IN \(list: ids)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM realtime_streams WHERE user_id = \(user)")
  }

  /// Deletes the streams of gateways that were killed: no stream outlives its token.
  static func delete(expiredBefore moment: Timestamp, in tx: Transaction) throws {
    try tx.execute("DELETE FROM realtime_streams WHERE expires_at < \(moment)")
  }

  static func export(_ user: UserID, in db: any Connection) throws -> JSONValue {
    .array(
      try db.all(
        "SELECT id, session_id, opened_at FROM realtime_streams WHERE user_id = \(user) ORDER BY id LIMIT 10000"
      ) { row -> JSONValue in
        let at: Timestamp = try row["opened_at"]
        return [
          "id": .string(try row["id"]), "session": .string(try row["session_id"]), "openedAt": .string(at.description),
        ]
      }
    )
  }
}
