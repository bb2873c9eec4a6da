import Contracts
import Persistence

/// How many meetings each user of Zoom has created on a day in UTC; Zoom refuses more than ``dailyLimit``.
enum ZoomRequestStore {
  /// Requests to create or update meetings, per user and day (developers.zoom.us/docs/api/rate-limits).
  static let dailyLimit = 100

  static func day(of moment: Timestamp) -> Int64 { moment.unixSeconds / 86_400 }

  /// Seconds until the counts of a day are forgotten.
  static func secondsLeft(of moment: Timestamp) -> Int { 86_400 - Int(moment.unixSeconds % 86_400) }

  static func count(of user: String, at now: Timestamp, in db: any Connection) throws -> Int {
    try db.value("SELECT count FROM zoom_requests WHERE zoom_user = \(user) AND day = \(day(of: now))", as: Int.self)
      ?? 0
  }

  static func add(of user: String, in tx: Transaction) throws {
    try tx.execute("DELETE FROM zoom_requests WHERE zoom_user = \(user) AND day < \(day(of: tx.now))")
    try tx.execute(
      """
      INSERT INTO zoom_requests (zoom_user, day, count) VALUES (\(user), \(day(of: tx.now)), 1)
      ON CONFLICT (zoom_user, day) DO UPDATE SET count = zoom_requests.count + 1
      """
    )
  }
}
