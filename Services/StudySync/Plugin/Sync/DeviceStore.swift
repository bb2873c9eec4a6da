import Contracts
import Persistence

/// The devices that synchronize, so that changes are announced only to users who have another one.
enum DeviceStore {
  private static let day = 86_400.0

  /// A set can have very many readers; those beyond learn of changes when they synchronize next.
  private static let maxNotified = 1000
  /// Devices that a user can have; another one takes the place of the one that was seen the longest time ago.
  static let maxDevices = 30

  /// The members of spaces who have a device that was synchronized within 60 days, other than the one that made the
  /// changes.
  static func usersToNotify(of spaces: [SpaceID], except device: StudyDeviceID?, of user: UserID, in tx: Transaction)
    throws -> [UserID]
  {
    guard !spaces.isEmpty else { return [] }
    let other: SQL? = device.map { "NOT (d.user_id = \(user) AND d.device_id = \($0))" }
    let hasDevice = SQL.and(
      "d.user_id = m.user_id", "d.seen_at > \(tx.now.advanced(bySeconds: -60 * day))", other)
    func members(_ condition: SQL) throws -> [UserID] {
      try tx.values(
        """
        SELECT DISTINCT m.user_id FROM space_members m
        WHERE m.space_id IN \(list: spaces) AND m.left_at IS NULL AND \(condition)
          AND EXISTS (SELECT 1 FROM sync_devices d WHERE \(hasDevice))
        ORDER BY m.user_id LIMIT \(maxNotified)
        """
      )
    }
    // Whoever made the changes is not among those beyond.
    return try members("m.user_id = \(user)") + members("m.user_id <> \(user)")
  }

  /// Whether ``record(_:of:in:)`` would write anything: once a day.
  static func isKnown(_ device: StudyDeviceID, of user: UserID, at now: Timestamp, in db: any Connection) throws -> Bool
  {
    try db.exists(
      """
      SELECT 1 FROM sync_devices
      WHERE user_id = \(user) AND device_id = \(device) AND seen_at > \(now.advanced(bySeconds: -day))
      """
    )
  }

  static func list(of user: UserID, in db: any Connection) throws -> [(device: StudyDeviceID, seenAt: Timestamp)] {
    try db.all("SELECT device_id, seen_at FROM sync_devices WHERE user_id = \(user) ORDER BY device_id") { row in
      (try row["device_id"], try row["seen_at"])
    }
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM sync_devices WHERE user_id = \(user)")
  }

  /// Deletes some of the devices that were last seen before a time.
  ///
  /// - Returns: How many.
  static func delete(seenBefore time: Timestamp, limit: Int, in tx: Transaction) throws -> Int {
    try tx.execute(
      """
      DELETE FROM sync_devices WHERE (user_id, device_id) IN
        (SELECT user_id, device_id FROM sync_devices WHERE seen_at < \(time) ORDER BY seen_at LIMIT \(limit))
      """
    )
  }

  static func record(_ device: StudyDeviceID, of user: UserID, in tx: Transaction) throws {
    guard try !isKnown(device, of: user, at: tx.now, in: tx) else { return }
    try tx.execute(
      """
      DELETE FROM sync_devices WHERE user_id = \(user) AND device_id <> \(device) AND device_id NOT IN
        (SELECT device_id FROM sync_devices WHERE user_id = \(user) AND device_id <> \(device)
         ORDER BY seen_at DESC, device_id LIMIT \(maxDevices - 1))
      """
    )
    try tx.execute(
      """
      INSERT INTO sync_devices (user_id, device_id, seen_at) VALUES (\(user), \(device), \(tx.now))
      ON CONFLICT (user_id, device_id) DO UPDATE SET seen_at = excluded.seen_at
      """
    )
  }
}
