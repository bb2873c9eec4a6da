import BlobStorage
import Contracts
import Persistence
import Synchronization
import TestKit
import Testing

@testable import MediaIndexService

/// Nothing stays that nothing needs, whatever stops in between; nothing goes that something needs.
@Suite(.serialized)
struct CollectionTests {
  private static let day = 86_400.0

  /// A file that was stored before its transaction failed, as by a crash.
  fileprivate struct Crash: Error {}

  @Test(arguments: TestDatabase.allCases)
  func aBlobWithoutAMediumIsCollected(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await ItemHost.run(database, time: time) { host async throws in
      let path = try host.write(ItemHost.wav(1))
      try await host.core.blobs.store(fileAt: path, as: ItemHost.hash(ItemHost.wav(1)))
      #expect(try await host.isStored(ItemHost.wav(1)))
      #expect(try await host.count("SELECT COUNT(*) FROM media") == 0)
      time.advance(seconds: Self.day - 60)
      try await host.collect()
      #expect(try await host.isStored(ItemHost.wav(1)))
      time.advance(seconds: 120)
      try await host.collect()
      #expect(try await host.isStored(ItemHost.wav(1)) == false)
      #expect(try await host.count("SELECT COUNT(*) FROM blob_checks") == 0)
    }
  }

  /// Such as when an upload has been canceled meanwhile: no one is charged for its content.
  @Test(arguments: TestDatabase.allCases)
  func whatCouldNotBeNamedIsGoneAfterAnHour(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await ItemHost.run(database, time: time) { host async throws in
      let user = try await host.users("ada")[0]
      await #expect(throws: Crash.self) { try await host.crash(with: ItemHost.wav(1), by: user) }
      time.advance(seconds: BlobCheckStore.releasedSeconds - 1)
      try await host.collect()
      #expect(try await host.isStored(ItemHost.wav(1)))
      time.advance(seconds: 2)
      try await host.collect()
      #expect(try await host.isStored(ItemHost.wav(1)) == false)
    }
  }

  /// Others, who began before or after it, have not named the same content yet.
  @Test(arguments: TestDatabase.allCases, [false, true])
  func whatOthersStoreIsKeptWhenOneCouldNotNameIt(_ database: TestDatabase, _ isLater: Bool) async throws {
    let time = ManualTime()
    try await ItemHost.run(database, time: time) { host async throws in
      let user = try await host.users("ada")[0]
      let hash = try ItemHost.hash(ItemHost.wav(1))
      if !isLater { try await host.core.blobs.store(fileAt: try host.write(ItemHost.wav(1)), as: hash) }
      let stored = try await host.core.blobs.store(fileAt: try host.write(ItemHost.wav(1)), as: hash)
      if isLater { try await host.core.blobs.store(fileAt: try host.write(ItemHost.wav(1)), as: hash) }
      try await host.core.blobs.name([stored]) { _ in false }
      time.advance(seconds: Self.day - 1)
      try await host.collect()
      #expect(try await host.isStored(ItemHost.wav(1)))
      try await host.upload(ItemHost.wav(1), by: user)
      time.advance(seconds: 2 * Self.day)
      try await host.collect()
      #expect(try await host.isStored(ItemHost.wav(1)))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whatIsInUseIsKept(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await ItemHost.run(database, time: time) { host async throws in
      let user = try await host.users("ada")[0]
      let media = try await host.beat(1, by: user)
      for _ in 0..<3 {
        time.advance(seconds: Self.day)
        try await host.collect()
      }
      let stored = try await host.core.database.read { [core = host.core] db in try core.media.find(media, in: db) }
      #expect(stored?.media.state == .ready)
      #expect(try await host.isStored(ItemHost.wav(1)))
      #expect(try await host.isStored(Array("tagged 1".utf8)))
    }
  }

