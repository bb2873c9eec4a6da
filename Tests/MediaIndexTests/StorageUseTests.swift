import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// Users are charged for what is stored for them.
@Suite(.serialized)
struct StorageUseTests {
  private static let original = Int64(ItemHost.wav(1).count)
  /// A tagged preview and the whole recording.
  private static let derived = Int64("tagged 1".utf8.count + "whole 1".utf8.count)

  @Test(arguments: TestDatabase.allCases)
  func whatIsMadeOfUploadsIsCharged(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let media = try await host.beat(1, by: users[0])
      #expect(try await host.use(of: users[0]) == [Self.original + Self.derived, 1])
      #expect(try await host.use(of: users[1]) == [0, 0])
      // The same content is charged to each of its owners.
      try await host.upload(ItemHost.wav(1), by: users[1])
      #expect(try await host.use(of: users[1]) == [Self.original, 1])
      // A file that is made again is charged once.
      try await host.core.database.write { tx in
        try MediaFileStore.put(MediaFileStore.list(of: media, in: tx), of: media, in: tx)
      }
      #expect(try await host.use(of: users[0]) == [Self.original + Self.derived, 1])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whatIsDeletedIsChargedUntilItIsGone(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await ItemHost.run(database, time: time) { host async throws in
      let users = try await host.users("ada", "bob")
      let media = try await host.beat(1, by: users[0])
      try await host.upload(ItemHost.wav(1), by: users[1])
      #expect(try await host.delete(media, by: users[0]) == nil)
      #expect(try await host.use(of: users[0]) == [Self.original + Self.derived, 0])
      time.advance(seconds: 2 * 86_400)
      try await host.collect()
      #expect(try await host.use(of: users[0]) == [0, 0])
      #expect(try await host.use(of: users[1]) == [Self.original, 1])
      #expect(try await host.count("SELECT COUNT(*) FROM released_files") == 0)
    }
  }

  /// An old file goes sooner than one that may not have been named yet.
  @Test func anOldFileIsGoneAnHourAfterItsDeletion() async throws {
    let time = ManualTime()
    try await ItemHost.run(time: time) { host async throws in
      let user = try await host.users("ada")[0]
      let media = try await host.beat(1, by: user)
      time.advance(seconds: 2 * 86_400)
      try await host.collect()
      #expect(try await host.delete(media, by: user) == nil)
      time.advance(seconds: 3590)
      try await host.collect()
      #expect(try await host.isStored(ItemHost.wav(1)))
      time.advance(seconds: 11)
      try await host.collect()
      #expect(try await host.isStored(ItemHost.wav(1)) == false)
      #expect(try await host.use(of: user) == [0, 0])
    }
  }

  @Test func anErasedUserLeavesNoCharges() async throws {
    try await ItemHost.run { host async throws in
      let user = try await host.users("ada")[0]
      _ = try await host.beat(1, by: user)
      try await host.test.deliver(UserDeleted(userID: user.id), from: AuthAPI.self, to: MediaAPI.self)
      #expect(try await host.count("SELECT COUNT(*) FROM storage_use") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM released_files") == 0)
    }
  }
}

extension ItemHost {
  /// Bytes and media.
  fileprivate func use(of user: TestUser) async throws -> [Int64] {
    let use = try await core.database.read { db in try StorageUseStore.use(of: user.id, in: db) }
    return [use.bytes, Int64(use.media)]
  }
}

/// The limits that no user can exceed.
@Suite(.serialized)
struct StorageLimitTests {
  @Test func nothingIsUploadedWhenTheDiskIsNearlyFull() async throws {
    // More than any disk has.
    try await UploadHost.run(settings: ["media.reserveBytes": String(1 << 50)]) { host async throws in
      let client = try await host.client()
      let refused = try await client.create(length: 2044)
      #expect(refused.status == 507)
      #expect(try refused.code == "storage-full")
      #expect(try await host.count("SELECT COUNT(*) FROM uploads") == 0)
    }
  }

  @Test func whatIsMadeOfUploadsIsChargedToTheQuota() async throws {
    try await UploadHost.run(settings: ["uploads.quotaBytes": "10000"]) { host async throws in
      let client = try await host.client()
      let core = try host.test.plugin(MediaIndexPlugin.self).core
      let created = try await client.create(length: 2044)
      let done = try await client.append([UInt8].recording(2044), at: 0, to: try created.location)
      let media = MediaID(trusted: try #require(done["Upload-Media"]))
      let made = MediaFile(
        name: MediaFileName.mp3, blob: try ItemHost.hash([1]), bytes: 7900, contentType: "audio/mpeg")
      try await core.database.write { tx in try MediaFileStore.put([made], of: media, in: tx) }
      #expect(try await client.create(length: 57).code == "storage-quota-exceeded")
      #expect(try await client.create(length: 56).status == 201)
    }
  }

  @Test func aUserHasOnlySoManyMedia() async throws {
    try await UploadHost.run(settings: ["media.maxPerUser": "1"]) { host async throws in
      let (client, other) = (try await host.client("ada"), try await host.client("bob"))
      let created = try await client.create(length: 2044)
      let done = try await client.append([UInt8].recording(2044), at: 0, to: try created.location)
      let media = MediaID(trusted: try #require(done["Upload-Media"]))
      #expect(try await client.create(length: 2044).code == "storage-quota-exceeded")
      #expect(try await other.create(length: 2044).status == 201)
      _ = try await client.user.client.send(MediaAPI.DeleteMedia(id: media))
      #expect(try await client.create(length: 2044).status == 201)
    }
  }

  /// Each step is a small transaction.
  @Test(arguments: TestDatabase.allCases)
  func manyMediaAreErasedStepByStep(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      try await host.insert(450, of: users[0])
      try await host.insert(1, of: users[1])
      try await host.test.deliver(UserDeleted(userID: users[0].id), from: AuthAPI.self, to: MediaAPI.self)
      var left = [try await host.count("SELECT COUNT(*) FROM media WHERE owner_id = \(users[0].id)")]
      for _ in 0..<2 {
        try await host.test.plugin(MediaIndexPlugin.self).runOnce("erase-media")
        left.append(try await host.count("SELECT COUNT(*) FROM media WHERE owner_id = \(users[0].id)"))
      }
      #expect(left == [250, 50, 0])
      #expect(try await host.count("SELECT COUNT(*) FROM jobs WHERE kind = 'erase-media'") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM storage_use WHERE owner_id = \(users[0].id)") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM media WHERE owner_id = \(users[1].id)") == 1)
    }
  }
}

extension ItemHost {
  /// Media without files.
  fileprivate func insert(_ count: Int, of user: TestUser) async throws {
    let ids: [MediaID] = (0..<count).map { _ in test.ids.make() }
    try await core.database.write { [core] tx in
      for id in ids {
        let media = Media(
          id: id, owner: user.id, kind: .audio, state: .ready, visibility: .owner, contentType: "audio/wav", bytes: 0,
          createdAt: tx.now, version: 1)
        try core.media.insert(StoredMedia(media: media, app: .archived), in: tx)
      }
    }
  }
}
