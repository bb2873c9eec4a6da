import Contracts
import Logging
import ServiceKit
import Synchronization

/// Finds the services that decide on topics.
protocol TopicOwners: Sendable {
  func service(ofTopic kind: Substring) -> String?
  /// Whether there are services whose kinds of topics are not known yet.
  var isIncomplete: Bool { get }
}

/// The rights of users to follow topics, as decided by the services that own them. What they allow is kept for a minute
/// at most.
///
/// A right can end while its service is being asked, or while a stream is being opened. The ends that the log reports
/// are therefore kept for a while: whoever uses an answer names the number of the log before the question, and learns
/// whether the right has ended since.
final class TopicAccess: Sendable {
  private static let seconds = 60.0
  /// How long a service is not asked again after it has not responded.
  private static let pause = 1.0

  private let owners: any TopicOwners
  private let client: @Sendable (_ service: String) -> APIClient
  private let time: TimeSource
  private let logger: Logger
  private let calls = ConcurrencyLimit(permits: 32)
  private let state = Mutex(TopicAccessCache())
  private let pauses = Mutex<[String: Timestamp]>([:])

  /// - Parameter client: Calls a service by its name.
  init(
    owners: any TopicOwners, time: TimeSource, logger: Logger,
    client: @escaping @Sendable (_ service: String) -> APIClient
  ) {
    (self.owners, self.time, self.logger, self.client) = (owners, time, logger, client)
  }

  /// Asks which of the topics a user may follow, one call per service.
  ///
  /// - Parameters:
  ///   - number: The number of the log now.
  ///   - isFresh: Asks also for what is known.
  func check(_ wanted: [Topic], by user: UserCaller, at number: Int64, isFresh: Bool = false) async -> TopicsChange {
    // Before anything else: what is known is known of the user, whose apps have different scopes.
    let topics = wanted.filter { user.mayRead(Scope.of($0)) }
    let reader = TopicAccessCache.Reader(user: user.id, roles: user.roles)
    var allowed = isFresh ? [] : known(topics, to: reader)
    var unavailable: Set<Topic> = []
    let unknown = Dictionary(grouping: topics.filter { !allowed.contains($0) }) { owners.service(ofTopic: $0.kind) }
    // A service that has not described itself yet may have topics of the kind.
    if owners.isIncomplete { unavailable = Set(unknown[nil] ?? []) }
    await withTaskGroup(of: Answer.self) { group in
      for case (let service?, let topics) in unknown {
        group.addTask { [self] in await ask(service, topics, reader, at: number) }
      }
      for await answer in group {
        if let some = answer.allowed { allowed.formUnion(some) } else { unavailable.formUnion(answer.topics) }
      }
    }
    return TopicsChange(
      topics: topics.filter { allowed.contains($0) },
      refused: wanted.filter { !allowed.contains($0) }.map {
        RefusedTopic($0, unavailable.contains($0) ? .unavailable : .notAllowed)
      },
      checkedAt: number
    )
  }

  private struct Answer: Sendable {
    var topics: [Topic]
    /// `nil` when the service does not respond.
    var allowed: Set<Topic>?
  }

  private func ask(_ service: String, _ topics: [Topic], _ reader: TopicAccessCache.Reader, at number: Int64) async
    -> Answer
  {
    let question = TopicsAPI.Authorize(
      user: reader.user, roles: reader.roles.sorted { $0.rawValue < $1.rawValue }, topics: topics
    )
    do {
      let answer = try await calls.run { try await send(question, to: service) }
      let allowed = Set(answer.topics).intersection(topics)
      forget(topics.filter { !allowed.contains($0) }, of: reader)
      remember(allowed, to: reader, at: number)
      return Answer(topics: topics, allowed: allowed)
    } catch {
      logger.warning("cannot authorize topics", metadata: ["service": "\(service)", "error": "\(error)"])
      return Answer(topics: topics, allowed: nil)
    }
  }

