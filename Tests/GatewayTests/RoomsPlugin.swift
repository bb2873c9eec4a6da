import Contracts
import Foundation
import Persistence
import ServiceKit
import Synchronization
import TestKit

@testable import AuthService
@testable import GatewayService

/// A service with topics: rooms have members, the lounge is for the staff, and everyone may follow a square.
struct RoomsPlugin: ServicePlugin, Feature {
  enum API: ServiceAPI {
    static let name = "rooms"
    static let summary = "Rooms"
    static let endpoints: [any Endpoint.Type] = []
  }

  static let manifest = Manifest(
    name: API.name, api: API.self, emits: [TopicEvent.self, TopicAccessEnded.self],
    topics: ["room", "lounge", "square", "auction"]
  )

  let rights = Rights()
  let signals: Signals
  private let database: any Database

  init(environment: ServiceEnvironment) throws {
    signals = environment.signals
    database = try environment.database
  }

  func register(in routes: inout Routes) {
    routes.topics("room") { [rights] reader, topics in try await rights.rooms(topics, of: reader.id) }
    routes.topics("lounge") { [rights] reader, topics in
      reader.roles.isDisjoint(with: rights.staff) ? [] : topics
    }
    routes.topics("auction") { _, topics in topics }
    routes.topics("square") { [rights] _, topics in topics.filter { !rights.isClosed($0) } }
  }

  func record(_ event: some Event) async throws { try await database.write { try $0.record(event) } }
}

/// The rights to follow topics, changed by tests.
final class Rights: Sendable {
  private struct State {
    var members: [Topic: Set<UserID>] = [:]
    var closed: Set<Topic> = []
    var staff: Set<Role> = [.support, .administrator]
    var isDown = false
    var calls = 0
    /// Answers wait until it is opened.
    var gate: AsyncStream<Void>?
  }

  private let state = Mutex(State())

  var calls: Int { state.withLock { $0.calls } }
  var staff: Set<Role> { state.withLock { $0.staff } }

  func join(_ room: Topic, _ user: UserID) { state.withLock { _ = $0.members[room, default: []].insert(user) } }
  func leave(_ room: Topic, _ user: UserID) { state.withLock { _ = $0.members[room]?.remove(user) } }
  func close(_ topic: Topic) {
    state.withLock {
      $0.closed.insert(topic)
      $0.members[topic] = nil
    }
  }
  func isClosed(_ topic: Topic) -> Bool { state.withLock { $0.closed.contains(topic) } }
  func setStaff(_ roles: Set<Role>) { state.withLock { $0.staff = roles } }
  func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

  /// Holds back answers about rooms until the returned continuation finishes.
  func hold() -> AsyncStream<Void>.Continuation {
    let (gate, continuation) = AsyncStream.makeStream(of: Void.self)
    state.withLock { $0.gate = gate }
    return continuation
  }

  func rooms(_ topics: [Topic], of user: UserID) async throws -> [Topic] {
    let (answer, isDown, gate) = state.withLock { state in
      state.calls += 1
      return (topics.filter { state.members[$0]?.contains(user) == true }, state.isDown, state.gate)
    }
    if let gate { for await _ in gate {} }
    if isDown { throw Problem(.unavailable) }
    return answer
  }
}

extension TestPlatform {
  static func rooms(
    settings: [String: String] = [:], database: TestDatabase = .sqlite, time: ManualTime? = nil,
    _ body: (TestPlatform, TestPlatform.Web) async throws -> Void
  ) async throws {
    try await listen(
      [GatewayPlugin.self, AuthPlugin.self, RoomsPlugin.self],
      settings: settings.merging(["limits.read": "0/1"]) { $1 },
      database: database, time: time, body
    )
  }

  var rooms: RoomsPlugin { get throws { try plugin(RoomsPlugin.self) } }

  /// A user with any roles; the gateway needs no account.
  ///
  /// - Parameter id: Of a user who has signed in to another app too.
  func person(_ roles: [Role] = [.user], app: ClientApp = .web, id: UserID? = nil) async throws -> TestUser {
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: folder)
    let id: UserID = id ?? ids.make()
    let now = TimeSource.system.now().unixSeconds
    let claims = AccessClaims(
      iss: Issuer.name, sub: id.rawValue, aud: app.rawValue, sid: ids.text(), scope: app.scopeClaim(),
      roles: roles.map(\.rawValue), iat: now - 60, exp: now + 86_400, jti: ids.text()
    )
    return TestUser(id: id, token: try await keys.sign(claims), client: client)
  }
}

extension TestPlatform.Web {
  func reader(_ user: TestUser) -> StreamReader { StreamReader(client: http, url: url, token: user.token) }
}

func room(_ number: Int) -> Topic { Topic("room", "n\(number)") }
