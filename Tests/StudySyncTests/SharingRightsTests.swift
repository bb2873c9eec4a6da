import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

/// The limits that members and senders cannot get around.
@Suite(.serialized)
struct SharingRightsTests {
  private func link(_ set: StudySet, _ user: TestUser) async throws -> SetLinkToken {
    let share = try await user.client.send(StudyAPI.ShareSet(id: set.id, role: .editor))
    return try SetLinkToken(validating: #require(share.link?.token))
  }

  @Test(arguments: TestDatabase.allCases)
  func aLinkDoesNotBringBackWhoWasRemoved(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet()
      let accept = StudyAPI.AcceptShare(token: try await link(set, ada))
      _ = try await bob.client.send(accept)
      // Whoever leaves may come back.
      _ = try await bob.client.send(StudyAPI.RemoveShare(id: set.id, userID: bob.id))
      _ = try await bob.client.send(accept)
      _ = try await ada.client.send(StudyAPI.RemoveShare(id: set.id, userID: bob.id))
      #expect(try await code { _ = try await bob.client.send(accept) } == "link-not-found")
      #expect(try await bob.sets() == [])
      #expect(try await host.export("studySetRemovals", of: bob.id) == [.string(set.id.rawValue)])
      try await ada.share(set.id, with: bob)
      #expect(try await bob.client.send(accept).role == .editor)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aLinkDoesNotUndoADemotion(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet()
      let accept = StudyAPI.AcceptShare(token: try await link(set, ada))
      _ = try await bob.client.send(accept)
      _ = try await ada.client.send(StudyAPI.ChangeShare(id: set.id, userID: bob.id, role: .viewer))
      #expect(try await bob.client.send(accept).role == .viewer)
      try await host.deleteAccount(of: bob)
      #expect(try await host.count("SELECT COUNT(*) FROM set_removals") == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anOfferIsWithdrawn(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet()
      try await ada.share(set.id, with: bob)
      for role in [SetRole.owner, .editor] {
        _ = try await ada.client.send(StudyAPI.ChangeShare(id: set.id, userID: bob.id, role: role))
      }
      let take = StudyAPI.TakeOwnership(id: set.id)
      #expect(try await code { _ = try await bob.client.send(take) } == "share-not-found")
      #expect(try await host.count("SELECT COUNT(*) FROM set_ownership_offers") == 0)
    }
  }

  /// Otherwise anyone could be made the publisher of anything by an account that is then deleted.
  @Test(arguments: TestDatabase.allCases)
  func anHeirDoesNotPublish(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet()
      try await ada.share(set.id, with: bob, as: .editor)
      _ = try await ada.client.send(StudyAPI.PublishSet(id: set.id))
      try await host.deleteAccount(of: ada)
      #expect(try await bob.set(set.id).role == .owner)
      #expect(try await host.count("SELECT COUNT(*) FROM publications") == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func unknownSendersAreLimitedPerRecipient(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob, eve) = (try await host.member("ada"), try await host.member("bob"), try await host.member("eve"))
      let sets = try await makeSets(22, ada)
      for set in sets.prefix(20) { try await ada.share(set.id, with: bob) }
      #expect(try await code { try await ada.share(sets[20].id, with: bob) } == "too-many-requests")
      let other = try await eve.makeSet()
      #expect(try await code { try await eve.share(other.id, with: bob) } == "too-many-requests")
      // Bob knows Ada once he has opened one of her sets.
      _ = try await bob.client.send(StudyAPI.OpenSet(id: sets[0].id))
      try await ada.share(sets[20].id, with: bob)
      host.test.time.advance(seconds: 86_400)
      try await eve.share(other.id, with: bob)
      // Sets shared by others leave room for own sets.
      let owned = try await host.database.read { db in try SetMembers.countOwned(by: bob.id, in: db) }
      _ = try await bob.makeSet()
      #expect(try await host.database.read { db in try SetMembers.countOwned(by: bob.id, in: db) } == owned + 1)
      #expect(owned <= 1)
    }
  }

  private func makeSets(_ count: Int, _ user: TestUser) async throws -> [StudySet] {
    var sets: [StudySet] = []
    for _ in 0..<count { sets.append(try await user.makeSet()) }
    return sets
  }

  @Test func guestsDoNotShareWithUsers() async throws {
    try await StudyHost.unlimited { host async throws in
      let (bob, guest) = (try await host.member("bob"), try await host.guest())
      let set = try await guest.makeSet()
      #expect(try await code { try await guest.share(set.id, with: bob) } == "forbidden")
      _ = try await guest.client.send(StudyAPI.ShareSet(id: set.id, role: .viewer))
    }
  }

  /// Misses are counted, so that names cannot be tried one after the other.
  @Test(arguments: TestDatabase.allCases)
  func lookingForUsersIsLimited(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      let request = StudyAPI.ShareSet(id: set.id, role: .viewer, username: try Username(validating: "nobody"))
      var codes: [String?: Int] = [:]
      for _ in 0..<201 { codes[try await code { _ = try await ada.client.send(request) }, default: 0] += 1 }
      #expect(codes == ["user-not-found": 200, "too-many-requests": 1])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func viewersDoNotSeeDeletedCards(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet()
      let card = try await ada.makeCard(set.id, "aqua")
      _ = try await ada.client.send(StudyAPI.DeleteCard(id: card.id))
      try await ada.share(set.id, with: bob)
      let request = StudyAPI.ListCards(id: set.id, deleted: true)
      #expect(try await code { _ = try await bob.client.send(request) } == "forbidden")
      try await ada.share(set.id, with: bob, as: .editor)
      #expect(try await bob.client.send(request).items.map(\.front) == ["aqua"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aForgedCursorIsRefused(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      for position in ["a\0", "a b", "ä"] {
        let cursor = Base64URL.encode(Array((set.id.rawValue + position).utf8))
        let refused = try await problem {
          _ = try await ada.client.send(StudyAPI.ListCards(id: set.id, cursor: cursor))
        }
        #expect(refused?.status == 422)
      }
    }
  }
}
