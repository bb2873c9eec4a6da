import Contracts
import Persistence
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct SetTests {
  @Test(arguments: TestDatabase.allCases)
  func devicesAndPlainRequestsSeeEachOthersWrites(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      var phone = host.device(1, of: ada)
      let set = try await ada.makeSet("Latin", tags: ["school"])
      let card = try await ada.makeCard(set.id, "aqua", "water")
      let changes = try await phone.sync().changes
      #expect(changes.map(\.id) == [set.id.rawValue, card.id.rawValue])
      #expect(changes[0].fields?["tags"] == ["school"])
      #expect(changes[1].fields?["back"] == "water")
      #expect(changes[1].set == set.id)

      let edit = phone.operation(
        .cards, card.id.rawValue, set: set.id, ["back": "the water"], seen: changes[1].version)
      #expect(try await phone.sync([edit]).results.map(\.status) == [.applied])
      let read = try await ada.client.send(StudyAPI.GetCard(id: card.id))
      #expect(read.back == "the water")
      #expect(read.version > card.version)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func writingNotifiesTheUsersDevices(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      var phone = host.device(1, of: ada)
      try await phone.sync()
      let before = try await host.hints(for: ada)
      let set = try await ada.makeSet()
      try await ada.makeCard(set.id, "aqua")
      #expect(try await host.hints(for: ada) == before + 2)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theListHasRoleOwnerAndNumberOfCards(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let (own, shared) = (try await bob.makeSet("Greek"), try await ada.makeSet("Latin"))
      for front in ["a", "b", "c"] { try await ada.makeCard(shared.id, front) }
      let removed = try await ada.makeCard(shared.id, "d")
      _ = try await ada.client.send(StudyAPI.DeleteCard(id: removed.id))
      try await ada.share(shared.id, with: bob, as: .editor)

      let sets = try await bob.sets()
      #expect(sets.map(\.id) == [shared.id, own.id])
      #expect(sets.map(\.role) == [.editor, .owner])
      #expect(sets.map(\.cardCount) == [3, 0])
      #expect(sets.map { $0.owner?.displayName } == ["The ada", "The bob"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func pagesAreInEitherOrder(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      var made: [StudySetID] = []
      for number in 0..<5 {
        host.test.time.advance(seconds: 60)
        made.append(try await ada.makeSet("Set \(number)").id)
      }
      host.test.time.advance(seconds: 60)
      _ = try await ada.client.send(StudyAPI.OpenSet(id: made[1]))
      func pages(_ order: SetOrder) async throws -> [StudySetID] {
        var (found, cursor): ([StudySetID], String?) = ([], nil)
        repeat {
          let page = try await ada.client.send(StudyAPI.ListSets(order: order, limit: PageSize(2), cursor: cursor))
          #expect(page.items.count <= 2)
          found += page.items.map(\.id)
          cursor = page.nextCursor
        } while cursor != nil
        return found
      }
      #expect(try await pages(.newest) == made.reversed())
      #expect(try await pages(.opened) == [made[1], made[4], made[3], made[2], made[0]])
      #expect(try await ada.set(made[1]).lastOpenedAt == host.test.time.source.now())
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func studyingOpensASet(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let (first, second) = (try await ada.makeSet("First"), try await ada.makeSet("Second"))
      host.test.time.advance(seconds: 60)
      var phone = host.device(1, of: ada)
      let review = phone.operation(
        .reviews, phone.newID(),
        [
          "at": .string(host.test.time.source.now().description), "milliseconds": 900, "utcOffsetMinutes": 0,
          "set": .string(first.id.rawValue), "card": .string(phone.newID()), "rating": 3,
        ])
      #expect(try await phone.sync([review]).results.map(\.status) == [.applied])
      #expect(try await ada.sets(.opened).map(\.id) == [first.id, second.id])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anEditWithItsBaseIsMerged(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet("Latin words")
      _ = try await ada.client.send(StudyAPI.UpdateSet(id: set.id, title: SetTitle(validating: "My Latin words")))
      let merged = try await ada.client.send(
        StudyAPI.UpdateSet(
          id: set.id, title: SetTitle(validating: "Latin words of 2026"), base: SetTexts(title: "Latin words")))
      #expect(merged.title == "My Latin words of 2026")
      #expect(merged.variants == nil)

      let kept = try await ada.client.send(
        StudyAPI.UpdateSet(id: set.id, title: SetTitle(validating: "Greek"), base: SetTexts(title: "Latin words")))
      #expect(kept.title == "Greek")
      #expect(kept.variants?.map(\.text) == ["My Latin words of 2026"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anOldVersionIsRefused(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet("Latin")
      func rename(_ title: String, _ version: Int) async throws -> StudySet {
        try await ada.client.send(
          StudyAPI.UpdateSet(id: set.id, ifMatch: EntityTag(version: version), title: SetTitle(validating: title)))
      }
      let renamed = try await rename("Greek", set.version)
      #expect(try await code { _ = try await rename("Hebrew", set.version) } == "version-mismatch")
      // An update without changes makes no version.
      #expect(try await rename("Greek", renamed.version).version == renamed.version)
      let described = try await ada.client.send(
        StudyAPI.UpdateSet(id: set.id, description: .set(SetDescription(validating: "Words"))))
      #expect(described.description == "Words")
      let cleared = try await ada.client.send(StudyAPI.UpdateSet(id: set.id, description: .remove))
      #expect(cleared.description == nil)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletedSetIsRestoredWithin30Days(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet("Latin")
      let card = try await ada.makeCard(set.id, "aqua")
      _ = try await ada.client.send(StudyAPI.DeleteSet(id: set.id))
      #expect(try await ada.sets() == [])
      #expect(try await code { _ = try await ada.set(set.id) } == "study-set-not-found")
      #expect(try await code { _ = try await ada.cards(set.id) } == "study-set-not-found")
      #expect(try await code { _ = try await ada.client.send(StudyAPI.GetCard(id: card.id)) } == "card-not-found")
      let deleted = try await ada.client.send(StudyAPI.ListSets(deleted: true)).items
      #expect(deleted.map(\.id) == [set.id])
      #expect(deleted.map(\.title) == ["Latin"])

      host.test.time.advance(seconds: 29 * 86_400)
      let restored = try await ada.client.send(StudyAPI.RestoreSet(id: set.id))
      #expect(restored.title == "Latin")
      #expect(try await ada.fronts(set.id) == ["aqua"])
      _ = try await ada.client.send(StudyAPI.DeleteSet(id: set.id))
      host.test.time.advance(seconds: 31 * 86_400)
      #expect(try await ada.client.send(StudyAPI.ListSets(deleted: true)).items == [])
      #expect(
        try await code { _ = try await ada.client.send(StudyAPI.RestoreSet(id: set.id)) } == "study-set-not-found")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func creatingWithAKeyHappensOnce(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let request = StudyAPI.CreateSet(title: try SetTitle(validating: "Secret title"))
      let first = try await ada.client.send(request, idempotencyKey: "one")
      #expect(try await ada.client.send(request, idempotencyKey: "one") == first)
      #expect(try await ada.sets().count == 1)
      // Titles are stored nowhere in the clear.
      let stored = try await host.database.read { db in
        try db.values("SELECT content FROM sync_records", as: String.self)
          + db.values("SELECT answer FROM idempotency_keys WHERE answer IS NOT NULL", as: String.self)
      }
      #expect(stored.count == 2)
      #expect(stored.allSatisfy { !$0.contains("Secret") })
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func othersDoNotSeeASet(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, eve) = (try await host.member("ada"), try await host.member("eve"))
      let set = try await ada.makeSet()
      let card = try await ada.makeCard(set.id, "aqua")
      let text = try CardText(validating: "x")
      let codes = try await eve.codes(
        StudyAPI.GetSet(id: set.id), StudyAPI.UpdateSet(id: set.id), StudyAPI.DeleteSet(id: set.id),
        StudyAPI.ListCards(id: set.id), StudyAPI.CreateCard(id: set.id, front: text, back: text),
        StudyAPI.OpenSet(id: set.id), StudyAPI.ExportSet(id: set.id, format: .csv),
        StudyAPI.ImportCards(body: RawBody(Array("a\nb\n".utf8)), set: set.id),
        StudyAPI.ListShares(id: set.id), StudyAPI.PublishSet(id: set.id))
      #expect(Set(codes) == ["study-set-not-found"])
      let ofCard = try await eve.codes(
        StudyAPI.GetCard(id: card.id), StudyAPI.UpdateCard(id: card.id, front: text), StudyAPI.DeleteCard(id: card.id))
      #expect(Set(ofCard) == ["card-not-found"])
    }
  }

  @Test(arguments: [
    #"{"title": ""}"#, #"{"title": "a\u0007b"}"#, #"{"title": 7}"#, #"{}"#, #"{"title": "a", "tags": [""]}"#,
  ])
  func badSetsAreRefused(_ body: String) async throws {
    try await StudyHost.unlimited { host async throws in
      let ada = try await host.member("ada")
      let response = try await host.test.send(.post, "/v1/study-sets", body, by: ada)
      #expect(response.status == 422)
      #expect(try await ada.sets() == [])
    }
  }

  @Test func tooManyTagsAreReportedInTheBody() async throws {
    try await StudyHost.unlimited { host async throws in
      let ada = try await host.member("ada")
      let problem = try await problem { _ = try await ada.makeSet("Latin", tags: (0..<51).map { "tag\($0)" }) }
      #expect(problem?.status == 422)
      #expect(problem?.errors?.map(\.location) == ["body.tags"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func erasureKeepsWhatIsEditedTogether(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob, eve) = (try await host.member("ada"), try await host.member("bob"), try await host.member("eve"))
      let (shared, own) = (try await ada.makeSet("Shared"), try await ada.makeSet("Own"))
      try await ada.makeCard(shared.id, "aqua")
      try await ada.makeCard(own.id, "ignis")
      try await ada.share(shared.id, with: bob, as: .editor)
      for set in [shared, own] { try await ada.share(set.id, with: eve) }
      _ = try await ada.client.send(StudyAPI.ShareSet(id: own.id, role: .viewer))
      _ = try await ada.client.send(StudyAPI.PublishSet(id: own.id))
      _ = try await ada.client.send(StudyAPI.PublishSet(id: shared.id))
      _ = try await ada.client.send(StudyAPI.OpenSet(id: own.id))
      var phone = host.device(5, of: eve)
      #expect(try await phone.sync().changes.count == 4)

      try await host.deleteAccount(of: ada)
      let inherited = try await bob.set(shared.id)
      #expect(inherited.role == .owner)
      #expect(inherited.ownerID == bob.id)
      #expect(try await bob.fronts(shared.id) == ["aqua"])
      #expect(try await bob.client.send(StudyAPI.ListShares(id: shared.id)).members.map(\.userID) == [bob.id, eve.id])
      #expect(try await eve.sets().map(\.id) == [shared.id])
      #expect(try await phone.sync().removedSets == [own.id])
      // The new owner has not published it.
      #expect(try await host.test.client.send(StudyAPI.SearchLibrary()).items.isEmpty)
      #expect(try await host.count("SELECT COUNT(*) FROM set_links") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM set_visits WHERE user_id = \(ada.id)") == 0)
      try await host.removeSpaces()
      #expect(try await host.count("SELECT COUNT(*) FROM sync_records WHERE space_id = \(own.id)") == 0)
    }
  }
}
