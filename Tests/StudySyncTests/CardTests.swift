import Contracts
import Persistence
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct CardTests {
  @Test(arguments: TestDatabase.allCases)
  func newCardsComeAtTheEnd(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      for front in ["c", "a", "b"] { try await ada.makeCard(set.id, front) }
      #expect(try await ada.fronts(set.id) == ["c", "a", "b"])
      var phone = host.device(1, of: ada)
      let first = phone.operation(
        .cards, phone.newID(), set: set.id, ["front": "first", "back": "", "position": "a0"])
      try await phone.sync([first])
      try await ada.makeCard(set.id, "last")
      #expect(try await ada.fronts(set.id) == ["first", "c", "a", "b", "last"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func movingChangesOneCard(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      var cards: [String: StudyCard] = [:]
      for front in ["a", "b", "c", "d"] { cards[front] = try await ada.makeCard(set.id, front) }
      func move(_ front: String, before: String? = nil, after: String? = nil) async throws {
        _ = try await ada.client.send(
          StudyAPI.MoveCard(
            id: #require(cards[front]).id, before: before.flatMap { cards[$0]?.id },
            after: after.flatMap { cards[$0]?.id }))
      }
      var phone = host.device(1, of: ada)
      try await phone.sync()
      try await move("d", after: "a")
      #expect(try await ada.fronts(set.id) == ["a", "d", "b", "c"])
      #expect(try await phone.sync().changes.map(\.id) == [cards["d"]?.id.rawValue])
      try await move("c", before: "a")
      #expect(try await ada.fronts(set.id) == ["c", "a", "d", "b"])
      try await move("c", after: "b")
      #expect(try await ada.fronts(set.id) == ["a", "d", "b", "c"])
      try await move("a", before: "c")
      #expect(try await ada.fronts(set.id) == ["d", "b", "a", "c"])
      try await move("a", before: "c")
      #expect(try await ada.fronts(set.id) == ["d", "b", "a", "c"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func cardsWithoutPositionsCanBeMoved(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      var phone = host.device(1, of: ada)
      let ids = (0..<4).map { _ in phone.newID() }.sorted()
      let operations = zip(ids, ["a", "b", "c", "d"]).map { id, front in
        phone.operation(.cards, id, set: set.id, ["front": .string(front), "back": "x"])
      }
      try await phone.sync(operations)
      #expect(try await ada.fronts(set.id) == ["a", "b", "c", "d"])
      let card = CardID(trusted: ids[3])
      _ = try await ada.client.send(StudyAPI.MoveCard(id: card, after: CardID(trusted: ids[0])))
      #expect(try await ada.fronts(set.id) == ["a", "d", "b", "c"])
      _ = try await ada.client.send(StudyAPI.MoveCard(id: card, before: CardID(trusted: ids[0])))
      #expect(try await ada.fronts(set.id) == ["d", "a", "b", "c"])
    }
  }

  @Test func aMoveNeedsACardOfTheSameSet() async throws {
    try await StudyHost.unlimited { host async throws in
      let ada = try await host.member("ada")
      let (first, second) = (try await ada.makeSet("1"), try await ada.makeSet("2"))
      let (card, other) = (try await ada.makeCard(first.id, "a"), try await ada.makeCard(second.id, "b"))
      let requests = [
        StudyAPI.MoveCard(id: card.id, before: other.id), StudyAPI.MoveCard(id: card.id, after: card.id),
        StudyAPI.MoveCard(id: card.id), StudyAPI.MoveCard(id: card.id, before: other.id, after: other.id),
      ]
      for request in requests {
        #expect(try await code { _ = try await ada.client.send(request) } == "invalid-request")
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func markupIsData(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      let text = "<script>alert('x')</script> & \"quotes\"\n\ttab 𝄞"
      let card = try await ada.makeCard(set.id, text, "<b>bold</b>")
      #expect(try await ada.cards(set.id).map(\.front) == [text])
      let changed = try await ada.client.send(
        StudyAPI.UpdateCard(id: card.id, back: CardText(validating: "<img src=x onerror=y>")))
      #expect(changed.back == "<img src=x onerror=y>")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func updatesCompareVersionsAndMerge(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      let card = try await ada.makeCard(set.id, "the front", "the back")
      let media = MediaID(trusted: host.test.ids.text())
      let changed = try await ada.client.send(
        StudyAPI.UpdateCard(
          id: card.id, ifMatch: EntityTag(version: card.version), tags: [StudyTag(validating: "verbs")],
          attachments: [CardAttachment(media: media, side: .back, name: StudyTag(validating: "a.png"))]))
      #expect(changed.tags == ["verbs"])
      #expect(changed.attachments.map(\.media) == [media])
      let problem = try await code {
        _ = try await ada.client.send(
          StudyAPI.UpdateCard(id: card.id, ifMatch: EntityTag(version: card.version), front: CardText(validating: "x")))
      }
      #expect(problem == "version-mismatch")
      _ = try await ada.client.send(StudyAPI.UpdateCard(id: card.id, front: CardText(validating: "the new front")))
      let merged = try await ada.client.send(
        StudyAPI.UpdateCard(
          id: card.id, front: CardText(validating: "the front!"), base: CardTexts(front: "the front")))
      #expect(merged.front == "the new front!")
      #expect(merged.back == "the back")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletedCardIsRestored(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      let card = try await ada.makeCard(set.id, "aqua")
      _ = try await ada.client.send(StudyAPI.DeleteCard(id: card.id))
      #expect(try await ada.cards(set.id) == [])
      let deleted = try await ada.client.send(StudyAPI.ListCards(id: set.id, deleted: true)).items
      #expect(deleted.map(\.front) == ["aqua"])
      let restored = try await ada.client.send(StudyAPI.RestoreCard(id: card.id))
      #expect(restored.position == card.position)
      #expect(try await ada.fronts(set.id) == ["aqua"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func pagesAreStableWhileCardsAreMoved(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      var cards: [StudyCard] = []
      for number in 0..<6 { cards.append(try await ada.makeCard(set.id, "\(number)")) }
      let first = try await ada.client.send(StudyAPI.ListCards(id: set.id, limit: PageSize(3)))
      _ = try await ada.client.send(StudyAPI.MoveCard(id: cards[5].id, before: cards[0].id))
      let second = try await ada.client.send(
        StudyAPI.ListCards(id: set.id, limit: PageSize(3), cursor: first.nextCursor))
      #expect(first.items.map(\.front) == ["0", "1", "2"])
      #expect(second.items.map(\.front) == ["3", "4"])
      #expect(second.nextCursor == nil)
    }
  }

  @Test(arguments: [
    "position\": \"a b", "position\": \"", "attachments\": [{\"media\": \"x\", \"side\": \"front\"}], \"x\": \"",
  ])
  func badCardsAreRefused(_ field: String) async throws {
    try await StudyHost.unlimited { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      let response = try await host.test.send(
        .post, "/v1/study-sets/\(set.id)/cards", "{\"front\": \"a\", \"back\": \"b\", \"\(field)\"}", by: ada)
      #expect(response.status == 422)
      #expect(try await ada.cards(set.id) == [])
    }
  }

  // MARK: keys

  @Test func appendedKeysStayShort() throws {
    var keys: [String] = []
    for _ in 0..<20_000 { keys.append(try #require(FractionalIndex.between(keys.last, nil))) }
    #expect(keys == keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    #expect(Set(keys).count == keys.count)
    #expect(keys.map(\.utf8.count).max() == 4)
  }

  @Test func keysLieBetweenTheirNeighbors() throws {
    var random = SeededGenerator()
    let letters = Set("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    var keys = ["m0"]
    for _ in 0..<5000 {
      let index = Int.random(in: 0...keys.count, using: &random)
      let (lower, upper) = (index > 0 ? keys[index - 1] : nil, index < keys.count ? keys[index] : nil)
      let key = try #require(FractionalIndex.between(lower, upper))
      #expect(key.utf8.allSatisfy(letters.contains))
      keys.insert(key, at: index)
    }
    #expect(keys == keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    #expect(Set(keys).count == keys.count)
    #expect((keys.map(\.utf8.count).max() ?? 0) < 20)
  }

  @Test func keysLieBetweenThoseOfDevices() {
    var random = SeededGenerator()
    func key() -> [UInt8] {
      (0..<Int.random(in: 1...4, using: &random)).map { _ in .random(in: 33...126, using: &random) }
    }
    for _ in 0..<20_000 {
      let (one, other) = (key(), key())
      let (lower, upper) = one.lexicographicallyPrecedes(other) ? (one, other) : (other, one)
      let text = { (bytes: [UInt8]) in String(decoding: bytes, as: UTF8.self) }
      guard let between = FractionalIndex.between(text(lower), text(upper)) else {
        // Only where nothing fits.
        if lower != upper { #expect(upper.last == 33) }
        continue
      }
      #expect(lower.lexicographicallyPrecedes(between.utf8))
      #expect(between.utf8.lexicographicallyPrecedes(upper))
    }
  }

  @Test(arguments: [("m1", "m1"), ("m2", "m1"), ("a", "a!")])
  func thereIsNoKeyWithoutRoom(_ lower: String, _ upper: String) {
    #expect(FractionalIndex.between(lower, upper) == nil)
  }
}
