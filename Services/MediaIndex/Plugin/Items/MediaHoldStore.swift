import Contracts
import Persistence

/// Media that a service is about to use: between its check and its report nothing is deleted.
enum MediaHoldStore {
  /// How long a change may take from the check of its media to its commit, and how far the clocks of services differ at
  /// most, in seconds.
  static let changeSeconds = 3600.0
  /// How long media are held without a report, in seconds: a change, and then all attempts to deliver its report, of
  /// which the relay makes 600 with at most 300 s between them.
  static let seconds = changeSeconds + 600 * 300

  static func exists(of media: MediaID, in tx: Transaction) throws -> Bool {
    try tx.exists("SELECT 1 FROM media_holds WHERE media_id = \(media) AND expires_at > \(tx.now) LIMIT 1")
  }

  static func put(_ media: [MediaID], for object: Topic, of service: String, in tx: Transaction) throws {
    let until = tx.now.advanced(bySeconds: seconds)
    for media in media {
      try tx.execute(
        """
        INSERT INTO media_holds (media_id, service, object, expires_at)
        VALUES (\(media), \(service), \(object), \(until))
        ON CONFLICT (media_id, service, object) DO UPDATE SET expires_at = excluded.expires_at
        """
      )
    }
  }

  /// Ends the holds for an object whose uses are known, but not those for another change of it, which may have been
  /// checked before and commit afterwards.
  ///
  /// - Parameters:
  ///   - time: When the uses were reported.
  ///   - media: What is used from now on.
  static func end(
    for object: Topic, of service: String, before time: Timestamp, or media: [MediaID], in tx: Transaction
  ) throws {
    try tx.execute(
      """
      DELETE FROM media_holds WHERE service = \(service) AND object = \(object)
        AND (expires_at <= \(time.advanced(bySeconds: seconds - changeSeconds)) OR media_id IN \(list: media))
      """
    )
  }

  /// Ends the holds for a request of media that one of its objects uses from now on.
  static func end(_ media: [MediaID], checkedFor request: Topic, of service: String, in tx: Transaction) throws {
    try tx.execute(
      "DELETE FROM media_holds WHERE service = \(service) AND object = \(request) AND media_id IN \(list: media)")
  }

  static func deleteExpired(in tx: Transaction) throws -> Int {
    try tx.execute("DELETE FROM media_holds WHERE expires_at <= \(tx.now)")
  }
}
