import Contracts
import Persistence

/// An object of a service; those who may see it may load a media item.
struct MediaAudienceObject: Sendable, Hashable {
  var service: String
  var object: Topic
}

/// The objects that use media, as the services report them.
enum MediaReferenceStore {
  /// How long it is known which reports about an object without media are late, in seconds: longer than events are
  /// delivered again.
  private static let sequenceSeconds = 30 * 86_400.0

  /// The objects whose readers may load a media item.
  static func audiences(of media: MediaID, limit: Int, in db: any Connection) throws -> [MediaAudienceObject] {
    try db.all(
      """
      SELECT DISTINCT service, readers FROM media_references
      WHERE media_id = \(media) AND access = \(MediaAccessKind.readers) ORDER BY service, readers LIMIT \(limit)
      """
    ) { row in MediaAudienceObject(service: try row["service"], object: try row["readers"]) }
  }

  /// The kinds of access in which a media item is used.
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
    let refused = try refused(event.uses.filter { $0.claimedBy != nil }, in: event.object, of: service, tx)
    let uses = event.uses.filter { !refused.contains($0.media) }
    let forgetAt = uses.isEmpty ? tx.now.advanced(bySeconds: sequenceSeconds) : nil
    try tx.execute(
      """
      INSERT INTO media_objects (service, object, sequence, forget_at)
      VALUES (\(service), \(event.object), \(event.sequence), \(forgetAt))
      ON CONFLICT (service, object) DO UPDATE SET sequence = excluded.sequence, forget_at = excluded.forget_at
      """
    )
    try tx.execute("DELETE FROM media_references WHERE service = \(service) AND object = \(event.object)")
    for use in uses {
      try tx.execute(
        """
        INSERT INTO media_references (media_id, service, object, access, readers)
        VALUES (\(use.media), \(service), \(event.object), \(use.access), \(use.readers ?? event.object))
        ON CONFLICT DO NOTHING
        """
      )
    }
    return true
  }

  /// Media that users other than their owners have named, without those that the object uses already: their owners may
  /// have deleted their accounts since.
  private static func refused(_ claims: [MediaUse], in object: Topic, of service: String, _ tx: Transaction) throws
    -> Set<MediaID>
  {
    guard !claims.isEmpty else { return [] }
    let media = claims.map(\.media)
    let known: [MediaID] = try tx.values(
      """
      SELECT DISTINCT media_id FROM media_references
      WHERE service = \(service) AND object = \(object) AND media_id IN \(list: media)
      """)
    let rows = try tx.all("SELECT id, owner_id FROM media WHERE id IN \(list: media)") { row -> (MediaID, UserID) in
      (try row["id"], try row["owner_id"])
    }
    let owners = Dictionary(rows) { first, _ in first }
    return Set(claims.filter { owners[$0.media] != $0.claimedBy }.map(\.media)).subtracting(known)
  }

  /// Forgets objects without uses of which nothing has been reported for long.
  static func forgetObjects(limit: Int, in tx: Transaction) throws -> Int {
    let old = try tx.all(
      """
      SELECT service, object FROM media_objects WHERE forget_at IS NOT NULL AND forget_at <= \(tx.now)
      ORDER BY forget_at LIMIT \(limit)
      """
    ) { row -> (service: String, object: String) in (try row["service"], try row["object"]) }
    for (service, object) in old {
      try tx.execute("DELETE FROM media_objects WHERE service = \(service) AND object = \(object)")
    }
    return old.count
  }
}
