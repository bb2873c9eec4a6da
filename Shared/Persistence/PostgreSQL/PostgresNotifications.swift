import CPostgres
import Foundation
public import Logging
import Synchronization
import Timing

/// The one connection of a process that carries wake-ups between the processes of a PostgreSQL server: it listens, and
/// sends those of this process.
///
/// A notification inside of the writing transaction would hold a lock of the whole server until its commit is durable:
/// 16 writers reached 2,200 commits a second without notifications and 500 with them. So they are sent after the commit,
/// those of many transactions together. One that is lost with its process is made up for by the long poll of those who
/// wait, which also finds work while the connection is away and behind a pooler that cannot pass notifications on.
public final class PostgresNotifications: Sendable {
  private struct Topic: Hashable {
    var channel: String
    var name: String
  }

  private struct State {
    var schemas: [String: WakeUps] = [:]
    var pending: Set<Topic> = []
    var isClosed = false
    var isRunning = false
    /// Whether the thread waits for the server, which may take long.
    var isConnected = false
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  /// Notifications are sent in rounds, at least so many milliseconds apart.
  private static let roundMilliseconds: Int32 = 20
  private static let pauses = Backoff(first: 0.2, maxDelay: 10)

  private let url: String
  private let logger: Logger
  private let state = Mutex(State())
  /// A byte in it interrupts the thread's wait.
  private let bell = Pipe()

  /// - Parameter url: A libpq connection URI.
  public init(url: String, logger: Logger) {
    (self.url, self.logger) = (url, logger)
    for end in [bell.fileHandleForReading, bell.fileHandleForWriting] {
      _ = fcntl(end.fileDescriptor, F_SETFL, O_NONBLOCK)
    }
  }

  /// Wakes what waits in a schema from now on.
  func add(_ wakeUps: WakeUps, of schema: String) {
    let isFirst = state.withLock { state in
      state.schemas[Self.channel(of: schema)] = wakeUps
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if isFirst {
      let thread = Thread { [self] in run() }
      thread.name = "postgres-wake"
      thread.start()
    } else {
      ring()
    }
  }

  /// Wakes the other processes that wait in a schema.
  func send(_ topics: Set<String>, of schema: String) {
    let isFirst = state.withLock { state in
      defer { for topic in topics { state.pending.insert(Topic(channel: Self.channel(of: schema), name: topic)) } }
      return state.pending.isEmpty
    }
    if isFirst { ring() }
  }

  /// Sends what waits and disconnects; without a connection, what waits is lost.
  public func close() async {
    await withCheckedContinuation { continuation in
      let mustWait = state.withLock { state in
        state.isClosed = true
        guard state.isRunning, state.isConnected else { return false }
        state.closers.append(continuation)
        return true
      }
      ring()
      if !mustWait { continuation.resume() }
    }
  }

  private static func channel(of schema: String) -> String { "quintet_\(schema)" }

  private func ring() {
    var byte: UInt8 = 0
    // A full pipe rings already.
    _ = write(bell.fileHandleForWriting.fileDescriptor, &byte, 1)
  }

  private var isClosed: Bool { state.withLock { $0.isClosed } }

  // MARK: the thread

  private func run() {
    var failures = 0
    while !isClosed {
      let failure = connectAndServe {
        if failures > 0 { logger.info("the connection for wake-ups works again") }
        failures = 0
      }
      guard let failure else { continue }
      failures += 1
      if failures == 1 {
        logger.warning("the connection for wake-ups does not work; polling instead", metadata: ["error": "\(failure)"])
      }
      wait(for: nil, milliseconds: Int32(Self.pauses.delay(after: failures) * 1000))
    }
    let closers = state.withLock { state in
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer.resume() }
  }

  /// - Parameter works: Called after each round. Until one has succeeded, a new connection is no better than the last.
  /// - Returns: Why it does not go on; `nil` when it was closed.
  private func connectAndServe(_ works: () -> Void) -> String? {
    guard let connection = NotificationConnection(url) else { return "it cannot be opened" }
    state.withLock { $0.isConnected = true }
    defer { state.withLock { $0.isConnected = false } }
    return serve(connection, works) ? nil : connection.error
  }

  /// - Returns: Whether it was closed; `false` when a statement has failed or the connection is lost.
  private func serve(_ connection: NotificationConnection, _ works: () -> Void) -> Bool {
    var listening: Set<String> = []
    while true {
      let (channels, pending, isClosed) = state.withLock { state in
        defer { state.pending = [] }
        return (state.schemas, state.pending, state.isClosed)
      }
      for channel in channels.keys where !listening.contains(channel) {
        guard connection.listen(to: channel) else { return false }
        listening.insert(channel)
        // Commits from before are not notified.
        channels[channel]?.wakeAll()
      }
      for topic in pending {
        guard connection.notify(topic.channel, topic.name) else {
          state.withLock { $0.pending.formUnion(pending) }
          return false
        }
      }
      if isClosed { return true }
      // In the round, further notifications gather.
      if !pending.isEmpty { usleep(UInt32(Self.roundMilliseconds) * 1000) }
      // Before the wait: the statements above have read along what arrived with their answers.
      guard let received = connection.receive() else { return false }
      works()
      for (channel, topics) in received { channels[channel]?.wake(topics) }
      let isIdle = received.isEmpty && state.withLock { $0.pending.isEmpty && !$0.isClosed }
      if isIdle { wait(for: connection.socket, milliseconds: -1) }
    }
  }

  /// Waits until the socket can be read, the bell rings or the time is over.
  private func wait(for socket: Int32?, milliseconds: Int32) {
    let bell = bell.fileHandleForReading.fileDescriptor
    var waiting = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0)]
    if let socket { waiting.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0)) }
    _ = poll(&waiting, nfds_t(waiting.count), milliseconds)
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(bell, &bytes, bytes.count) > 0 {}
  }
}

/// A libpq connection that listens and notifies.
private final class NotificationConnection {
  private let handle: OpaquePointer

  /// `nil` when the server cannot be reached.
  init?(_ url: String) {
    guard let handle = PostgresConnection.connect(url) else { return nil }
    self.handle = handle
    guard PQstatus(handle) == CONNECTION_OK else { return nil }
  }

  deinit { PQfinish(handle) }

  var socket: Int32 { PQsocket(handle) }
  var error: String { String(cString: PQerrorMessage(handle)).trimmingCharacters(in: .whitespacesAndNewlines) }

  /// - Parameter channel: Made from a schema's name, which is an identifier.
  func listen(to channel: String) -> Bool { isDone(PQexec(handle, "LISTEN \(channel)")) }

  func notify(_ channel: String, _ topic: String) -> Bool {
    let names: [String] = [channel, topic]
    let texts = names.map { strdup($0) }
    defer { for text in texts { free(text) } }
    let values = texts.map { UnsafePointer($0) }
    return isDone(PQexecParams(handle, "SELECT pg_notify($1, $2)", 2, nil, values, nil, nil, 0))
  }

  private func isDone(_ result: OpaquePointer?) -> Bool {
    defer { PQclear(result) }
    return [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result))
  }

  /// The notifications of other connections, topics by channel; `nil` when the connection is lost.
  func receive() -> [String: Set<String>]? {
    guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else { return nil }
    let own = PQbackendPID(handle)
    var received: [String: Set<String>] = [:]
    while let notification = PQnotifies(handle) {
      defer { PQfreemem(notification) }
      // Waiters of this process were woken at the commit.
      if notification.pointee.be_pid == own { continue }
      let channel = String(cString: notification.pointee.relname)
      received[channel, default: []].insert(String(cString: notification.pointee.extra))
    }
    return received
  }
}
