import AuthService
import CatalogService
import Contracts
import GatewayService
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// The caller's relationships to users, and their effect in other services.
@Suite(.serialized)
struct RelationTests {
  /// Random relations among ten users, and every pair's relationship, against what was done.
  @Test(arguments: TestDatabase.allCases)
  func relationshipsAgreeWithWhatWasDone(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      var random = SeededGenerator()
      let seed = "\(random)"
      let users = try await concurrently(0..<7) { number in try await host.user("user\(number)") }
      var model = Model()
      for _ in 0..<90 {
        let pair = users.shuffled(using: &random).prefix(2)
        let (one, other) = (pair[0], pair[1])
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
          if try await problem({ try await host.follow(one, other) }) == nil {
            model.follows.insert([one.id, other.id])
          }
        case 4..<8:
          guard try await problem({ try await host.ask(one, other) }) == nil else { break }
          model.ask(one.id, other.id)
        case 8:
          _ = try await one.client.send(MatchingAPI.UnfollowUser(userID: other.id))
          model.follows.remove([one.id, other.id])
        default:
          try await host.block(one, other)
          model.block(one.id, other.id)
        }
      }
      for viewer in users {
        let list = try await viewer.client.send(
          MatchingAPI.ListRelationships(users: UserList(users.map(\.id)))
        ).items
        #expect(
          list.map(\.withoutID) == users.map { model.relationship(of: viewer.id, to: $0.id, users.map(\.id)) },
          "\(seed)")
        for listed in list {
          #expect(try await host.relationship(viewer, to: listed.userID) == listed, "\(seed)")
          #expect((listed.connectionID == nil) == (listed.connection == .none))
        }
      }
    }
  }

  /// A model of the relations, in memory.
  private struct Model {
    /// Follower and followed.
    var follows: Set<[UserID]> = []
    /// Requester and recipient.
    var requests: Set<[UserID]> = []
    var connections: Set<Set<UserID>> = []
    /// Blocker and blocked.
    var blocks: Set<[UserID]> = []

    mutating func ask(_ one: UserID, _ other: UserID) {
      if connections.contains([one, other]) { return }
      if requests.remove([other, one]) != nil {
        connections.insert([one, other])
      } else {
        requests.insert([one, other])
      }
    }

    mutating func block(_ one: UserID, _ other: UserID) {
      blocks.insert([one, other])
      connections.remove([one, other])
      for pair in [[one, other], [other, one]] {
        follows.remove(pair)
        requests.remove(pair)
      }
    }

    func isHidden(_ one: UserID, _ other: UserID) -> Bool {
      blocks.contains([one, other]) || blocks.contains([other, one])
    }

    func relationship(of viewer: UserID, to user: UserID, _ users: [UserID]) -> Relationship {
      var relationship = Relationship(userID: user, isBlocked: blocks.contains([viewer, user]))
      if isHidden(viewer, user) { return relationship }
      let visible = users.filter { !isHidden(viewer, $0) }
      relationship.isFollowing = follows.contains([viewer, user])
      relationship.isFollowedBy = follows.contains([user, viewer])
      relationship.followers = visible.count { follows.contains([$0, user]) }
      relationship.following = visible.count { follows.contains([user, $0]) }
      if viewer != user {
        relationship.mutualConnections = users.count {
          connections.contains([viewer, $0]) && connections.contains([user, $0])
        }
      }
      if connections.contains([viewer, user]) {
        relationship.connection = .connected
      } else if requests.contains([viewer, user]) {
        relationship.connection = .requested
      } else if requests.contains([user, viewer]) {
        relationship.connection = .incoming
      }
      return relationship
    }
  }

  @Test func relationshipsOfManyUsersAreAskedAtOnce() async throws {
    try await RelationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      try await host.follow(users[0], users[1])
      let strangers = (0..<98).map { _ in host.test.ids.make() as UserID }
      let wanted = strangers + [users[1].id, strangers[0], users[0].id]
      let items = try await users[0].client.send(MatchingAPI.ListRelationships(users: UserList(wanted.dropLast())))
        .items
      #expect(items.map(\.userID) == strangers + [users[1].id])
      #expect(items.filter(\.isFollowing).map(\.userID) == [users[1].id])
      for list in ["", "x", "\(users[1].id),", wanted.map(\.rawValue).joined(separator: ",")] {
        let refused = try await host.test.send(.get, "/v1/relations?users=\(list)", by: users[0])
        #expect(refused.status == 422, "\(list)")
        #expect(try refused.problem?.errors?.map(\.location) == ["query.users"])
      }
    }
  }

  // MARK: other services

  /// The whole path: matching's events reach auth and catalog.
  @Test(arguments: TestDatabase.allCases)
  func authAndCatalogFollowRelations(_ database: TestDatabase) async throws {
    let plugins = RelationHost.plugins + [CatalogPlugin.self]
    // While the test waits, it reads again and again.
    let settings = ["services.orders.url": "http://127.0.0.1:1", "limits.read": "0/1"]
    try await TestPlatform.listen(plugins, settings: settings, database: database) { test, _ in
      let host = RelationHost(test: test)
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      var details = ProfilePatch()
      details.school = .set(try ShortText(validating: "Home"))
      _ = try await ada.client.send(AuthAPI.UpdateMe(details: details))
      func school() async throws -> String? {
        try await bob.client.send(AuthAPI.GetUser(id: ada.id)).details.school?.rawValue
      }
      #expect(try await school() == nil)
      let connection = try await host.connect(ada, bob)
      try await eventually("the connection shows the profile") { try await school() == "Home" }
      _ = try await ada.client.send(MatchingAPI.RemoveConnection(id: connection.id))
      try await eventually("the profile is hidden again") { try await school() == nil }

      let listing = try await bob.client.send(
        CatalogAPI.CreateListing(
          kind: .beat, name: ShortText(validating: "Night drive"), audio: test.ids.make(),
          licenses: [LicenseOption(kind: .lease, price: Price(checked: Money(2999, .usd)), files: [.mp3])])
      )
      let comment = CatalogAPI.CommentOnListing(id: listing.id, text: try CommentText(validating: "Nice."))
      _ = try await ada.client.send(comment)
      try await host.block(ada, bob)
      try await eventually("the blocker is unknown to the blocked user") {
        try await problem { _ = try await school() }?.code == "user-not-found"
      }
      try await eventually("the comment is hidden from the blocked user") {
        try await bob.client.send(CatalogAPI.ListListingComments(id: listing.id)).items.isEmpty
      }
      _ = try await ada.client.send(MatchingAPI.UnblockUser(userID: bob.id))
      try await eventually("the blocker is known again") { try await problem { _ = try await school() } == nil }
    }
  }

  /// A profile that changes shows in matching's lists at once, also its photo.
  @Test func changedNamesShowInLists() async throws {
    try await RelationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      try await host.connect(ada, bob)
      #expect(try await host.connections(of: bob).first?.user?.photo == nil)
      let photo: MediaID = host.test.ids.make()
      var details = ProfilePatch()
      details.photo = .set(photo)
      let account = try await ada.client.send(
        AuthAPI.UpdateMe(displayName: DisplayName(validating: "Countess"), details: details))
      try await host.deliver(UserChanged(userID: ada.id, version: account.version))
      let shown = try await host.connections(of: bob).first?.user
      #expect(shown?.displayName == "Countess")
      #expect(shown?.photo == photo)
    }
  }
}

extension Relationship {
  fileprivate var withoutID: Relationship {
    var copy = self
    copy.connectionID = nil
    return copy
  }
}
