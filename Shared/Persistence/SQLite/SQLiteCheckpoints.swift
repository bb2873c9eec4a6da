import Foundation
import GRDB
import Synchronization
import Threads

/// Copies committed pages from the write-ahead log into the database's file, on a thread of its own instead of inside of
/// the commit that fills the log.
///
/// While it copies, commits go on and add to the log, which begins anew only when nothing in it is left to be copied. So
/// the writer copies the little that has come since, after it has answered its callers. With updates of random rows, the
/// slowest thousandth of commits took 20 to 47 ms so, and 87 to 100 ms with SQLite's own checkpoints.
final class SQLiteCheckpoints: Sendable {
  private enum State {
    /// The log is short enough.
    case idle
    case copying
    /// The writer copies the rest.
    case copied
  }

  /// The length of the log, in pages, at which it is copied; 16 MB.
  private static let pages: Int32 = 4000

  private let state = Mutex(State.idle)
  /// The pages in the log, as the writer's last commit has reported.
  private let length = Atomic<Int32>(0)
  private let turns = BlockingWorkQueue<Void>(capacity: 1)
  /// Held while pages are copied: SQLite lets one connection do it, and refuses the others.
  private let lock = NSLock()

  /// - Parameter connection: Used by the new thread only.
  init(_ connection: DatabaseQueue) {
    turns.startThread(named: "sqlite-checkpoint") { [self] in
      connection.inDatabase { db in
        let connection = SQLiteConnection(db)
        while turns.take() != nil {
          copy(on: connection)
          state.withLock { $0 = .copied }
        }
      }
      try? connection.close()
    }
  }

  /// Called after each commit of the writer, which then does not checkpoint by itself.
  func note(pages: Int32) { length.store(pages, ordering: .relaxed) }

  /// Called by the writer between its groups.
  func committed(on writer: SQLiteConnection) {
    let next = state.withLock { state in
      switch state {
      case .idle where length.load(ordering: .relaxed) >= Self.pages: state = .copying
      case .copied: state = .idle
      default: return nil as State?
      }
      return state
    }
    if next == .copying { try? turns.submit(()) }
    if next == .idle { copy(on: writer) }
  }

  private func copy(on connection: SQLiteConnection) {
    // Pages that are busy or fail are copied after one of the next commits.
    lock.withLock { _ = try? connection.execute("PRAGMA wal_checkpoint(PASSIVE)") }
  }

  /// Copies everything and empties the log; `false` when a reader still needs it.
  func emptyLog(on writer: SQLiteConnection) -> Bool {
    lock.withLock {
      let busy = try? writer.first("PRAGMA wal_checkpoint(TRUNCATE)") { row -> Int in try row["busy"] }
      return busy == 0
    }
  }

  func close() async { await turns.close() }
}
