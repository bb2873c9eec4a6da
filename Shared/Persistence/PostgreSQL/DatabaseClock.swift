public import Contracts
import Synchronization

/// The clock of a PostgreSQL server, as a process sees it: the clock of its machine and a measured difference. Instances
/// that share a database so agree about the time, whatever their machines' clocks show, without a query for each time.
public final class DatabaseClock: Sendable {
  private let local: TimeSource
  /// In microseconds.
  private let difference = Atomic<Int64>(0)

  /// How many times ``measure(in:)`` asks for the time.
  private static let questions = 5

  /// - Parameter local: The clock of this machine.
  public init(_ local: TimeSource) { self.local = local }

  /// The server's time, once it is measured.
  public var source: TimeSource { TimeSource { self.now() } }

  private func now() -> Timestamp {
    Timestamp(microseconds: local.now().microseconds + difference.load(ordering: .relaxed))
  }

  /// Measures the difference as Cristian's algorithm does: the server's answer is taken to be its time in the middle of
  /// the round trip, and of several answers the one with the shortest round trip counts, which bounds the error by half
  /// of it. Repeat it, because clocks drift.
  public func measure(in database: any Database) async throws {
    let measured = try await database.read { [local] db in
      var best: (roundTrip: Int64, difference: Int64)?
      for _ in 0..<Self.questions {
        let before = local.now().microseconds
        let server: Int64? = try db.value("SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint")
        let roundTrip = local.now().microseconds - before
        guard let server, roundTrip >= 0, roundTrip < best?.roundTrip ?? .max else { continue }
        best = (roundTrip, server - before - roundTrip / 2)
      }
      return best?.difference
    }
    if let measured { difference.store(measured, ordering: .relaxed) }
  }
}
