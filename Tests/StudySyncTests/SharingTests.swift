import Contracts
import Persistence
import ServiceKit
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct SharingTests {
  @Test(arguments: TestDatabase.allCases)
  func aUserIsNotifiedOfAShareOnce(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet("Secret title")
      let share = try await ada.client.send(
        StudyAPI.ShareSet(id: set.id, role: .viewer, username: Username(validating: "Bob")))
      #expect(share.member?.userID == bob.id)
      #expect(share.member?.user?.displayName == "The bob")
      #expect(try await host.events(for: bob) == ["studySet.shared"])
      try await ada.share(set.id, with: bob, as: .editor)
      #expect(try await bob.set(set.id).role == .editor)
      let pushes = try await host.test.recorded(PushRequested.self, by: StudyAPI.self)
      #expect(pushes.map(\.userID) == [bob.id])
      #expect(pushes.allSatisfy { !($0.title + $0.text).contains("Secret") })
      #expect(try await host.hints(for: bob) == 2)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func rolesDecideWhatAMemberMayDo(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet()
      let card = try await ada.makeCard(set.id, "aqua")
      try await ada.share(set.id, with: bob)
      #expect(try await bob.fronts(set.id) == ["aqua"])
      let text = try CardText(validating: "terra")
      func edits() async throws -> [String?] {
        try await bob.codes(
          StudyAPI.CreateCard(id: set.id, front: text, back: text), StudyAPI.UpdateCard(id: card.id, front: text),
          StudyAPI.ImportCards(body: RawBody(Array("a\nb\n".utf8)), set: set.id))
      }
      #expect(try await edits() == ["forbidden", "forbidden", "forbidden"])
      try await ada.share(set.id, with: bob, as: .editor)
      #expect(try await edits() == [nil, nil, nil])
      let owners = try await bob.codes(
        StudyAPI.DeleteSet(id: set.id), StudyAPI.PublishSet(id: set.id),
        StudyAPI.ShareSet(id: set.id, role: .viewer, userID: ada.id), StudyAPI.ShareSet(id: set.id, role: .viewer))
      #expect(Set(owners) == ["forbidden"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func devicesPurgeWhatIsNoLongerShared(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet()
      let card = try await ada.makeCard(set.id, "aqua")
      try await ada.share(set.id, with: bob, as: .editor)
      var phone = host.device(2, of: bob)
      #expect(try await phone.sync().changes.map(\.id) == [set.id.rawValue, card.id.rawValue])
      let hints = try await host.hints(for: bob)
      _ = try await ada.client.send(StudyAPI.RemoveShare(id: set.id, userID: bob.id))
      #expect(try await host.hints(for: bob) == hints + 1)
      #expect(try await host.events(for: bob).last == "studySet.unshared")
      let edit = phone.operation(.cards, card.id.rawValue, set: set.id, ["front": "ignis"])
      let response = try await phone.sync([edit])
      #expect(response.results.map(\.status) == [.rejected])
      #expect(response.removedSets == [set.id])
      #expect(response.changes == [])
      #expect(try await ada.fronts(set.id) == ["aqua"])
      #expect(try await phone.sync().removedSets == [])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func membersLeaveAndTheOwnerDoesNot(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob, eve) = (try await host.member("ada"), try await host.member("bob"), try await host.member("eve"))
      let set = try await ada.makeSet()
      for user in [bob, eve] { try await ada.share(set.id, with: user) }
      #expect(
        try await code { _ = try await bob.client.send(StudyAPI.RemoveShare(id: set.id, userID: eve.id)) }
          == "forbidden")
      #expect(
        try await code { _ = try await ada.client.send(StudyAPI.RemoveShare(id: set.id, userID: ada.id)) }
          == "invalid-request")
      // A viewer does not see the other ones.
      let seen = try await bob.client.send(StudyAPI.ListShares(id: set.id)).members
      #expect(seen.map(\.userID) == [ada.id, bob.id])
      _ = try await bob.client.send(StudyAPI.RemoveShare(id: set.id, userID: bob.id))
      #expect(try await bob.sets() == [])
      #expect(try await ada.client.send(StudyAPI.ListShares(id: set.id)).members.map(\.userID) == [ada.id, eve.id])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theOwnerPassesOnTheSet(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob, eve) = (try await host.member("ada"), try await host.member("bob"), try await host.member("eve"))
      let set = try await ada.makeSet()
      _ = try await ada.client.send(StudyAPI.PublishSet(id: set.id))
      let change = StudyAPI.ChangeShare(id: set.id, userID: bob.id, role: .owner)
      #expect(try await code { _ = try await ada.client.send(change) } == "share-not-found")
      try await ada.share(set.id, with: bob)
      #expect(try await ada.client.send(change).offeredTo == bob.id)
      // Nothing changes before the member agrees.
      #expect(try await ada.set(set.id).ownerID == ada.id)
      let take = StudyAPI.TakeOwnership(id: set.id)
      #expect(try await code { _ = try await eve.client.send(take) } == "study-set-not-found")
      #expect(try await code { _ = try await ada.client.send(take) } == "share-not-found")
      let shares = try await bob.client.send(take)
      #expect(shares.offeredTo == nil)
      #expect(shares.members.map(\.userID) == [bob.id, ada.id])
      #expect(shares.members.map(\.role) == [.owner, .editor])
      #expect(try await bob.set(set.id).role == .owner)
      #expect(try await ada.set(set.id).ownerID == bob.id)
      // Bob did not publish it.
      #expect(
        try await code { _ = try await ada.client.send(StudyAPI.GetLibrarySet(id: set.id)) } == "study-set-not-found")
      #expect(try await code { _ = try await ada.client.send(StudyAPI.DeleteSet(id: set.id)) } == "forbidden")
      #expect(
        try await host.count("SELECT COUNT(*) FROM space_grants WHERE source = 'owner' AND space_id = \(set.id)") == 1)
    }
  }

  // MARK: links

  private func link(_ set: StudySet, _ user: TestUser, _ role: ShareRole = .editor, days: Int? = nil) async throws
    -> (link: SetLink, token: SetLinkToken)
  {
    let share = try await user.client.send(
      StudyAPI.ShareSet(id: set.id, role: role, days: days.flatMap { LinkDays($0) }))
    let link = try #require(share.link)
    return (link, try SetLinkToken(validating: #require(link.token)))
  }

  @Test(arguments: TestDatabase.allCases)
  func aLinkMakesMembersUntilItIsRevoked(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob, eve) = (try await host.member("ada"), try await host.member("bob"), try await host.member("eve"))
      let set = try await ada.makeSet()
      let (link, token) = try await link(set, ada)
      #expect(try await bob.client.send(StudyAPI.AcceptShare(token: token)).role == .editor)
      #expect(try await bob.client.send(StudyAPI.AcceptShare(token: token)).role == .editor)
      #expect(try await ada.client.send(StudyAPI.AcceptShare(token: token)).role == .owner)
      let listed = try await ada.client.send(StudyAPI.ListShares(id: set.id)).links
      #expect(listed.map(\.uses) == [1])
      #expect(listed.map(\.token) == [nil])
      #expect(try await bob.client.send(StudyAPI.ListShares(id: set.id)).links == [])
      let stored = try await host.database.read { db in
        try db.values("SELECT token_lookup FROM set_links", as: String.self)
      }
      #expect(stored.count == 1)
      #expect(!stored.contains(token.rawValue))

      _ = try await ada.client.send(StudyAPI.RevokeSetLink(id: set.id, link: link.id))
      #expect(try await code { _ = try await eve.client.send(StudyAPI.AcceptShare(token: token)) } == "link-not-found")
      #expect(try await bob.set(set.id).role == .editor)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func linksExpire(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet()
      let (_, token) = try await link(set, ada, .viewer, days: 2)
      host.test.time.advance(seconds: 2 * 86_400)
      #expect(try await code { _ = try await bob.client.send(StudyAPI.AcceptShare(token: token)) } == "link-not-found")
      _ = try await host.test.plugin(StudySyncPlugin.self).runOnce("study.expired-links")
      #expect(try await host.count("SELECT COUNT(*) FROM set_links") == 0)
    }
  }

  @Test func linksOfDeletedSetsDoNotWork() async throws {
    try await StudyHost.unlimited { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet()
      let (_, token) = try await link(set, ada)
      _ = try await ada.client.send(StudyAPI.DeleteSet(id: set.id))
      #expect(try await code { _ = try await bob.client.send(StudyAPI.AcceptShare(token: token)) } == "link-not-found")
    }
  }

  // MARK: limits

  @Test(arguments: TestDatabase.allCases)
  func aSetIsSharedWithAHundredUsers(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet()
      let others: [UserID] = (0..<100).map { _ in host.test.ids.make() }
      try await host.database.write { tx in
        for other in others { try SetMembers.add(other, as: .viewer, to: set.id, in: tx) }
      }
      #expect(try await code { try await ada.share(set.id, with: bob) } == "too-many-shares")
      let (_, token) = try await link(set, ada)
      #expect(try await code { _ = try await bob.client.send(StudyAPI.AcceptShare(token: token)) } == "too-many-shares")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func nothingIsSharedAcrossABlock(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let (adas, bobs) = (try await ada.makeSet(), try await bob.makeSet())
      try await ada.share(adas.id, with: bob)
      try await bob.share(bobs.id, with: ada)
      let (_, token) = try await link(adas, ada)
      try await host.block(bob, ada)
      #expect(try await ada.sets().map(\.id) == [adas.id])
      #expect(try await bob.sets().map(\.id) == [bobs.id])
      #expect(try await code { try await ada.share(adas.id, with: bob) } == "user-not-found")
      #expect(try await code { _ = try await bob.client.send(StudyAPI.AcceptShare(token: token)) } == "link-not-found")
    }
  }

  @Test func unknownUsersAreReported() async throws {
    try await StudyHost.unlimited { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      let requests = [
        StudyAPI.ShareSet(id: set.id, role: .viewer, userID: host.test.ids.make()),
        StudyAPI.ShareSet(id: set.id, role: .viewer, username: try Username(validating: "nobody")),
      ]
      for request in requests {
        #expect(try await code { _ = try await ada.client.send(request) } == "user-not-found")
      }
      #expect(try await code { try await ada.share(set.id, with: ada) } == "invalid-request")
    }
  }
}
