import Contracts
import Logging
import Observability
import Persistence
import TestKit

@testable import Events
@testable import ServiceKit

/// An event whose effect is a row; a negative number is rejected.
struct Counted: Event {
  static let type = "app.quintet.test.counted"
  var subject: String
  var number: Int
  var text: String?
}

/// An event that the consumer knows nothing of.
struct Ignored: Event {
  static let type = "app.quintet.test.ignored"
  var subject: String
}

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

extension Database {
  /// Creates the tables of a service, and one for the effects.
  func prepareForCounting() async throws {
    try await migrate(PlatformMigrations.all, logger: silent)
    try await write { tx in
      try tx.execute("CREATE TABLE seen (place BIGINT NOT NULL, subject TEXT NOT NULL, number BIGINT NOT NULL)")
      try tx.execute("CREATE INDEX seen_places ON seen (place)")
      try tx.execute("CREATE TABLE refused (number BIGINT PRIMARY KEY)")
    }
  }

  /// The numbers of each subject in the order of their effects.
  func seen() async throws -> [String: [Int]] {
    let rows = try await read { db in
      try db.all("SELECT subject, number FROM seen ORDER BY place") { row -> (subject: String, number: Int) in
        (try row["subject"], try row["number"])
      }
    }
    return Dictionary(grouping: rows, by: \.subject).mapValues { $0.map(\.number) }
  }

  /// Makes the consumer reject a number, or accept it again.
  func refuse(_ number: Int, _ isRefused: Bool = true) async throws {
    try await write { tx in
      try tx.execute("DELETE FROM refused WHERE number = \(number)")
      if isRefused { try tx.execute("INSERT INTO refused (number) VALUES (\(number))") }
    }
  }

  func record(_ events: some Sequence<any Event> & Sendable) async throws {
    try await write { tx in for event in events { try tx.record(event) } }
  }
}

/// The receiver of a service that notes ``Counted``.
func countingReceiver(of database: any Database, time: TimeSource = .system) -> BusReceiver {
  let consumer = EventConsumer { event, _ in
    let counted = try WireJSON.decode(Counted.self, from: WireJSON.encode(event.data))
    return EventConsumer.Effect(
      apply: { tx in
        if try tx.exists("SELECT 1 FROM refused WHERE number = \(counted.number)") {
          throw Problem(.requestInProgress, detail: "The number is refused.")
        }
        let place = try tx.count("SELECT COALESCE(MAX(place), 0) FROM seen") + 1
        try tx.execute(
          "INSERT INTO seen (place, subject, number) VALUES (\(place), \(counted.subject), \(counted.number))")
      }, afterwards: {})
  }
  return BusReceiver(
    events: EventReceiver(consumers: [Counted.type: consumer], isConsumed: { _, _ in true }, database: database),
    database: database, time: time, logger: silent,
    deadLetters: Metrics().counter("dead_total", help: "Dead letters."))
}

/// An event as it arrives from the stream.
func counted(
  _ subject: String, _ number: Int, lane: Int, position: Int, after previous: Int? = nil
) throws -> BusEvent {
  let data = try WireJSON.decode(
    JSONValue.self, from: WireJSON.encode(Counted(subject: subject, number: number)))
  let event = CloudEvent(
    id: "\(lane)-\(position)-\(number)", source: "/shop", type: Counted.type, subject: subject,
    time: Timestamp(microseconds: 0), traceparent: nil, lane: lane, position: position, data: data)
  return BusEvent(lane: lane, position: position, previous: previous ?? position - 1, event: event)
}
