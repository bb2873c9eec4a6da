public import Contracts

/// The state of a service's consumption from a broker: its position in the lanes of each source (table `bus_lanes`),
/// and the events that it has set aside (table `bus_asides`). Of a subject, only the first event is due at a time; the
/// others are due ``behind`` it.
public enum BusInbox {
  static let order = SubjectOrder(table: "bus_asides", owner: "source", position: "position")
  private static let behind = SubjectOrder.behind

  // MARK: lanes

  /// The positions up to which the lanes of a source are done; a lane without events yet is not among them.
  public static func positions(of source: String, in db: any Connection) throws -> [Int: Int] {
    let rows = try db.all("SELECT lane, position FROM bus_lanes WHERE source = \(source)") {
      row -> (lane: Int, position: Int) in (try row["lane"], try row["position"])
    }
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.lane, $0.position) })
  }

  /// Keeps lanes for a transaction that moves them or changes what is set aside of them: others that do so wait, and see
  /// from their next statement on what it has committed. Of these, serializable transactions have a conflict, because the
  /// rows are written.
  public static func lock(_ lanes: Set<Int>, of source: String, in tx: Transaction) throws {
    guard !lanes.isEmpty else { return }
    let rows = lanes.sorted().map { [source.sqlValue, $0.sqlValue, 0.sqlValue] }
    try tx.executeLater(
      """
      INSERT INTO bus_lanes (source, lane, position) VALUES \(rows: rows)
      ON CONFLICT (source, lane) DO UPDATE SET position = bus_lanes.position
      """
    )
  }

  /// Moves a lane forward; never back.
  public static func move(_ lane: Int, of source: String, to position: Int, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO bus_lanes (source, lane, position) VALUES (\(source), \(lane), \(position))
      ON CONFLICT (source, lane) DO UPDATE SET position = excluded.position
      WHERE bus_lanes.position < excluded.position
      """
    )
  }

  // MARK: events that are set aside

  /// An event that was rejected, or waits behind one.
  public struct DeferredEvent: Sendable, Equatable {
    public var source: String
    public var eventID: String
    public var type: String
    public var subject: String
    public var lane: Int
    public var position: Int
    /// The encoded ``CloudEvent``.
    public var event: String
    /// How often it was rejected.
    public var attempts: Int

    public init(
      source: String, eventID: String, type: String, subject: String, lane: Int, position: Int, event: String,
      attempts: Int
    ) {
      (self.source, self.eventID, self.type, self.subject) = (source, eventID, type, subject)
      (self.lane, self.position, self.event, self.attempts) = (lane, position, event, attempts)
    }
  }

  /// The subjects, of those given, of which events are set aside.
  public static func waiting(
    of source: String, _ subjects: Set<String>, in db: any Connection
  ) throws -> Set<String> {
    guard !subjects.isEmpty, try db.exists("SELECT 1 FROM bus_asides WHERE is_dead = 0 LIMIT 1") else { return [] }
    return Set(
      try db.values(
        """
        SELECT DISTINCT subject FROM bus_asides
        WHERE source = \(source) AND is_dead = 0 AND subject IN \(list: subjects.sorted())
        """,
        as: String.self))
  }

  /// Sets an event aside that has not had its effect.
  ///
  /// - Parameters:
  ///   - due: When it is tried again; `nil` to wait behind another one of its subject.
  ///   - failure: Why it was rejected.
  ///   - isDead: Whether it is a dead letter at once.
  /// - Returns: Whether it is set aside from now on; otherwise it has had its effect, or was set aside before.
  @discardableResult
  public static func add(
    _ deferred: DeferredEvent, due: Timestamp?, failure: String?, isDead: Bool = false, in tx: Transaction
  ) throws -> Bool {
    try tx.execute(
      """
      INSERT INTO bus_asides
        (source, event_id, type, subject, lane, position, event, attempts, due_at, is_dead, failure)
      SELECT \(deferred.source), \(deferred.eventID), \(deferred.type), \(deferred.subject), \(deferred.lane),
        \(deferred.position), \(deferred.event), \(deferred.attempts), \(due ?? behind), \(isDead), \(failure)
      WHERE NOT EXISTS (SELECT 1 FROM inbox WHERE source = \("/" + deferred.source) AND id = \(deferred.eventID))
      ON CONFLICT (source, event_id) DO NOTHING
      """
    ) == 1
  }

  /// The events that are due, in their order; of each subject one.
  public static func due(at now: Timestamp, limit: Int, in db: any Connection) throws -> [DeferredEvent] {
    try db.all(
      """
      SELECT source, event_id, type, subject, lane, position, event, attempts FROM bus_asides
      WHERE is_dead = 0 AND due_at <= \(now) ORDER BY due_at, source, position LIMIT \(limit)
      """
    ) { row in
      DeferredEvent(
        source: try row["source"], eventID: try row["event_id"], type: try row["type"], subject: try row["subject"],
        lane: try row["lane"], position: try row["position"], event: try row["event"], attempts: try row["attempts"])
    }
  }

  /// Removes an event that takes effect in this transaction.
  ///
  /// - Returns: Whether it was still due; otherwise, another instance has applied it, or it waits for an earlier one that
  ///   was a dead letter.
  public static func remove(_ deferred: DeferredEvent, in tx: Transaction) throws -> Bool {
    let isOwn =
      try tx.execute(
        """
        DELETE FROM bus_asides
        WHERE source = \(deferred.source) AND event_id = \(deferred.eventID) AND is_dead = 0 AND due_at < \(behind)
        """
      ) == 1
    if isOwn { try order.lineUp([deferred.subject], of: deferred.source, in: tx) }
    return isOwn
  }

  /// Notes another rejection.
  ///
  /// - Parameter due: When it is tried again; `nil` to make it a dead letter, so that later events of its subject go on.
  public static func reject(_ deferred: DeferredEvent, due: Timestamp?, failure: String, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE bus_asides SET attempts = attempts + 1, failure = \(failure), due_at = \(due ?? behind),
        is_dead = \(due == nil)
      WHERE source = \(deferred.source) AND event_id = \(deferred.eventID) AND is_dead = 0
      """
    )
    try order.lineUp([deferred.subject], of: deferred.source, in: tx)
  }

  // MARK: operators

  /// How many dead letters there are of each type, most first.
  public static func deadLetterCounts(of service: String, in db: any Connection) throws -> [DeadLetterCount] {
    try db.all(
      """
      SELECT type, COUNT(*) AS letters FROM bus_asides WHERE is_dead = 1 GROUP BY type ORDER BY letters DESC, type
      """
    ) { row in DeadLetterCount(type: try row["type"], subscriber: service, count: try row["letters"]) }
  }

  /// The dead letters of a service, newest first.
  public static func deadLetters(of service: String, limit: Int, in db: any Connection) throws -> [Outbox.DeadLetter] {
    try db.all(
      """
      SELECT event_id, type, subject, attempts, failure FROM bus_asides
      WHERE is_dead = 1 ORDER BY event_id DESC LIMIT \(limit)
      """
    ) { row in
      Outbox.DeadLetter(
        subscriber: service, eventID: try row["event_id"], type: try row["type"], subject: try row["subject"],
        attempts: try row["attempts"], failure: try row["failure"])
    }
  }

  /// Schedules dead letters again, in the order of their subjects; returns their number. They do not wait for those that
  /// stay dead.
  @discardableResult
  public static func revive(_ selection: DeadLetterSelection = .all, in database: any Database) async throws -> Int {
    try await order.revive(isChosen(selection), in: database) { letters, source, tx in
      try lock(Set(letters.map { EventLane.of($0.subject) }), of: source, in: tx)
    }
  }

  static func isChosen(_ selection: DeadLetterSelection) -> SQL {
    switch selection {
    case .all: "1 = 1"
    case .type(let type): "type = \(type)"
    case .event(let id): "event_id = \(id)"
    }
  }
}
