import Contracts
import MediaIndexService
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

/// Media that devices attach to cards.
@Suite(.serialized)
struct CardMediaTests {
  private static func attachments(_ media: MediaID...) -> JSONValue {
    .array(media.map { ["media": .string($0.rawValue), "side": "front"] })
  }

  private static func run(
    _ database: TestDatabase = .sqlite, _ plugins: [any ServicePlugin.Type] = [MediaIndexPlugin.self],
    settings: [String: String] = [:], _ body: (StudyHost) async throws -> Void
  ) async throws {
    let limits = ["limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1"]
    try await TestPlatform.run(
      StudyHost.plugins + plugins, settings: settings.merging(limits) { $1 }, database: database
    ) { try await body(StudyHost(test: $0)) }
  }

  private static func relay(_ host: StudyHost) async throws {
    try await host.test.relayMediaUses(from: [StudyAPI.self])
  }

  @Test(arguments: TestDatabase.allCases)
  func mediaOfOthersAreRejectedForTheirOperationOnly(_ database: TestDatabase) async throws {
    try await Self.run(database) { host async throws in
      let (ada, eve) = (try await host.member("ada"), try await host.member("eve"))
      let (own, foreign) = (try await host.test.addMedium(of: ada), try await host.test.addMedium(of: eve))
      let set = try await ada.makeSet("Latin").id
      var phone = host.device(1, of: ada)
      let cards = [phone.newID(), phone.newID(), phone.newID()]
      let fields: [SyncFields] = [
        ["front": "aqua", "attachments": Self.attachments(own)],
        ["front": "terra", "attachments": Self.attachments(own, foreign)],
        ["front": "ignis", "attachments": Self.attachments(host.test.ids.make())],
      ]
      let operations = zip(cards, fields).map { phone.operation(.cards, $0, set: set, $1) }
      let results = try await phone.sync(operations).results
      #expect(results.map(\.status) == [.applied, .rejected, .rejected])
      #expect(results.map(\.code) == [nil, "media-not-found", "media-not-found"])
      #expect(results.map(\.field) == [nil, "fields.attachments", "fields.attachments"])
      #expect(try await ada.fronts(set) == ["aqua"])
      try await Self.relay(host)
      #expect(try await host.test.mayLoad(foreign, ada) == false)
      #expect(
        try await problem { _ = try await ada.client.send(MediaAPI.DeleteMedia(id: own)) }?.code == "media-in-use")
      // The card keeps it, not the check.
      _ = try await ada.client.send(StudyAPI.UpdateCard(id: CardID(trusted: cards[0]), attachments: []))
      try await Self.relay(host)
      _ = try await ada.client.send(MediaAPI.DeleteMedia(id: own))
    }
  }

  /// An editor changes the list of attachments in which another editor's are.
  @Test(arguments: TestDatabase.allCases)
  func attachmentsOfOtherEditorsStay(_ database: TestDatabase) async throws {
    try await Self.run(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let (first, second) = (try await host.test.addMedium(of: ada), try await host.test.addMedium(of: bob))
      let set = try await ada.makeSet("Latin").id
      try await ada.share(set, with: bob, as: .editor)
      var (phone, tablet) = (host.device(1, of: ada), host.device(2, of: bob))
      let card = phone.newID()
      try await phone.sync([
        phone.operation(.cards, card, set: set, ["front": "aqua", "attachments": Self.attachments(first)])
      ])
      let seen = try await tablet.sync().changes.first { $0.id == card }?.version
      let change = tablet.operation(.cards, card, ["attachments": Self.attachments(first, second)], seen: seen)
      #expect(try await tablet.sync([change]).results.map(\.status) == [.applied])
      try await Self.relay(host)
      for media in [first, second] {
        for user in [ada, bob] { #expect(try await host.test.mayLoad(media, user)) }
      }
      // After it was removed, it is not the other editor's to attach again.
      _ = try await ada.client.send(StudyAPI.UpdateCard(id: CardID(trusted: card), attachments: []))
      let again = tablet.operation(.cards, card, ["attachments": Self.attachments(first)], seen: seen)
      #expect(try await tablet.sync([again]).results.map(\.code) == ["media-not-found"])
    }
  }

  /// Media that were only claimed while media-index was down give no one access, also later and through copies.
  @Test(arguments: TestDatabase.allCases)
  func falseClaimsGiveNoAccess(_ database: TestDatabase) async throws {
    try await Self.run(database) { host async throws in
      let (ada, eve) = (try await host.member("ada"), try await host.member("eve"))
      let (own, foreign) = (try await host.test.addMedium(of: eve), try await host.test.addMedium(of: ada))
      let set = try await eve.makeSet("Latin").id
      let features = try host.test.plugin(StudySyncPlugin.self).features
      let study = try #require(features.compactMap { $0 as? StudySets }.first).core
      let card = host.test.ids.make(RecordID.self)
      // As a synchronization does that media-index has not answered.
      let fields: [JSONValue.Member] = [
        .init(name: "front", value: "aqua"), .init(name: "attachments", value: Self.attachments(own, foreign)),
      ]
      try await host.database.write { tx in
        try study.write(as: eve.id, in: tx) { try $0.put(fields, on: card, .cards, in: set.space) }
      }
      _ = try await eve.client.send(StudyAPI.PublishSet(id: set))
      _ = try await eve.client.send(StudyAPI.CopyLibrarySet(id: set))
      let update = StudyAPI.UpdateCard(id: CardID(trusted: card.rawValue), front: CardText(checked: "terra"))
      _ = try await eve.client.send(update)
      try await Self.relay(host)
      #expect(try await host.test.mayLoad(own, ada))
      #expect(try await host.test.mayLoad(foreign, eve) == false)
      #expect(try await host.test.mayLoad(foreign, host.member("bob")) == false)
      _ = try await ada.client.send(MediaAPI.DeleteMedia(id: foreign))
    }
  }

  /// A deleted card can be restored for some time, and then keeps nothing.
  @Test(arguments: TestDatabase.allCases)
  func nothingIsKeptForACardThatCannotBeRestored(_ database: TestDatabase) async throws {
    try await Self.run(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let media = try await host.test.addMedium(of: bob)
      let set = try await ada.makeSet("Latin").id
      try await ada.share(set, with: bob, as: .editor)
      let attachments = [CardAttachment(media: media, side: .front)]
      let card = try await bob.client.send(
        StudyAPI.CreateCard(
          id: set, front: CardText(checked: "aqua"), back: CardText(checked: "water"), attachments: attachments))
      try await Self.relay(host)
      #expect(try await host.test.mayLoad(media, ada))
      _ = try await ada.client.send(StudyAPI.DeleteCard(id: card.id))
      host.test.time.advance(seconds: SyncRetention.restoreSeconds + 1)
      try await host.purge()
      try await Self.relay(host)
      let erin = try await host.member("erin")
      #expect(try await host.test.mayLoad(media, erin) == false)
      #expect(try await host.count("SELECT COUNT(*) FROM card_media") == 0)
      _ = try await bob.client.send(MediaAPI.DeleteMedia(id: media))
    }
  }

  @Test func synchronizationGoesOnWithoutMediaIndex() async throws {
    for settings in [[:], ["services.media-index.url": "http://127.0.0.1:1"]] {
      try await Self.run(.sqlite, [], settings: settings) { host async throws in
        let ada = try await host.member("ada")
        let set = try await ada.makeSet("Latin").id
        var phone = host.device(1, of: ada)
        let media: MediaID = host.test.ids.make()
        let operation = phone.operation(
          .cards, phone.newID(), set: set, ["front": "aqua", "attachments": Self.attachments(media)])
        #expect(try await phone.sync([operation]).results.map(\.status) == [.applied])
        #expect(try await ada.cards(set).map { $0.attachments.map(\.media) } == [[media]])
        let uses = try await host.test.recorded(MediaReferencesChanged.self, by: StudyAPI.self).flatMap(\.uses)
        #expect(uses == [MediaUse(media, .readers, of: Topic("set", set.rawValue), claimedBy: ada.id)])
      }
    }
  }

  /// Plain requests need the answer.
  @Test func plainRequestsWaitForMediaIndex() async throws {
    try await Self.run(.sqlite, [], settings: ["services.media-index.url": "http://127.0.0.1:1"]) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet("Latin").id
      func create(_ attachments: [CardAttachment]?) async throws {
        _ = try await ada.client.send(
          StudyAPI.CreateCard(
            id: set, front: CardText(validating: "aqua"), back: CardText(validating: "water"),
            attachments: attachments))
      }
      try await create(nil)
      let refused = try await problem { try await create([CardAttachment(media: host.test.ids.make(), side: .front)]) }
      #expect(refused?.status == 503)
      #expect(try await ada.cards(set).count == 1)
    }
  }
}
