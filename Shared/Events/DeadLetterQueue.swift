public import Contracts
public import Persistence

/// The dead letters of a service: its own events that consumers have rejected for good and, where a broker carries events,
/// those of others that it has rejected itself.
public struct DeadLetterQueue: Sendable {
  package let service: String
  private let database: any Database

  public init(of service: String, _ database: any Database) { (self.service, self.database) = (service, database) }

  /// The newest ones, at most 100 of each.
  package func list() async throws -> [Outbox.DeadLetter] {
    let received = try await database.read { [service] db in
      try BusInbox.deadLetters(of: service, limit: 100, in: db)
    }
    return try await Outbox(database: database).deadLetters() + received
  }

  /// A summary for administrators.
  public func summary() async throws -> ServiceDeadLetters {
    let counts = try await database.read { [service] db in
      try Outbox.deadLetterCounts(in: db) + BusInbox.deadLetterCounts(of: service, in: db)
    }
    return ServiceDeadLetters(service: service, counts: counts, newest: try await list().map { DeadLetter($0) })
  }

  /// Schedules dead letters again.
  /// - Returns: How many there were.
  @discardableResult
  public func retry(_ selection: DeadLetterSelection = .all) async throws -> Int {
    let sent = try await Outbox(database: database).reviveDeadLetters(selection)
    let received = try await BusInbox.revive(selection, in: database)
    return sent + received
  }
}

extension DeadLetter {
  init(_ letter: Outbox.DeadLetter) {
    self.init(
      eventID: letter.eventID, type: letter.type, subscriber: letter.subscriber, attempts: letter.attempts,
      failure: letter.failure, recordedAt: letter.recordedAt)
  }
}
