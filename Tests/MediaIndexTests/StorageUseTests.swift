import Contracts
import Persistence
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

  /// What was stored long ago goes sooner than what may not have been named yet.
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
