import GRDB
import GRDBSQLite

/// Interrupts statements of a connection that take too long. Used on the connection's thread only.
final class StatementLimit {
  private let limit: Duration
  private var end: ContinuousClock.Instant

  /// How many instructions of SQLite's virtual machine pass between two looks at the clock: well below a millisecond.
  private static let instructions: Int32 = 10_000

  /// The connection does not keep the limit, which must be removed from it.
  init(_ limit: Duration, on db: GRDB.Database) {
    self.limit = limit
    end = .now + limit
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(
      db.sqliteConnection, Self.instructions,
      { context in
        guard let context else { return 0 }
        return Unmanaged<StatementLimit>.fromOpaque(context).takeUnretainedValue().end < .now ? 1 : 0
      }, context)
  }

  func remove(from db: GRDB.Database) { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }

  /// Called before each statement.
  func begin() { end = .now + limit }
}