  @Test func equalFilesGoWithTheLastOne() async throws {
    let time = ManualTime()
    try await ItemHost.run(time: time) { host async throws in
      let users = try await host.users("ada", "bob")
      let (one, other) = (
        try await host.upload(ItemHost.wav(1), by: users[0]), try await host.upload(ItemHost.wav(1), by: users[1])
      )
      #expect(try await host.delete(one, by: users[0]) == nil)
      time.advance(seconds: 2 * Self.day)
      try await host.collect()
      #expect(try await host.isStored(ItemHost.wav(1)))
      #expect(try await host.delete(other, by: users[1]) == nil)
      time.advance(seconds: 2 * Self.day)
      try await host.collect()
      #expect(try await host.isStored(ItemHost.wav(1)) == false)
    }
  }

  /// A collector stops between its decision and the removal.
  @Test(arguments: TestDatabase.allCases)
  func aRemovalThatWasCutOffIsFinished(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await ItemHost.run(database, time: time) { host async throws in
      let user = try await host.users("ada")[0]
      await #expect(throws: Crash.self) { try await host.crash(with: ItemHost.wav(1), by: user) }
      time.advance(seconds: 2 * Self.day)
      let hash = try ItemHost.hash(ItemHost.wav(1))
      try await host.core.database.write { tx in try BlobCheckStore.beginRemoval(of: [hash], in: tx) }
      try await host.collect()
      #expect(try await host.isStored(ItemHost.wav(1)))
      time.advance(seconds: BlobCheckStore.removalSeconds + 1)
      try await host.collect()
      #expect(try await host.isStored(ItemHost.wav(1)) == false)
    }
  }

  /// The same content is uploaded after a collector has decided and stopped.
  @Test func contentIsStoredAgainAfterARemovalWasCutOff() async throws {
    let time = ManualTime()
    try await ItemHost.run(time: time) { host async throws in
      let user = try await host.users("ada")[0]
      await #expect(throws: Crash.self) { try await host.crash(with: ItemHost.wav(1), by: user) }
      let hash = try ItemHost.hash(ItemHost.wav(1))
      try await host.core.database.write { tx in try BlobCheckStore.beginRemoval(of: [hash], in: tx) }
      try await host.core.blobs.storage.remove(hash)
      time.advance(seconds: BlobCheckStore.removalSeconds + 1)
      let media = try await host.upload(ItemHost.wav(1), by: user)
      time.advance(seconds: 2 * Self.day)
      try await host.collect()
      #expect(try await host.content(media, by: user).body == ItemHost.wav(1))
    }
  }

  /// The storage answers so slowly that the collector's time for all blobs is over after the first one.
  @Test(arguments: TestDatabase.allCases)
  func aSlowCollectorKeepsWhatIsStoredAgain(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await ItemHost.run(database, time: time) { host async throws in
      let user = try await host.users("ada")[0]
      let contents = [ItemHost.wav(1), ItemHost.wav(2)]
      for bytes in contents {
        await #expect(throws: Crash.self) { try await host.crash(with: bytes, by: user) }
      }
      time.advance(seconds: 2 * Self.day)
      let again = Mutex<[UInt8]?>(nil)
      var core = host.core
      core.blobs = MediaBlobs(
        storage: SlowStorage(storage: core.blobs.storage) { removed in
          guard again.withLock({ $0 }) == nil else { return }
          time.advance(seconds: BlobCheckStore.removalSeconds + 1)
          let other = try #require(contents.first { try ItemHost.hash($0) != removed })
          again.withLock { $0 = other }
          try await host.upload(other, by: user)
        }, database: core.database, limits: core.limits)
      try await Collection(core: core).collect()
      let kept = try #require(again.withLock { $0 })
      #expect(try await host.isStored(kept))
      time.advance(seconds: 2 * Self.day)
      try await host.collect()
      #expect(try await host.isStored(kept))
      #expect(try await host.count("SELECT COUNT(*) FROM blob_checks") == 0)
    }
  }

