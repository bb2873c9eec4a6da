import AuthService
import CatalogService
import Contracts
import GatewayService
import OrdersService
import ServiceKit
import TestKit

/// Two instances of every service of the shop on one PostgreSQL, as two machines run them: each with its own connections,
/// queues and caches.
struct TwoInstances {
  let one: TestPlatform
  let two: TestPlatform

  var all: [TestPlatform] { [one, two] }

  /// - Parameter clocks: The clocks of the two machines; by default both have that of the test.
  static func run(
    settings: [String: String] = [:], time: ManualTime = ManualTime(), clocks: [TimeSource]? = nil,
    _ body: (TwoInstances) async throws -> Void
  ) async throws {
    let plugins: [any ServicePlugin.Type] = [
      GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, OrdersPlugin.self,
    ]
    // Tests share one server, which has a limited number of connections.
    let usual = TestPlatform.testPayments.merging(["database.connections": "4"]) { $1 }
    let all = usual.merging(settings) { $1 }
    try await TestPlatform.runTwo(plugins, settings: all, time: time, clocks: clocks) { one, two in
      try await body(TwoInstances(one: one, two: two))
    }
  }

  /// A user as a client of one of the instances; numbers alternate between them.
  func client(_ user: TestUser, of number: Int) -> TestUser {
    TestUser(id: user.id, token: user.token, client: all[number % 2].client)
  }

  /// Users as clients of the instances, alternately.
  func clients(_ users: [TestUser]) -> [TestUser] { users.enumerated().map { client($1, of: $0) } }

  /// Runs the due jobs of both instances at the same time.
  func runOnce() async throws {
    async let first: Void = one.runOnce()
    async let second: Void = two.runOnce()
    _ = try await (first, second)
  }
}