  /// Waiting requests do not each find out by themselves that a service does not respond.
  private func send(_ question: TopicsAPI.Authorize, to service: String) async throws(CallError)
    -> TopicsAPI.AllowedTopics
  {
    let now = time.now()
    if pauses.withLock({ $0[service].map { $0 > now } ?? false }) { throw .notSent("the service does not respond") }
    do {
      return try await client(service).send(question)
    } catch {
      if case .problem = error { throw error }
      let until = time.now().advanced(bySeconds: Self.pause)
      pauses.withLock { $0[service] = until }
      throw error
    }
  }

  /// The service that has declared the topics of a kind.
  func service(ofTopic kind: Substring) -> String? { owners.service(ofTopic: kind) }

  /// Requires that a service sends only what concerns topics of its own.
  ///
  /// - Throws: ``Problem`` 403 for topics of another service, and 503 while it is not known whose they are.
  func requireOwner(of topics: [Topic], is sender: String) throws(Problem) {
    for kind in Set(topics.map(\.kind)) {
      guard let owner = owners.service(ofTopic: kind) else {
        throw Problem(.unavailable, detail: "The service of topics of the kind \(kind) is unknown.", retryAfter: 5)
      }
      guard owner == sender else {
        throw Problem(.forbidden, detail: "Topics of the kind \(kind) belong to another service.")
      }
    }
  }

  // MARK: what is known

  private func known(_ topics: [Topic], to reader: TopicAccessCache.Reader) -> Set<Topic> {
    let now = time.now()
    return state.withLock { state in Set(topics.filter { state.isAllowed($0, to: reader, at: now) }) }
  }

  private func forget(_ topics: [Topic], of reader: TopicAccessCache.Reader) {
    state.withLock { state in for topic in topics { state.forget(topic, of: reader) } }
  }

  private func remember(_ topics: Set<Topic>, to reader: TopicAccessCache.Reader, at number: Int64) {
    let now = time.now()
    state.withLock { state in
      for topic in topics where state.change(of: topic, for: reader.user, since: number) == .unchanged {
        state.allow(topic, to: reader, until: now.advanced(bySeconds: Self.seconds), at: now)
      }
    }
  }

  /// Deletes what has expired.
  func clean() {
    let now = time.now()
    state.withLock { $0.clean(at: now) }
  }

  // MARK: ends

  func begin(at number: Int64) { state.withLock { $0.begin(at: number) } }

  /// Notes that rights have ended; called in the order of the log, before any stream is looked for.
  func end(_ ended: TopicAccessEnded, at number: Int64) {
    state.withLock { $0.end(ended, at: number) }
  }

  func state(of topic: Topic, for user: UserID, since number: Int64) -> TopicAccessCache.Change {
    state.withLock { $0.change(of: topic, for: user, since: number) }
  }
}

extension UserCaller {
  /// Whether a stream with this token may have what needs a scope; what needs none is for every stream.
  func mayRead(_ scope: Scope?) -> Bool { scope.map(has) ?? true }
}

extension TopicAccess {
  /// On what a caller's access depends: streams of the same user's apps differ in their scopes.
  private struct Rights: Hashable {
    var reader: TopicAccessCache.Reader
    var scopes: Set<String>

    init(_ viewer: UserCaller) {
      reader = TopicAccessCache.Reader(user: viewer.id, roles: viewer.roles)
      scopes = viewer.scopes
    }
  }

  /// Asks again who may follow the topics of open streams: a service may have failed to report the end of a right.
  func review(_ streams: [EventStream], in hub: StreamHub) async {
    let readers = Dictionary(grouping: streams) { Rights($0.viewer) }
    await withTaskGroup { group in
      for streams in readers.values {
        guard let viewer = streams.first?.viewer else { continue }
        let topics = streams.reduce(into: Set<Topic>()) { $0.formUnion($1.topics) }
        group.addTask { [self] in
          let all = topics.sorted { $0.rawValue < $1.rawValue }
          for start in stride(from: 0, to: all.count, by: Topic.maxPerStream) {
            let some = Array(all[start..<min(start + Topic.maxPerStream, all.count)])
            let change = await check(some, by: viewer, at: hub.number, isFresh: true)
            let lost = Set(change.refused.filter { $0.reason == .notAllowed }.map(\.topic))
            let affected = Set(streams.map(\.id))
            if !lost.isEmpty { hub.drop(lost) { affected.contains($0.id) } }
          }
        }
      }
    }
  }
}