  /// The collector does not look at the others.
  @Test(arguments: TestDatabase.allCases)
  func onlyObjectsWithoutUsesWaitToBeForgotten(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let user = try await host.users("ada")[0]
      let object = Topic("listing", host.test.ids.text())
      let waiting: SQL = "SELECT COUNT(*) FROM media_objects WHERE object = \(object) AND forget_at IS NOT NULL"
      let media = try await host.beat(1, by: user)
      try await host.report([], of: object, sequence: 1)
      #expect(try await host.count(waiting) == 1)
      try await host.report([MediaUse(media, .public)], of: object, sequence: 2)
      #expect(try await host.count(waiting) == 0)
      try await host.report([], of: object, sequence: 3)
      #expect(try await host.count(waiting) == 1)
    }
  }

  /// Such as one whose file another program holds.
  @Test(arguments: TestDatabase.allCases)
  func aBlobThatCannotBeRemovedDoesNotKeepOthers(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await ItemHost.run(database, time: time) { host async throws in
      let user = try await host.users("ada")[0]
      for number in 1...3 {
        await #expect(throws: Crash.self) { try await host.crash(with: ItemHost.wav(UInt64(number)), by: user) }
      }
      time.advance(seconds: 2 * Self.day)
      let stuck = try ItemHost.hash(ItemHost.wav(1))
      var core = host.core
      core.blobs = MediaBlobs(
        storage: SlowStorage(storage: core.blobs.storage) { if $0 == stuck { throw BlobStorageError.unavailable("") } },
        database: core.database, limits: core.limits)
      try await Collection(core: core).collect()
      #expect(try await host.isStored(ItemHost.wav(1)))
      #expect(try await host.isStored(ItemHost.wav(2)) == false)
      #expect(try await host.isStored(ItemHost.wav(3)) == false)
      // It is tried again.
      time.advance(seconds: BlobCheckStore.removalSeconds + 1)
      try await host.collect()
      #expect(try await host.isStored(ItemHost.wav(1)) == false)
    }
  }

  @Test func whatWasReportedLongAgoIsForgotten() async throws {
    let time = ManualTime()
    try await ItemHost.run(time: time) { host async throws in
      let user = try await host.users("ada")[0]
      let (gone, kept) = (Topic("listing", host.test.ids.text()), Topic("listing", host.test.ids.text()))
      try await host.use(host.beat(1, by: user), .public, in: kept)
      try await host.report([], of: gone, sequence: 1)
      time.advance(seconds: 31 * Self.day)
      try await host.collect()
      #expect(try await host.count("SELECT COUNT(*) FROM media_objects WHERE object = \(gone)") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM media_objects WHERE object = \(kept)") == 1)
    }
  }
}

extension ItemHost {
  /// Takes a file in, but its transaction does not commit.
  fileprivate func crash(with bytes: [UInt8], by user: TestUser) async throws {
    try await upload(bytes, by: user) { _ in throw CollectionTests.Crash() }
  }
}

/// A storage in which something happens before each removal.
private struct SlowStorage: BlobStorage {
  let storage: any BlobStorage
  let beforeRemoval: @Sendable (BlobHash) async throws -> Void

  func store(fileAt path: String, as hash: BlobHash) async throws { try await storage.store(fileAt: path, as: hash) }

  func size(of hash: BlobHash) async throws -> Int64? { try await storage.size(of: hash) }

  func content(of hash: BlobHash) async throws -> BlobContent { try await storage.content(of: hash) }

  func remove(_ hash: BlobHash) async throws {
    try await beforeRemoval(hash)
    try await storage.remove(hash)
  }

  func list(after hash: BlobHash?, limit: Int) async throws -> [StoredBlob] {
    try await storage.list(after: hash, limit: limit)
  }

  func removeUnfinished(before time: Int64) async throws -> Int { try await storage.removeUnfinished(before: time) }
}
