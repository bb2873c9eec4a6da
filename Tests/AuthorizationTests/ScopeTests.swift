import Contracts
import Persistence
import SyncMerge
import TestKit
import Testing

/// S21: a token of one app works in that app only. The tokens are those that sign-in gives.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct ScopeTests {
  @Test func aKeepFitTokenDoesNotBuyAtYesenia() async throws {
    try await MatrixPlatform.run { matrix in
      let test = matrix.test
      let product = try await Self.product(matrix)
      let fitness = TestUser(try await test.client.signUp("ada", app: .keepfit), test.client)
      let refused = try await problem {
        _ = try await fitness.client.send(OrdersAPI.AddCartItem(productID: product))
      }
      #expect(refused?.is(.scopeMissing) == true)
      #expect(refused?.detail == "The token lacks the scope cart.")
      let carts = try await test.database(of: OrdersAPI.self).read { db in
        try db.count("SELECT COUNT(*) FROM cart_items")
      }
      #expect(carts == 0)

      // The same person, signed in to the shop.
      let login = AuthAPI.LogIn(login: "ada", password: "correct horse ada", app: .yesenia)
      let shop = TestUser(try await test.client.send(login), test.client)
      #expect(try await shop.client.send(OrdersAPI.AddCartItem(productID: product)).items.count == 1)
      // Signing in to the shop gave the other token nothing.
      #expect(try await problem { _ = try await fitness.client.send(OrdersAPI.GetCart()) }?.is(.scopeMissing) == true)
      let workout = try await problem { _ = try await shop.client.send(StudyAPI.ListWorkouts()) }
      #expect(workout?.detail == "The token lacks the scope workouts.")
    }
  }

  /// Neither refreshing nor upgrading widens what the token of a session permits.
  @Test func refreshedTokensKeepTheScopesOfTheirApp() async throws {
    try await MatrixPlatform.run { matrix in
      let client = matrix.test.client
      let session = try await client.signUp("ada", app: .keepfit)
      let refreshed = try await client.send(AuthAPI.Refresh(refreshToken: session.refreshToken))
      let me = client.with(accessToken: refreshed.accessToken)
      _ = try await me.send(StudyAPI.ListWorkouts())
      #expect(try await problem { _ = try await me.send(OrdersAPI.GetCart()) }?.is(.scopeMissing) == true)
    }
  }

  /// The same person's two apps synchronize: neither receives or writes what is the other's.
  @Test func synchronizationKeepsToTheApp() async throws {
    try await MatrixPlatform.run { matrix in
      let client = matrix.test.client
      let study = TestUser(try await client.signUp("ada", app: .letustudy), client)
      let set = try await study.client.send(StudyAPI.CreateSet(title: SetTitle(validating: "Latin")))
      let login = AuthAPI.LogIn(login: "ada", password: "correct horse ada", app: .keepfit)
      let fitness = TestUser(try await client.send(login), client)
      _ = try await fitness.client.send(StudyAPI.ListWorkouts())
      let now = matrix.test.time.source.now()
      let operation = SyncOperation(
        id: matrix.test.ids.text(), collection: .sets, record: set.id.rawValue, action: .put,
        version: HybridTime(milliseconds: UInt64(now.microseconds / 1000), counter: 0, device: 1),
        fields: SyncFields([.init(name: "title", value: "Mine")]))
      let answer = try await fitness.client.send(
        StudyAPI.Sync(
          device: StudyDeviceID(trusted: matrix.test.ids.text()), deviceTime: now, operations: [.valid(operation)]))
      #expect(answer.results.map(\.code) == ["scope-missing"])
      #expect(answer.changes.isEmpty)
      #expect(answer.checksums?.map(\.collection) == [.workouts])
      #expect(try await study.client.send(StudyAPI.GetSet(id: set.id)).title == "Latin")
    }
  }

  private static func product(_ matrix: MatrixPlatform) async throws -> ProductID {
    let token = try #require(try await matrix.token(of: .owner))
    let owner = matrix.test.client.with(accessToken: token)
    return try await MatrixFixtures.product(owner)
  }
}
