import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// The export of a user, and the data that remains of one.
@Suite(.serialized)
struct MediaPrivacyTests {
  @Test(arguments: TestDatabase.allCases)
  func aUsersMediaAreExported(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let id = try await host.upload(ItemHost.wav(1), by: users[0], name: "Dr Smith.wav")
      try await host.upload(ItemHost.wav(2), by: users[1])
      let plugin = try host.test.plugin(MediaIndexPlugin.self)
      let export = try await plugin.export(users[0].id, from: host.core.database)
      let media = try #require(export["media"]?.elements)
      #expect(media.map { $0["media"]?["id"]?.string } == [id.rawValue])
      #expect(media.map { $0["fileName"]?.string } == ["Dr Smith.wav"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletedUsersMediaAreErased(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await ItemHost.run(database, time: time) { host async throws in
      let users = try await host.users("ada", "bob")
      let (own, other) = (try await host.beat(1, by: users[0]), try await host.beat(2, by: users[1]))
      try await host.test.deliver(UserDeleted(userID: users[0].id), from: AuthAPI.self, to: MediaAPI.self)
      #expect(try await host.count("SELECT COUNT(*) FROM media WHERE id = \(own)") == 0)
      time.advance(seconds: 2 * 86_400)
      try await host.collect()
      #expect(try await host.isStored(ItemHost.wav(1)) == false)
      #expect(try await host.isStored(ItemHost.wav(2)))
      #expect(try await host.content(other, by: users[1]).status == 200)
    }
  }

  /// Objects that use media are erased by their own service, which reports it.
  @Test func whatIsUsedLosesItsOwnerFirst() async throws {
    try await ItemHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let media = try await host.beat(1, by: users[0], visibility: .everyone)
      let object = Topic("listing", host.test.ids.text())
      try await host.use(media, .public, in: object)
      try await host.test.deliver(UserDeleted(userID: users[0].id), from: AuthAPI.self, to: MediaAPI.self)
      let stored = try await host.core.database.read { [core = host.core] db in try core.media.findAny(media, in: db) }
      #expect(stored?.media.owner.rawValue.isEmpty == true)
      #expect(stored?.fileName == nil)
      #expect(try await host.content(media, by: users[1]).status == 200)
      try await host.report([], of: object, sequence: 2)
      #expect(try await host.content(media, by: users[1]).status == 404)
      try await host.collect()
      #expect(try await host.count("SELECT COUNT(*) FROM media") == 0)
    }
  }
}
