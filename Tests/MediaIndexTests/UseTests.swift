import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// Media that services use are not deleted.
@Suite(.serialized)
struct UseTests {
  private static let object = Topic("listing", "01890a5d-ac96-774b-bcce-b302099a8001")

  private static func check(_ media: [MediaID], of user: TestUser, _ host: ItemHost) async throws -> [CheckedMedia] {
    let catalog = host.test.platform.client(of: MediaAPI.self, as: CatalogAPI.name)
    return try await catalog.send(MediaAPI.CheckMedia(user: user.id, object: object, media: media)).items
  }

  @Test(arguments: TestDatabase.allCases)
  func aReferencedMediumIsNotDeleted(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let user = try await host.users("ada")[0]
      let media = try await host.beat(1, by: user)
      try await host.use(media, .preview, in: Self.object)
      #expect(try await host.delete(media, by: user) == "media-in-use")
      #expect(try await host.content(media, by: user).status == 200)
      try await host.report([], of: Self.object, sequence: 2)
      #expect(try await host.delete(media, by: user) == nil)
      #expect(try await host.content(media, by: user).status == 404)
      #expect(try await host.count("SELECT COUNT(*) FROM media_files") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM jobs WHERE kind = 'process-media'") == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aCheckedMediumIsHeldForAsLongAsItsReportMayTake(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await ItemHost.run(database, time: time) { host async throws in
      let user = try await host.users("ada")[0]
      let media = try await host.beat(1, by: user)
      #expect(try await Self.check([media], of: user, host) == [CheckedMedia(id: media, kind: .audio, state: .ready)])
      // Longer than reports are retried.
      time.advance(seconds: 2 * 86_400)
      #expect(try await host.delete(media, by: user) == "media-in-use")
      time.advance(seconds: 6 * 3600)
      #expect(try await host.delete(media, by: user) == nil)
    }
  }

  @Test func aReportEndsTheHold() async throws {
    let time = ManualTime()
    try await ItemHost.run(time: time) { host async throws in
      let user = try await host.users("ada")[0]
      let media = try await host.beat(1, by: user)
      _ = try await Self.check([media], of: user, host)
      // The object was made without it, after all that was checked then had been committed or given up.
      time.advance(seconds: 3600)
      try await host.report([], of: Self.object, sequence: 1)
      #expect(try await host.delete(media, by: user) == nil)
    }
  }

  /// The report of an earlier change arrives after the check for a later one.
  @Test(arguments: TestDatabase.allCases)
  func aReportDoesNotEndTheHoldForALaterChange(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await ItemHost.run(database, time: time) { host async throws in
      let user = try await host.users("ada")[0]
      let (old, new) = (try await host.beat(1, by: user), try await host.beat(2, by: user))
      let earlier = CloudEvent(
        id: host.test.ids.text(), source: "/\(CatalogAPI.name)", type: MediaReferencesChanged.type,
        subject: Self.object.rawValue, time: time.source.now(), traceparent: nil,
        data: try JSONValue(MediaReferencesChanged(Self.object, [MediaUse(old, .preview)], sequence: 1)))
      time.advance(seconds: 5)
      _ = try await Self.check([new], of: user, host)
      let catalog = host.test.platform.client(of: MediaAPI.self, as: CatalogAPI.name)
      _ = try await catalog.send(EventsAPI.Deliver(body: earlier))
      #expect(try await host.delete(new, by: user) == "media-in-use")
      time.advance(seconds: 3600)
      try await host.report([], of: Self.object, sequence: 2)
      #expect(try await host.delete(new, by: user) == nil)
    }
  }

  /// A change that was checked first may commit last.
  @Test(arguments: TestDatabase.allCases)
  func aReportDoesNotEndTheHoldForAConcurrentChange(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await ItemHost.run(database, time: time) { host async throws in
      let user = try await host.users("ada")[0]
      let (one, other) = (try await host.beat(1, by: user), try await host.beat(2, by: user))
      _ = try await Self.check([one], of: user, host)
      time.advance(seconds: 5)
      _ = try await Self.check([other], of: user, host)
      time.advance(seconds: 5)
      try await host.use(other, .preview, in: Self.object, sequence: 1)
      #expect(try await host.delete(one, by: user) == "media-in-use")
      try await host.use(one, .preview, in: Self.object, sequence: 2)
      // A media item that is named in a report is not held any more.
      #expect(try await host.delete(other, by: user) == nil)
    }
  }

  /// The media of a request with many objects are held until the object that uses them is reported.
  @Test(arguments: TestDatabase.allCases)
  func theReportOfAnObjectEndsTheHoldForItsRequest(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let user = try await host.users("ada")[0]
      let media = [try await host.beat(1, by: user), try await host.beat(2, by: user)]
      let (request, object) = (Topic("sync", "1"), Topic("card", "1"))
      let catalog = host.test.platform.client(of: MediaAPI.self, as: CatalogAPI.name)
      _ = try await catalog.send(MediaAPI.CheckMedia(user: user.id, object: request, media: media))
      let first = MediaReferencesChanged(
        object, [MediaUse(media[0], .preview)], sequence: 1, checkedFor: request)
      try await host.test.deliver(first, from: CatalogAPI.self, to: MediaAPI.self)
      try await host.report([], of: object, sequence: 2)
      #expect(try await host.delete(media[0], by: user) == nil)
      #expect(try await host.delete(media[1], by: user) == "media-in-use")
    }
  }

  @Test func mediaOfOthersAndUnknownOnesAreLeftOut() async throws {
    try await ItemHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let (own, other) = (try await host.beat(1, by: users[0]), try await host.beat(2, by: users[1]))
      let found = try await Self.check([own, other, host.test.ids.make()], of: users[0], host)
      #expect(found.map(\.id) == [own])
      #expect(try await host.delete(other, by: users[1]) == nil)
    }
  }

  @Test func mediaThatAreNotReadyAreNotHeld() async throws {
    try await ItemHost.run { host async throws in
      let user = try await host.users("ada")[0]
      let media = try await host.upload(ItemHost.wav(1), by: user)
      #expect(try await Self.check([media], of: user, host).map(\.state) == [.uploaded])
      #expect(try await host.delete(media, by: user) == nil)
    }
  }

  /// Events arrive in order, but dead letters are delivered again by hand.
  @Test(arguments: TestDatabase.allCases)
  func lateAndRepeatedReportsChangeNothing(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let user = try await host.users("ada")[0]
      let (old, new) = (try await host.beat(1, by: user), try await host.beat(2, by: user))
      try await host.use(new, .preview, in: Self.object, sequence: 5)
      try await host.use(old, .public, in: Self.object, sequence: 4)
      try await host.use(old, .public, in: Self.object, sequence: 5)
      #expect(try await host.content(old).status == 404)
      #expect(try await host.delete(old, by: user) == nil)
      try await host.report([], of: Self.object, sequence: 6)
      try await host.use(new, .public, in: Self.object, sequence: 5)
      #expect(try await host.content(new).status == 404)
    }
  }

  /// Two services may have objects of the same name.
  @Test func reportsOfAServiceConcernItsOwnObjects() async throws {
    try await ItemHost.run { host async throws in
      let user = try await host.users("ada")[0]
      let media = try await host.beat(1, by: user)
      try await host.use(media, .preview, in: Self.object)
      let event = MediaReferencesChanged(Self.object, [], sequence: 9)
      try await host.test.deliver(event, from: OrdersAPI.self, to: MediaAPI.self)
      #expect(try await host.delete(media, by: user) == "media-in-use")
    }
  }

  @Test func theOwnerChangesWhatOthersSee() async throws {
    try await ItemHost.run { host async throws in
      let user = try await host.users("ada")[0]
      let media = try await host.beat(1, by: user)
      let before = try await user.client.send(MediaAPI.GetMedia(id: media))
      let update = MediaAPI.UpdateMedia(
        id: media, ifMatch: EntityTag(version: before.version), title: .set(try ShortText(validating: "Night drive")),
        tags: [try Tag(validating: "lo-fi"), try Tag(validating: "lo-fi")], visibility: .everyone)
      let after = try await user.client.send(update)
      #expect(after.title?.rawValue == "Night drive")
      #expect(after.tags.map(\.rawValue) == ["lo-fi"])
      #expect(after.version == before.version + 1)
      #expect(try await problem { _ = try await user.client.send(update) }?.code == "version-mismatch")
      #expect(try await host.content(media).status == 200)
    }
  }
}
