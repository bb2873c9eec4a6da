import Contracts
import Persistence
import ServiceKit
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct LibraryTests {
  private func titles(_ host: StudyHost, _ query: String? = nil, _ order: LibraryOrder? = nil) async throws -> [String]
  {
    try await host.test.client.send(StudyAPI.SearchLibrary(query: query, order: order)).items.map(\.title)
  }

  private func publish(_ set: StudySet, _ user: TestUser) async throws -> LibrarySet {
    try await user.client.send(StudyAPI.PublishSet(id: set.id))
  }

  @Test(arguments: TestDatabase.allCases)
  func everyoneFindsAndReadsAPublishedSet(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let (set, hidden) = (
        try await ada.makeSet("Capitals", tags: ["geography"]), try await ada.makeSet("Hidden capitals")
      )
      for front in ["France", "Spain", "Italy"] { try await ada.makeCard(set.id, front) }
      let published = try await publish(set, ada)
      #expect(published.cardCount == 3)
      #expect(published.owner?.displayName == "The ada")
      #expect(try await ada.set(set.id).isPublished)
      for query in ["capitals", "capit", "cpaitals", "geography"] {
        #expect(try await titles(host, query) == ["Capitals"])
      }
      #expect(try await titles(host, "history") == [])
      let everyone = host.test.client
      let page = try await everyone.send(StudyAPI.ListLibraryCards(id: set.id, limit: PageSize(2)))
      let rest = try await everyone.send(
        StudyAPI.ListLibraryCards(id: set.id, limit: PageSize(2), cursor: page.nextCursor))
      #expect((page.items + rest.items).map(\.front) == ["France", "Spain", "Italy"])
      #expect(
        try await code { _ = try await everyone.send(StudyAPI.GetLibrarySet(id: hidden.id)) } == "study-set-not-found")
      #expect(
        try await code { _ = try await everyone.send(StudyAPI.ListLibraryCards(id: hidden.id)) }
          == "study-set-not-found")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theLibraryFollowsEditsOfDevices(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet("Capitals")
      _ = try await publish(set, ada)
      var phone = host.device(1, of: ada)
      let version = try await phone.sync().changes.first?.version
      let operations = [
        phone.operation(.sets, set.id.rawValue, ["title": "Rivers"], seen: version),
        phone.operation(.cards, phone.newID(), set: set.id, ["front": "Danube", "back": "Donau"]),
      ]
      try await phone.sync(operations)
      #expect(try await titles(host, "rivers") == ["Rivers"])
      #expect(try await titles(host, "capitals") == [])
      #expect(try await host.test.client.send(StudyAPI.GetLibrarySet(id: set.id)).cardCount == 1)
      try await phone.sync([phone.operation(.sets, set.id.rawValue, action: .delete)])
      #expect(try await titles(host) == [])
      #expect(try await host.count("SELECT COUNT(*) FROM search_pending WHERE kind = 'library'") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM search_documents WHERE kind = 'library'") == 0)
      _ = try await ada.client.send(StudyAPI.RestoreSet(id: set.id))
      #expect(try await ada.set(set.id).isPublished == false)
    }
  }

  /// The texts of one push that searches find at once are limited; the rest follows.
  @Test(arguments: TestDatabase.allCases)
  func manyEditsAreIndexedInTheBackground(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      var sets: [StudySet] = []
      for _ in 0..<25 { sets.append(try await ada.makeSet("Capitals")) }
      for set in sets { _ = try await publish(set, ada) }
      var phone = host.device(1, of: ada)
      let changes = try await phone.sync().changes
      let versions = Dictionary(changes.map { ($0.id, $0.version) }) { first, _ in first }
      var operations: [SyncOperation] = []
      for set in sets {
        let seen = versions[set.id.rawValue] ?? nil
        operations.append(phone.operation(.sets, set.id.rawValue, ["title": "Rivers"], seen: seen))
      }
      try await phone.sync(operations)
      func found() async throws -> Int {
        try await host.database.read { db in
          try PublicationStore.index.search(TextQuery("rivers"), limit: 100, in: db).documents.count
        }
      }
      #expect(try await found() == 20)
      let plugin = try host.test.plugin(StudySyncPlugin.self)
      while try await plugin.runOnce("library-index") > 0 {}
      #expect(try await found() == 25)
      #expect(try await titles(host, "capitals") == [])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aUserPublishesFiftySets(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      var sets: [StudySet] = []
      for number in 0..<51 { sets.append(try await ada.makeSet("Set \(number)")) }
      for set in sets.prefix(50) { _ = try await publish(set, ada) }
      #expect(try await code { _ = try await publish(sets[50], ada) } == "too-many-publications")
      // Again is not more.
      _ = try await publish(sets[0], ada)
      _ = try await ada.client.send(StudyAPI.UnpublishSet(id: sets[0].id))
      _ = try await publish(sets[50], ada)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aHundredWordsAreIndexed(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet("Capitals")
      // The title and the tag are the first two words.
      let words = ((0..<97).map { "word\($0)" } + ["alabaster", "zeppelin"]).joined(separator: " ")
      try await host.database.write { tx in
        let texts = PublishedTexts(title: "Capitals", description: words, tags: ["geography"])
        try PublicationStore.put(set.id, of: ada.id, texts, in: tx)
        try PublicationStore.updateIndex(of: set.id, in: tx)
      }
      #expect(try await titles(host, "geography") == ["Capitals"])
      #expect(try await titles(host, "alabaster") == ["Capitals"])
      #expect(try await titles(host, "zeppelin") == [])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func setsAreListedByTimeOrCopies(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      var sets: [StudySet] = []
      for title in ["one", "two", "three"] {
        host.test.time.advance(seconds: 1)
        sets.append(try await ada.makeSet(title))
        _ = try await publish(sets[sets.count - 1], ada)
      }
      for (index, count) in [(1, 2), (0, 1)] {
        for _ in 0..<count { _ = try await bob.client.send(StudyAPI.CopyLibrarySet(id: sets[index].id)) }
      }
      #expect(try await titles(host) == ["three", "two", "one"])
      #expect(try await titles(host, nil, .popular) == ["two", "one", "three"])
      var (found, cursor): ([LibrarySet], String?) = ([], nil)
      repeat {
        let page = try await host.test.client.send(
          StudyAPI.SearchLibrary(order: .popular, limit: PageSize(1), cursor: cursor))
        found += page.items
        cursor = page.nextCursor
      } while cursor != nil
      #expect(found.map(\.copies) == [2, 1, 0])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aCopyKeepsItsOriginAndOutlivesIt(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet("Capitals", tags: ["geography"])
      let media = MediaID(trusted: host.test.ids.text())
      _ = try await ada.client.send(
        StudyAPI.CreateCard(
          id: set.id, front: CardText(validating: "France"), back: CardText(validating: "<b>Paris</b>"),
          attachments: [CardAttachment(media: media, side: .front)]))
      let removed = try await ada.makeCard(set.id, "Removed")
      _ = try await ada.client.send(StudyAPI.DeleteCard(id: removed.id))
      _ = try await publish(set, ada)
      var phone = host.device(1, of: bob)
      try await phone.sync()
      let copy = try await bob.client.send(StudyAPI.CopyLibrarySet(id: set.id))
      #expect(copy.id != set.id)
      #expect(copy.role == .owner)
      #expect((copy.title, copy.tags) == ("Capitals", ["geography"]))
      #expect(copy.cardCount == 1)
      #expect(copy.origin == SetOrigin(set: set.id, title: "Capitals", owner: "The ada"))
      let cards = try await bob.cards(copy.id)
      #expect(cards.map(\.back) == ["<b>Paris</b>"])
      #expect(cards.flatMap(\.attachments).map(\.media) == [media])
      #expect(try await phone.sync().changes.map(\.id).sorted() == [copy.id.rawValue, cards[0].id.rawValue].sorted())

      _ = try await ada.client.send(StudyAPI.UnpublishSet(id: set.id))
      #expect(try await titles(host) == [])
      #expect(
        try await code { _ = try await bob.client.send(StudyAPI.CopyLibrarySet(id: set.id)) } == "study-set-not-found")
      let origin = try await host.export("studyRecords", of: bob.id).compactMap { $0["fields"]?["origin"] }
      #expect(origin.map { $0["owner"] } == [nil])
      #expect(origin.map { $0["ownerID"]?.string } == [ada.id.rawValue])
      try await host.deleteAccount(of: ada)
      #expect(try await bob.fronts(copy.id) == ["France"])
      #expect(try await host.count("SELECT COUNT(*) FROM unfinished_sets") == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func tenThousandCardsAreCopiedOnceForAKey(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let text = (0..<10_000).map { "question \($0)\nanswer \($0)\n" }.joined()
      let id = try #require(try await ada.importFile(text.utf8, title: "Large").set)
      _ = try await ada.client.send(StudyAPI.PublishSet(id: id))
      let request = StudyAPI.CopyLibrarySet(id: id)
      let copy = try await bob.client.send(request, idempotencyKey: "copy")
      #expect(copy.cardCount == 10_000)
      #expect(try await bob.client.send(request, idempotencyKey: "copy") == copy)
      #expect(try await bob.sets().count == 1)
      #expect(try await host.test.client.send(StudyAPI.GetLibrarySet(id: id)).copies == 1)
      let first = try await bob.client.send(StudyAPI.ListCards(id: copy.id, limit: PageSize(2))).items
      #expect(first.map(\.front) == ["question 0", "question 1"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whatAnInterruptedCopyLeftIsRemoved(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      var phone = host.device(1, of: ada)
      let features = try host.test.plugin(StudySyncPlugin.self).features
      let core = try #require(features.compactMap { $0 as? StudySets }.first).core
      let filling = SetFilling(core: core, user: ada.id, set: host.test.ids.make())
      try await filling.begin()
      let cards = (0..<700).map { number in
        SetFilling.Card(
          id: RecordID(trusted: host.test.ids.text()),
          fields: [.init(name: "front", value: .string("\(number)")), .init(name: "back", value: "x")])
      }
      try await filling.add(cards)
      // No one sees it before it is complete.
      #expect(try await ada.sets() == [])
      #expect(try await phone.sync().changes == [])
      let plugin = try host.test.plugin(StudySyncPlugin.self)
      try await plugin.runOnce("study.unfinished-sets")
      #expect(try await host.count("SELECT COUNT(*) FROM sync_records") == 700)
      host.test.time.advance(seconds: 3601)
      try await plugin.runOnce("study.unfinished-sets")
      #expect(try await host.count("SELECT COUNT(*) FROM sync_records") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM unfinished_sets") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM spaces WHERE id = \(filling.set)") == 0)
    }
  }

  @Test func guestsDoNotPublish() async throws {
    try await StudyHost.unlimited { host async throws in
      let guest = try await host.guest()
      let set = try await guest.makeSet()
      #expect(try await code { _ = try await publish(set, guest) } == "forbidden")
      #expect(try await titles(host) == [])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func nothingIsCopiedAcrossABlock(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet()
      _ = try await publish(set, ada)
      try await host.block(ada, bob)
      #expect(
        try await code { _ = try await bob.client.send(StudyAPI.CopyLibrarySet(id: set.id)) } == "study-set-not-found")
    }
  }

  // MARK: support

  @Test(arguments: TestDatabase.allCases)
  func supportRemovesReportedSets(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let support = try await host.member("eve", [.support])
      let set = try await ada.makeSet("Spam")
      _ = try await publish(set, ada)
      for _ in 0..<2 { _ = try await bob.client.send(StudyAPI.ReportLibrarySet(id: set.id, reason: .spam)) }
      let forbidden = try await bob.codes(StudyAPI.ListLibraryReports(), StudyAPI.RemoveLibrarySet(id: set.id))
      #expect(forbidden == ["forbidden", "forbidden"])
      let reports = try await support.client.send(StudyAPI.ListLibraryReports()).items
      #expect(reports.map(\.set) == [set.id])
      #expect(reports.map(\.reporterID) == [bob.id])

      _ = try await support.client.send(StudyAPI.RemoveLibrarySet(id: set.id))
      #expect(try await titles(host) == [])
      #expect(try await support.client.send(StudyAPI.ListLibraryReports()).items == [])
      #expect(try await code { _ = try await publish(set, ada) } == "publication-removed")
      #expect(try await host.events(for: ada) == ["studySet.unpublished"])
      #expect(try await host.count("SELECT COUNT(*) FROM publications WHERE title <> ''") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM audit WHERE action = 'library.set-removed'") == 1)
      // The set itself is still the owner's.
      #expect(try await ada.set(set.id).isPublished == false)

      _ = try await support.client.send(StudyAPI.ReinstateLibrarySet(id: set.id))
      _ = try await publish(set, ada)
      #expect(try await titles(host) == ["Spam"])
    }
  }
}
