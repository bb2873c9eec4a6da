import Contracts
import Persistence

/// A use of a medium in an object of a service.
struct MediaReference: Sendable, Hashable {
  var service: String
  var object: Topic
  var access: MediaAccessKind
}

/// What media are used in, as the services report it.
enum MediaReferenceStore {
  /// The uses of a medium that may allow someone to load it.
  static func list(of media: MediaID, _ access: [MediaAccessKind], limit: Int, in db: any Connection) throws
    -> [MediaReference]
  {
    try db.all(
      """
      SELECT service, object, access FROM media_references
      WHERE media_id = \(media) AND access IN \(list: access) ORDER BY service, object LIMIT \(limit)
      """
    ) { row in
      MediaReference(service: try row["service"], object: try row["object"], access: try row["access"])
    }
  }

  /// Which ways of using it a medium is used in.
  static func kinds(of media: MediaID, in db: any Connection) throws -> Set<MediaAccessKind> {
    Set(
      try db.all("SELECT DISTINCT access FROM media_references WHERE media_id = \(media)") { row in
        try row["access"] as MediaAccessKind
      })
  }

  static func exists(of media: MediaID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM media_references WHERE media_id = \(media) LIMIT 1")
  }

  /// Replaces the uses of an object, unless a later change of it is known.
  /// - Returns: Whether they were replaced.
  static func apply(_ event: MediaReferencesChanged, from service: String, in tx: Transaction) throws -> Bool {
    let known = try tx.value(
      "SELECT sequence FROM media_objects WHERE service = \(service) AND object = \(event.object)", as: Int64.self)
    guard known.map({ $0 < event.sequence }) ?? true else { return false }
    try tx.execute(
      """
      INSERT INTO media_objects (service, object, sequence, changed_at)
      VALUES (\(service), \(event.object), \(event.sequence), \(tx.now))
      ON CONFLICT (service, object) DO UPDATE SET sequence = excluded.sequence, changed_at = excluded.changed_at
      """
    )
    try tx.execute("DELETE FROM media_references WHERE service = \(service) AND object = \(event.object)")
    for use in Set(event.uses) {
      try tx.execute(
        """
        INSERT INTO media_references (media_id, service, object, access)
        VALUES (\(use.media), \(service), \(event.object), \(use.access))
        """
      )
    }
    return true
  }

  /// Forgets objects without uses of which nothing has been reported for long: late events are not retried so long.
  static func forgetObjects(before time: Timestamp, limit: Int, in tx: Transaction) throws -> Int {
    let old = try tx.all(
      """
      SELECT service, object FROM media_objects o WHERE changed_at < \(time) AND NOT EXISTS
        (SELECT 1 FROM media_references r WHERE r.service = o.service AND r.object = o.object)
      ORDER BY changed_at LIMIT \(limit)
      """
    ) { row -> (service: String, object: String) in (try row["service"], try row["object"]) }
    for (service, object) in old {
      try tx.execute("DELETE FROM media_objects WHERE service = \(service) AND object = \(object)")
    }
    return old.count
  }
}
