import Contracts
import HTTPServing
import HTTPTypes
import HummingbirdCore
import Persistence
import ServiceKit

/// `GET /v1/events`: a user's events, and those of topics, as server-sent events (WHATWG HTML). A reconnecting app sends
/// the `id` of the last event that it received as `Last-Event-ID`, and misses nothing that the log still has.
struct EventStreams: Sendable {
  let hub: StreamHub
  let access: TopicAccess
  let opener: StreamOpener
  let tail: EventTail
  let database: any Database
  let tokens: TokenVerifier
  let ids: IDGenerator
  let keys: DataKeys

  /// How often a session may change what its streams follow: each change is written to the log.
  private static let changes = RateLimit(EventLogStore.changesPerStream, per: 60, pause: .untilOneIsForgotten)

  func open(_ request: Request, _ context: RequestContext) async throws -> Response {
    guard let token = BearerToken.read(request.headers[values: .authorization]) else { throw Problem(.tokenMissing) }
    let viewer = try await tokens.verify(token)
    guard !viewer.isClient else { throw Problem(.forbidden) }
    try viewer.require(GatewayAPI.events.operation.scope)
    let lastSeen = try Self.lastSeen(request.headers[.lastEventID])
    let topics = try Self.topics(request.uri.query ?? "")
    let network = context.clientAddress.map { ClientNetwork.of($0) }
    try hub.checkRoom(for: network)
    let change = await access.check(topics, by: viewer, at: hub.number)
    let id: StreamID = ids.make()
    // Opened when the response begins and not earlier: one that is never sent would occupy its slot forever.
    return .open(
      headers: [.contentType: "text/event-stream", .cacheControl: "no-store, no-transform"], context: context
    ) { response in
      begin(EventStream(id, viewer, response, network: network), change, lastSeen: lastSeen)
    }
  }

  /// - Parameter lastSeen: The last event that the app has received; `nil` for a new stream.
  func begin(_ stream: EventStream, _ change: TopicsChange, lastSeen: Int64?) {
    guard let (number, refused) = hub.open(stream, change) else { return stream.end() }
    stream.introduce(at: lastSeen == nil ? number : nil)
    opener.add(
      StreamOpener.Opening(
        stream: stream, number: number, lastSeen: lastSeen, refused: refused, topics: stream.topics
      )
    )
  }

  /// Replaces the topics of a stream, which another gateway may hold: the change takes effect at its point in the log.
  func follow(_ request: GatewayAPI.FollowTopics, _ user: UserCaller) async throws -> FollowedTopics {
    let topics = try Self.checked(request.topics, at: "body.topics")
    let id = request.stream
    let limit = StoredLimit(Self.changes, of: user.sessionID.rawValue, for: "topics", keys)
    try await database.write { tx in
      guard try OpenStreamStore.exists(id, of: user.id, user.sessionID, in: tx) else { throw Problem(.streamNotFound) }
      try limit.require(in: tx)
    }
    let change = await access.check(topics, by: user, at: hub.number)
    // Refused topics concern the caller alone. A topic whose service does not respond may be kept.
    let stored = TopicsChange(
      topics: change.topics, refused: change.refused.filter { $0.reason != .notAllowed }, checkedAt: change.checkedAt
    )
    try await database.write(.readCommitted) { tx in
      guard try OpenStreamStore.exists(id, of: user.id, user.sessionID, in: tx) else { throw Problem(.streamNotFound) }
      try EventLogStore.insert(stored, of: id, in: tx)
    }
    tail.wake()
    return FollowedTopics(stream: id, topics: change.topics, refused: change.refused)
  }

  private static func lastSeen(_ header: String?) throws(Problem) -> Int64? {
    guard let header, !header.isEmpty else { return nil }
    guard let number = Int64(header), number >= 0 else {
      let error = Problem.Detail(location: "header.Last-Event-ID", message: "must be the id of an event")
      throw Problem(.malformedRequest, errors: [error])
    }
    return number
  }

  private static func topics(_ query: String) throws(Problem) -> [Topic] {
    guard let parameters = PercentCoding.query(query[...]) else { throw Problem(.malformedRequest) }
    let texts = parameters.filter { $0.name == "topics" }.flatMap { $0.value.split(separator: ",") }
    try checkCount(texts.count, at: "query.topics")
    var topics: [Topic] = []
    for text in texts {
      do { topics.append(try Topic(validating: String(text))) } catch {
        throw Problem(.invalidRequest, errors: [.init(location: "query.topics", message: error.message)])
      }
    }
    return try checked(topics, at: "query.topics")
  }

  /// Each topic once.
  private static func checked(_ topics: [Topic], at location: String) throws(Problem) -> [Topic] {
    try checkCount(topics.count, at: location)
    var seen: Set<Topic> = []
    return topics.filter { seen.insert($0).inserted }
  }

  private static func checkCount(_ count: Int, at location: String) throws(Problem) {
    guard count > Topic.maxPerStream else { return }
    let message = "may have at most \(Topic.maxPerStream) items"
    throw Problem(.invalidRequest, errors: [.init(location: location, message: message)])
  }
}

extension HTTPField.Name {
  fileprivate static let lastEventID = Self(known: "Last-Event-ID")
}
