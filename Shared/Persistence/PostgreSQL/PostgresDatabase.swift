public import Contracts
public import Logging
import Synchronization
import Threads

/// A schema in PostgreSQL 15 or later, accessed by blocking libpq on threads with one connection each: most for
/// requests, some for events and for background work, one for health checks.
///
/// Transactions that conflict are retried; one that keeps conflicting runs without the other writers of its threads. One
/// that loses its connection is retried too: a failover to another server costs time, but no request, when it takes some
/// seconds only.
public final class PostgresDatabase: Database {
  private let requests: PostgresPool
  private let events: PostgresPool
  private let background: PostgresPool
  private let health: PostgresPool
  private let replica: PostgresPool?
  /// Until when the replica is not asked, because it could not be reached or did not know what was asked for.
  private let replicaRests = Mutex<ContinuousClock.Instant?>(nil)
  private let reachability = Reachability()
  private let connectForMigrations: @Sendable () throws -> PostgresConnection
  private let isPooled: Bool
  private let outbox: OutboxWriter
  private let time: TimeSource
  public let committedEvents: AsyncStream<Void>
  private let eventSignal: AsyncStream<Void>.Continuation

  public let wakeUps = WakeUps()
  private let schema: String
  private let notifications: PostgresNotifications?

  public var dialect: Dialect { .postgresql }
  public var queueDepth: Int { requests.queueDepth + events.queueDepth + background.queueDepth }

  /// Starts the threads; connections are opened on demand.
  ///
  /// - Parameters:
  ///   - url: A libpq connection URI, `postgres://user:password@host/database`. Of several hosts,
  ///     `postgres://user@first,second/database`, the one that accepts writes is used.
  ///   - replicaURL: The URI of a streaming replica, for ``ReadPurpose/snapshot``.
  ///   - schema: The service's schema: letters, digits and underscores.
  ///   - connections: How many at most; fewer than 4 count as 4. The total of all instances must stay below the server's
  ///     `max_connections`. A replica has up to half as many besides.
  ///   - isPooled: Whether the URLs are those of a pooler in transaction mode, such as PgBouncer.
  ///   - notifications: Wakes the other processes, and this one when they commit.
  public init(
    url: String,
    replicaURL: String? = nil,
    schema: String,
    connections: Int = 6,
    isPooled: Bool = false,
    limits: DatabaseLimits = DatabaseLimits(),
    notifications: PostgresNotifications? = nil,
    time: TimeSource = .system,
    ids: IDGenerator = IDGenerator()
  ) throws(DatabaseError) {
    let isIdentifier = schema.utf8.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "_")
    }
    guard isIdentifier, !schema.isEmpty else { throw DatabaseError(.other, "the schema name is not an identifier") }
    self.time = time
    self.schema = schema
    self.notifications = notifications
    notifications?.add(wakeUps, of: schema)
    outbox = OutboxWriter(ids: ids)
    (committedEvents, eventSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    self.isPooled = isPooled
    let reachability = reachability
    func connect(_ seconds: Double) -> @Sendable () throws -> PostgresConnection {
      let target = PostgresTarget(url: url, schema: schema, statementSeconds: seconds, isPooled: isPooled)
      return { try reachability.connecting { try PostgresConnection(to: target) } }
    }
    connectForMigrations = connect(limits.backgroundSeconds)
    let forEvents = max(1, connections / 8)
    let forBackground = max(1, (connections - 1) / 3)
    let maxWait = Duration.seconds(limits.waitSeconds)
    requests = PostgresPool(
      connections: max(1, connections - forEvents - forBackground - 1), named: "postgres", maxWait: maxWait,
      connect: connect(limits.requestSeconds))
    events = PostgresPool(
      connections: forEvents, named: "postgres-events", connect: connect(limits.backgroundSeconds))
    background = PostgresPool(
      connections: forBackground, named: "postgres-background", connect: connect(limits.backgroundSeconds))
    health = PostgresPool(connections: 1, named: "postgres-health", connect: connect(limits.healthSeconds))
    replica = replicaURL.map { url in
      // One of several hosts that does not accept writes.
      let standby = "\(url.contains("?") ? "&" : "?")target_session_attrs=prefer-standby"
      let target = PostgresTarget(
        url: url.contains("target_session_attrs") ? url : url + standby, schema: schema,
        statementSeconds: limits.requestSeconds, isPooled: isPooled, isReplica: true)
      // The primary answers instead.
      let reachability = Reachability(graceSeconds: 0)
      return PostgresPool(
        connections: max(1, connections / 2), named: "postgres-replica", maxWait: maxWait
      ) { try reachability.connecting { try PostgresConnection(to: target) } }
    }
  }

  private func pool(of workload: Workload) -> PostgresPool {
    switch workload {
    case .request: requests
    case .events: events
    case .background: background
    case .health: health
    }
  }

  public func read<Value: Sendable>(
    _ purpose: ReadPurpose, _ body: @escaping @Sendable (any Connection) throws -> Value
  ) async throws -> Value {
    let workload = Workload.current
    if purpose == .snapshot, let replica = replica(for: workload) {
      do {
        return try await replica.run(for: workload.caller) { session in try session.read { try body($0) } }
      } catch is PostgresConnection.ReplicaIsBehind {
        // The primary answers.
      } catch let error as DatabaseError where workload.caller?.isWaiting(at: .now) ?? true {
        // So it does for what the replica lacks, such as a new column, or has no time for.
        if [.unavailable, .other].contains(error.kind) { replicaRests.withLock { $0 = .now + .seconds(5) } }
      }
    }
    return try await pool(of: workload).run(for: workload.caller) { session in try session.read { try body($0) } }
  }

  /// The replica, when it may answer a request.
  private func replica(for workload: Workload) -> PostgresPool? {
    guard let replica, case .request(let caller) = workload, caller?.hasWritten != true else { return nil }
    let rests = replicaRests.withLock { rest in rest.map { ContinuousClock.now < $0 } ?? false }
    return rests ? nil : replica
  }

  @discardableResult
  public func write<Value: Sendable>(
    _ purpose: WritePurpose, _ body: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    let (outbox, device) = (outbox.traced(by: TraceContext.current), DeviceFacts.current)
    let workload = Workload.current
    let caller = workload.caller
    let lease = Lease.required.flatMap { $0.database == ObjectIdentifier(wakeUps) ? $0 : nil }
    return try await pool(of: workload).run(for: caller) { [self] session in
      let (value, transaction) = try session.write(purpose) { transaction in
        if let lease { try transaction.require(lease) }
        return try body(transaction)
      } _: { connection in
        Transaction(
          connection: connection, outbox: outbox, now: time.now(), hasOwnClock: !time.isManual, device: device)
      }
      caller?.noteWrite()
      if transaction.hasEvents { eventSignal.yield() }
      if !transaction.topics.isEmpty { wake(transaction.topics) }
      return value
    }
  }

  private func wake(_ topics: Set<String>) {
    wakeUps.wake(topics)
    notifications?.send(topics, of: schema)
  }

  @discardableResult
  public func migrate(_ migrations: [Migration], logger: Logger) async throws -> [String] {
    try await BlockingThreads(1, named: "migrations").run { [self] in
      try PostgresMigrator(
        schema: schema, time: time, logger: logger, isPooled: isPooled, connect: connectForMigrations
      ).migrate(migrations)
    }
  }

  /// Whether the server could be reached when a connection was last needed.
  public var isReachable: Bool { reachability.isReachable }

  public func eraseDeleted() async throws {}

  public func close() async {
    for pool in [requests, events, background, health, replica] { await pool?.close() }
    eventSignal.finish()
  }
}
