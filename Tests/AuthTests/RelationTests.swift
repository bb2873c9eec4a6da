import Contracts
import Crypto
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// The reactions of auth to connections, blocks and pushes that matching reports.
@Suite(.serialized)
struct RelationTests {
  @Test(arguments: TestDatabase.allCases)
  func whoHasBlockedSomeoneIsUnknownToThem(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: TestPlatform.besideMatching, database: database) { host async throws in
      let ada = TestUser(try await host.signUp("ada"), host.client)
      let bob = TestUser(try await host.signUp("bob"), host.client)
      let eve = TestUser(try await host.signUp("eve"), host.client)
      func found(_ query: String?, by user: TestUser) async throws -> [UserID] {
        try await user.client.send(AuthAPI.SearchUsers(query: query)).items.map(\.id)
      }
      try await host.deliver(BlockChanged(blocker: ada.id, blocked: bob.id, isBlocked: true))

      let blocked = try await problem { _ = try await bob.client.send(AuthAPI.GetUser(id: ada.id)) }
      let unknown = try await problem { _ = try await bob.client.send(AuthAPI.GetUser(id: host.ids.make())) }
      #expect(blocked?.code == "user-not-found")
      #expect(blocked?.untraced == unknown?.untraced)
      #expect(try await found("ada", by: bob).isEmpty)
      #expect(try await found(nil, by: bob) == [eve.id, bob.id])
      // Neither is the blocked user found by the blocker, who may still look at the profile.
      #expect(try await found("bob", by: ada).isEmpty)
      #expect(try await ada.client.send(AuthAPI.GetUser(id: bob.id)).id == bob.id)
      // Others are not concerned.
      #expect(try await found("ada", by: eve) == [ada.id])
      #expect(try await eve.client.send(AuthAPI.GetUser(id: ada.id)).id == ada.id)

      try await host.deliver(BlockChanged(blocker: ada.id, blocked: bob.id, isBlocked: false))
      #expect(try await bob.client.send(AuthAPI.GetUser(id: ada.id)).id == ada.id)
      #expect(try await found("bob", by: ada) == [bob.id])
    }
  }

  /// Pages are formed of those who are shown: neither a gap nor a cursor reveals that there is someone else.
  @Test(arguments: TestDatabase.allCases)
  func pagesOfUsersNameNoOneWhoIsHidden(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: TestPlatform.besideMatching, database: database) { host async throws in
      let bob = TestUser(try await host.signUp("bob"), host.client)
      let blocker = TestUser(try await host.signUp("ada"), host.client)
      let eve = TestUser(try await host.signUp("eve"), host.client)
      let blocked = TestUser(try await host.signUp("dan"), host.client)
      let disabled = TestUser(try await host.signUp("fay"), host.client)
      _ = try await host.client.send(AuthAPI.SignInAsGuest())
      let last = TestUser(try await host.signUp("gus"), host.client)
      try await host.deliver(BlockChanged(blocker: blocker.id, blocked: bob.id, isBlocked: true))
      try await host.deliver(BlockChanged(blocker: bob.id, blocked: blocked.id, isBlocked: true))
      try await host.database.write { tx in
        try tx.execute("UPDATE users SET disabled_at = \(tx.now) WHERE id = \(disabled.id)")
      }
      let one = PageSize(checked: 1)
      var (shown, cursors) = ([UserID](), [String]())
      repeat {
        let page = try await bob.client.send(AuthAPI.SearchUsers(limit: one, cursor: cursors.last))
        shown += page.items.map(\.id)
        guard let next = page.nextCursor else { break }
        cursors.append(next)
      } while cursors.count < 10
      #expect(shown == [last.id, eve.id, bob.id])
      #expect(cursors == [last.id.rawValue, eve.id.rawValue])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func relationsOfADeletedUserAreErased(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: TestPlatform.besideMatching, database: database) { host async throws in
      let ada = TestUser(try await host.signUp("ada"), host.client)
      let bob = TestUser(try await host.signUp("bob"), host.client)
      let eve = TestUser(try await host.signUp("eve"), host.client)
      try await host.deliver(ConnectionChanged(ada.id, eve.id, isConnected: true))
      try await host.deliver(BlockChanged(blocker: ada.id, blocked: bob.id, isBlocked: true))
      try await host.deliver(BlockChanged(blocker: bob.id, blocked: ada.id, isBlocked: true))

      let own = try await ada.client.send(AuthAPI.ExportMe())["services"]?["auth"]
      #expect(own?["connections"]?.elements == [.string(eve.id.rawValue)])
      #expect(own?["blocks"]?.elements == [.string(bob.id.rawValue)])

      _ = try await ada.client.send(AuthAPI.DeleteMe())
      // Events that matching recorded before it received the deletion have no effect.
      try await host.deliver(BlockChanged(blocker: bob.id, blocked: ada.id, isBlocked: true))
      try await host.deliver(ConnectionChanged(ada.id, bob.id, isConnected: true))
      let left = try await host.database.read { db in
        try db.count("SELECT (SELECT COUNT(*) FROM blocks) + (SELECT COUNT(*) FROM connections)")
      }
      #expect(left == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func disabledAccountsAreNotFoundByTheirUsernames(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: TestPlatform.besideMatching, database: database) { host async throws in
      let ada = TestUser(try await host.signUp("ada"), host.client)
      let matching = host.platform.client(of: AuthAPI.self, as: MatchingAPI.name)
      let request = AuthAPI.GetPublicNames(users: [], usernames: [try Username(validating: "ada")])
      #expect(try await matching.send(request).items.map(\.id) == [ada.id])
      try await host.database.write { tx in
        try tx.execute("UPDATE users SET disabled_at = \(tx.now) WHERE id = \(ada.id)")
      }
      #expect(try await matching.send(request).items == [])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func publicNamesHaveThePhotoThatEveryoneMaySee(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: TestPlatform.besideMatching, database: database) { host async throws in
      let ada = TestUser(try await host.signUp("ada"), host.client)
      let bob = TestUser(try await host.signUp("bob"), host.client)
      let photo: MediaID = host.ids.make()
      var details = ProfilePatch()
      details.photo = .set(photo)
      _ = try await ada.client.send(AuthAPI.UpdateMe(details: details))
      let matching = host.platform.client(of: AuthAPI.self, as: MatchingAPI.name)
      func photos() async throws -> [UserID: MediaID?] {
        let names = try await matching.send(AuthAPI.GetPublicNames(users: [ada.id, bob.id, host.ids.make()])).items
        return Dictionary(names.map { ($0.id, $0.photo) }) { first, _ in first }
      }
      #expect(try await photos() == [ada.id: photo, bob.id: nil])
      for choice in [Visibility.connections, .onlyMe] {
        var visibility = ProfileVisibility()
        visibility.photo = choice
        _ = try await ada.client.send(AuthAPI.UpdateMe(visibility: visibility))
        #expect(try await photos() == [ada.id: nil, bob.id: nil], "\(choice)")
      }
    }
  }

  @Test func requestedPushesGoToTheUsersDevices() async throws {
    let key = P256.Signing.PrivateKey().pemRepresentation
    let settings = [
      "apns.url": "https://127.0.0.1:1", "apns.key": key, "apns.keyId": "KEY1234567", "apns.teamId": "TEAM123456",
      "apns.topics": "web=app.example.web",
    ]
    let beside = TestPlatform.besideMatching.merging(["services.orders.url": "http://127.0.0.1:1"]) { $1 }
    try await TestPlatform.auth(settings: settings.merging(beside) { $1 }) { host async throws in
      let ada = TestUser(try await host.signUp("ada"), host.client)
      let bob = TestUser(try await host.signUp("bob"), host.client)
      for (user, letter) in [(ada, "a"), (bob, "b")] {
        let token = try PushToken(validating: String(repeating: letter, count: 64))
        _ = try await user.client.send(AuthAPI.PutDevice(id: host.ids.make(), apnsToken: token))
      }
      var quiet = UserSettings()
      quiet.notifications = false
      _ = try await bob.client.send(AuthAPI.PutSettings(quiet))
      for user in [ada.id, bob.id, host.ids.make()] {
        try await host.deliver(PushRequested(to: user, title: "New connection", text: "Accepted."))
      }
      let group = GroupPushRequested(
        to: [ada.id, bob.id, host.ids.make()], about: Topic("auction", host.ids.text()), title: "An auction ends soon",
        text: "It ends soon.")
      try await host.deliver(group, from: OrdersAPI.self, to: AuthAPI.self)
      let people = try await host.database.read { db in
        try db.values("SELECT person FROM jobs WHERE kind = 'push'", as: UserID.self)
      }
      #expect(people == [ada.id, ada.id])
    }
  }
}
