import Contracts
import CurlClient
import Foundation
import Persistence
import ServiceKit
import Synchronization
import TestKit
import Testing

/// The primary of the platform's PostgreSQL is killed while services write to it, and its standby is promoted. The
/// services are processes that are not restarted.
@Suite(.serialized, .long)
struct DatabaseFailoverTests {
  private static let writers = 4
  /// How many writes of each service are acknowledged before the failure, and how many after the promotion.
  private static let writes = (before: 40, after: 40)

  /// The writes that a service has acknowledged.
  private final class Acknowledged: Sendable {
    private struct State {
      var ids: [String] = []
      var after = 0
      var firstAfter: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    var ids: [String] { state.withLock { $0.ids } }
    var after: Int { state.withLock { $0.after } }
    var firstAfter: ContinuousClock.Instant? { state.withLock { $0.firstAfter } }

    func add(_ id: String, wasSentAfter isAfter: Bool) {
      state.withLock { state in
        state.ids.append(id)
        guard isAfter else { return }
        state.after += 1
        state.firstAfter = state.firstAfter ?? .now
      }
    }
  }

  @Test func servicesContinueOnTheStandby() async throws {
    try await PostgresPair.run { pair in
      try await TemporaryFolder.run { folder in
        let keys = ["a", "lookup"].enumerated().map { index, name in
          "\(name):\(Data(repeating: UInt8(index + 1), count: 32).base64EncodedString())"
        }
        let settings = [
          // A busy machine may take long to connect.
          "DATABASE_URL": "\(pair.url)?connect_timeout=60", "DATABASE_CONNECTIONS": "4",
          "DATA_KEYS": keys.joined(separator: ","), "LIMITS_SIGN_IN": "0/1", "LIMITS_READ": "0/1",
          "LIMITS_WRITE": "0/1",
        ]
        try await ServiceProcesses.run(["auth", "study-sync"], folder: folder, settings: settings) { services in
          try await CurlClient.running { http in
            let client = APIClient(transport: CurlTransport(client: http, origin: await services.url))
            try await client.waitForServices()
            try await failOver(pair, client)
          }
        }
      }
    }
  }

  private func failOver(_ pair: PostgresPair, _ client: APIClient) async throws {
    var users: [TestUser] = []
    for number in 0..<Self.writers { users.append(TestUser(try await client.signUp("user\(number)"), client)) }
    let (reminders, sets) = (Acknowledged(), Acknowledged())
    let promotedAt = Mutex<ContinuousClock.Instant?>(nil)
    @Sendable func write(
      to acknowledged: Acknowledged, as user: TestUser,
      _ create: @Sendable (TestUser, _ name: String, _ key: String) async throws -> String
    ) async throws {
      var number = 0
      while acknowledged.after < Self.writes.after {
        let isAfter = promotedAt.withLock { $0 != nil }
        let id = try await create(user, "number \(number)", UUID().uuidString)
        acknowledged.add(id, wasSentAfter: isAfter)
        number += 1
      }
    }
    _ = try await concurrently(0...2 * users.count) { [users] number in
      if number == 2 * users.count {
        try await eventually("both services are writing") {
          min(reminders.ids.count, sets.ids.count) > Self.writes.before
        }
        try await pair.killPrimary()
        try await pair.promoteStandby()
        promotedAt.withLock { $0 = .now }
      } else if number < users.count {
        try await write(to: reminders, as: users[number], Self.remind)
      } else {
        try await write(to: sets, as: users[number - users.count], Self.createSet)
      }
    }
    var found: (reminders: [String], sets: [String]) = ([], [])
    for user in users {
      found.reminders += try await all(AuthAPI.ListReminders(limit: PageSize(checked: 100)), of: user) {
        AuthAPI.ListReminders(limit: $0.limit, cursor: $1)
      }.map(\.id.rawValue)
      found.sets += try await all(StudyAPI.ListSets(limit: PageSize(checked: 100)), of: user) {
        StudyAPI.ListSets(limit: $0.limit, cursor: $1)
      }.map(\.id.rawValue)
    }
    // Every request was repeated until it was acknowledged, so whatever else is there was written twice.
    #expect(found.reminders.sorted() == reminders.ids.sorted())
    #expect(found.sets.sorted() == sets.ids.sorted())
    let start = try #require(promotedAt.withLock { $0 })
    for service in [reminders, sets] { #expect(try #require(service.firstAfter) - start < .seconds(60)) }
  }

  private static func remind(_ user: TestUser, _ name: String, _ key: String) async throws -> String {
    let reminder = AuthAPI.CreateReminder(
      title: ShortText(checked: name), localTime: try LocalTime(validating: "2080-01-01T08:00:00"),
      timeZone: try TimeZoneName(validating: "Europe/London"))
    return try await user.insist(reminder, key: key) { $0.is(.requestInProgress) }.id.rawValue
  }

  private static func createSet(_ user: TestUser, _ name: String, _ key: String) async throws -> String {
    let set = StudyAPI.CreateSet(title: try SetTitle(validating: name))
    return try await user.insist(set, key: key) { $0.is(.requestInProgress) }.id.rawValue
  }

  private func all<List: PagedEndpoint, Item>(
    _ list: List, of user: TestUser, next: (List, String) -> List
  ) async throws -> [Item] where List.Response == Page<Item> {
    var (items, list) = ([Item](), list)
    while true {
      let page = try await user.insist(list)
      items += page.items
      guard let cursor = page.nextCursor else { return items }
      list = next(list, cursor)
    }
  }
}
