import AuthService
import Contracts
import GatewayService
import Persistence
import ServiceKit
import TestKit

@testable import MatchingService

/// Matching and auth behind the gateway, with what tests of blocks, connections and follows need.
struct RelationHost: Sendable {
  let test: TestPlatform

  static let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self, MatchingPlugin.self]

  static func run(
    _ database: TestDatabase = .sqlite, time: ManualTime = ManualTime(), _ body: (RelationHost) async throws -> Void
  ) async throws {
    try await TestPlatform.run(plugins, database: database, time: time) { try await body(RelationHost(test: $0)) }
  }

  // MARK: users

  func user(_ name: String) async throws -> TestUser { TestUser(try await test.client.signUp(name), test.client) }

  func users(_ names: String...) async throws -> [TestUser] {
    var users: [TestUser] = []
    for name in names { users.append(try await user(name)) }
    return users
  }

  func guest() async throws -> TestUser { TestUser(try await test.client.send(AuthAPI.SignInAsGuest()), test.client) }

  // MARK: relations

  @discardableResult
  func ask(_ user: TestUser, _ other: TestUser, note: String? = nil) async throws -> UserConnection {
    try await user.client.send(
      MatchingAPI.RequestConnection(userID: other.id, note: note.map { try ConnectionNote(validating: $0) })
    )
  }

  /// Each asks the other.
  @discardableResult
  func connect(_ one: TestUser, _ other: TestUser) async throws -> UserConnection {
    try await ask(one, other)
    return try await ask(other, one)
  }

  func follow(_ user: TestUser, _ other: TestUser) async throws {
    _ = try await user.client.send(MatchingAPI.FollowUser(userID: other.id))
  }

  func block(_ user: TestUser, _ other: TestUser) async throws {
    _ = try await user.client.send(MatchingAPI.BlockUser(userID: other.id))
  }

  func connections(of user: TestUser, _ status: ConnectionStatus? = nil) async throws -> [UserConnection] {
    try await user.client.send(MatchingAPI.ListConnections(status: status)).items
  }

  func relationship(_ user: TestUser, to other: UserID) async throws -> Relationship {
    try await user.client.send(MatchingAPI.GetRelationship(userID: other))
  }

  // MARK: what is stored

  var database: any Database { get throws { try test.database(of: MatchingAPI.self) } }

  /// The events of a type that matching has recorded, oldest first.
  func events<E: Event>(_ type: E.Type) async throws -> [E] {
    try await test.recorded(type, by: MatchingAPI.self)
  }

  /// The number of rows about relations.
  func relationRows() async throws -> Int {
    try await database.read { db in
      try db.count(
        """
        SELECT (SELECT COUNT(*) FROM blocks) + (SELECT COUNT(*) FROM connections)
          + (SELECT COUNT(*) FROM connection_requests) + (SELECT COUNT(*) FROM follows)
        """
      )
    }
  }

  func topics(_ topics: [Topic], allowedTo user: UserID) async throws -> Set<Topic> {
    Set(try await database.read { db in try UserTopics.allowed(topics, to: user, in: db) })
  }

  /// A section of matching's export of a user.
  func export(_ section: String, of user: UserID) async throws -> JSONValue? {
    try await test.plugin(MatchingPlugin.self).export(user, from: database)[section]
  }

  /// Delivers an event as auth would.
  func deliver(_ event: some Event) async throws {
    try await test.deliver(event, from: AuthAPI.self, to: MatchingAPI.self)
  }
}

extension UserTopic {
  /// All topics of a user.
  static func all(of user: UserID) -> [Topic] { allCases.map { $0.of(user) } }
}

/// The answer to a request: its status and its content, without the id of the request in problems.
struct PlainAnswer: Equatable, Sendable {
  var status: Int
  var body: String

  init(_ response: WireResponse) throws {
    status = response.status
    body = String(decoding: response.body, as: UTF8.self)
    if let problem = try response.problem {
      body = String(decoding: try WireJSON.encode(problem.untraced), as: UTF8.self)
    }
  }
}

/// The items of all pages of a list.
func allItems<Item>(_ page: (_ cursor: String?) async throws -> (items: [Item], nextCursor: String?)) async throws
  -> [Item]
{
  var items: [Item] = []
  var cursor: String?
  repeat {
    let next = try await page(cursor)
    items += next.items
    cursor = next.nextCursor
  } while cursor != nil
  return items
}
