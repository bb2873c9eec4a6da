import Contracts
import HTTPServing
import Logging
import Persistence
import ServiceKit
import Synchronization

/// Brings opened streams up to date, a bounded number at a time: after a restart, thousands of apps come back at once,
/// and wait in memory for their turn instead of overloading the database.
final class StreamOpener: Sendable {
  struct Opening: Sendable {
    var stream: EventStream
    /// Later events are new, and wait in the stream.
    var number: Int64
    /// The last event that the app has received; `nil` for a new stream.
    var lastSeen: Int64?
    var refused: [RefusedTopic]
    /// The topics whose missed events are still wanted.
    var topics: Set<Topic>
    /// Whether the app knows the stream's id.
    var isAnnounced = false
    var failures = 0
  }

  private struct State {
    var waiting: [Opening] = []
    var isWorking = false
  }

  private static let batch = 64
  private static let page = 200
  /// How much of a page is written before the reader has taken it; a page has one event at least. Half of what may wait
  /// for a reader, so that what was written before does not count.
  private static let pageBytes = OpenResponse.unsentLimit / 2
  private static let maxFailures = 30

  private let database: any Database
  private let logger: Logger
  private let state = Mutex(State())

  init(_ database: any Database, logger: Logger) { (self.database, self.logger) = (database, logger) }

  func add(_ opening: Opening) {
    let isFirst = state.withLock { state in
      state.waiting.append(opening)
      defer { state.isWorking = true }
      return !state.isWorking
    }
    if isFirst { Task { await Workload.shared { await work() } } }
  }

  private func work() async {
    while let batch = next() {
      let unfinished = await open(batch.filter(\.stream.isOpen))
      guard !unfinished.isEmpty else { continue }
      state.withLock { $0.waiting += unfinished }
      // Gateways that share a database do not return to it at the same moment.
      try? await Task.sleep(for: .seconds(Double.random(in: 0.5...1.5)))
    }
  }

  private func next() -> [Opening]? {
    state.withLock { state in
      let batch = Array(state.waiting.prefix(Self.batch))
      state.waiting.removeFirst(batch.count)
      state.isWorking = !batch.isEmpty
      return batch.isEmpty ? nil : batch
    }
  }

  /// - Returns: Those that have to be tried again.
  private func open(_ batch: [Opening]) async -> [Opening] {
    do {
      // Stored before the app receives the stream's id, so that every gateway finds the stream.
      let streams = batch.filter { !$0.isAnnounced }.map(\.stream)
      if !streams.isEmpty { try await database.write(.readCommitted) { try OpenStreamStore.insert(streams, in: $0) } }
    } catch {
      return failed(batch, error)
    }
    return await withTaskGroup(of: Opening?.self) { group in
      for opening in batch { group.addTask { [self] in await resume(opening) } }
      return await group.reduce(into: []) { unfinished, opening in if let opening { unfinished.append(opening) } }
    }
  }

  private func failed(_ batch: [Opening], _ error: any Error) -> [Opening] {
    logger.warning("cannot bring streams up to date; trying again", metadata: ["error": "\(error)"])
    return batch.compactMap { opening in
      var opening = opening
      opening.failures += 1
      if opening.failures <= Self.maxFailures { return opening }
      opening.stream.end()
      return nil
    }
  }

  private func resume(_ opening: Opening) async -> Opening? {
    var opening = opening
    if !opening.isAnnounced { opening.stream.announce(refused: opening.refused) }
    opening.isAnnounced = true
    do {
      try await readOnce(opening)
      return nil
    } catch {
      return failed([opening], error).first
    }
  }

  /// Writes the next missed events. A slow reader does not hold up the others: its next page is queued again.
  private func readOnce(_ opening: Opening) async throws {
    let (stream, end) = (opening.stream, opening.number)
    guard let lastSeen = opening.lastSeen, lastSeen != end else { return stream.goLive(after: end) }
    let page = try await database.read { [topics = opening.topics, user = stream.viewer.id] db in
      try MissedPage.read(
        of: user, topics, after: lastSeen, through: end, limit: Self.page, bytes: Self.pageBytes, in: db)
    }
    guard page.isKnown else {
      let all = stream.topics.sorted { $0.rawValue < $1.rawValue }
      stream.resync(MissedEvents(user: true, topics: all), at: end)
      return stream.goLive(after: end)
    }
    if !page.lost.isEmpty {
      stream.resync(MissedEvents(user: false, topics: page.lost.sorted { $0.rawValue < $1.rawValue }))
    }
    guard let last = page.events.last else { return stream.goLive(after: max(lastSeen, end)) }
    stream.write(missed: page.events)
    var next = opening
    next.topics.subtract(page.lost)
    next.lastSeen = page.isFull ? last.number : end
    stream.whenDrained { [weak self, next] in self?.add(next) }
  }
}

/// Events that a stream has missed, or the reason why they cannot be had. Read in one transaction, so that nothing is
/// deleted between the look at what has been deleted and the look at what is left.
struct MissedPage: Sendable, Equatable {
  /// Whether the log still has, or ever had, what follows the number.
  var isKnown: Bool
  /// Topics of which some events are no longer stored, or were not for the user; none of them are among the events.
  var lost: Set<Topic> = []
  var events: [LoggedEvent] = []
  /// Whether there may be more.
  var isFull = false

  /// - Parameter bytes: Further events would make the page larger than this.
  static func read(
    of user: UserID, _ topics: Set<Topic>, after number: Int64, through end: Int64, limit: Int, bytes: Int,
    in db: any Connection
  ) throws -> MissedPage {
    let range = try EventLogStore.range(in: db)
    // A number beyond the last event belongs to another database.
    guard number >= range.floor, number <= range.last else { return MissedPage(isKnown: false) }
    guard number < end else { return MissedPage(isKnown: true) }
    // Events from before the user could follow a topic are not delivered later.
    let lost = try EventLogStore.trimmed(topics, after: number, in: db)
      .union(TopicEndStore.interrupted(topics, of: user, after: number, in: db))
    let subjects = [.user(user)] + topics.subtracting(lost).map { LoggedEvent.Subject.topic($0) }
    let events = try EventLogStore.list(of: subjects, after: number, through: end, limit: limit, in: db)
    var (count, size) = (0, 0)
    while count < events.count, count == 0 || size + events[count].data.utf8.count <= bytes {
      size += events[count].data.utf8.count
      count += 1
    }
    return MissedPage(
      isKnown: true, lost: lost, events: Array(events.prefix(count)), isFull: count < events.count || count == limit
    )
  }
}
