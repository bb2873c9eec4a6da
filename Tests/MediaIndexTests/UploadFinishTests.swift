import Contracts
import Foundation
import Persistence
import ServiceKit
import Synchronization
import TestKit
import Testing

@testable import MediaIndexService

/// Complete uploads become media although something fails in between.
struct UploadFinishTests {
  private let file = [UInt8].recording(3_000_000)

  /// Uploads the file as parts, and stores the row of the upload that joins them.
  private func parts(_ client: TusClient, in host: UploadHost) async throws -> (StoredUpload, parts: [String]) {
    var paths: [String] = []
    for range in [0..<1_500_000, 1_500_000..<file.count] {
      let path = try await client.create(length: range.count, ["Upload-Concat": "partial"]).location
      _ = try await client.append(file[range], at: 0, to: path)
      paths.append(path)
    }
    let uploads = try host.uploads.uploads
    let concat = "final;" + paths.joined(separator: " ")
    let user = UploadHost.caller(client.user)
    let creation = UploadCreation(uploads: uploads, user: user, metadata: nil, concat: concat)
    return (try await creation.create(.final(try paths.map { try host.id(of: $0) })), paths)
  }

  @Test func joiningAgainLeavesTheStoredContentAsItIs() async throws {
    try await UploadHost.run { host async throws in
      let (final, parts) = try await parts(try await host.client(), in: host)
      try await host.database.write { tx in
        try tx.execute(
          "CREATE TRIGGER no_media BEFORE INSERT ON media BEGIN SELECT RAISE(ABORT, 'not stored'); END")
      }
      let finisher = try host.uploads.finisher
      await #expect(throws: DatabaseError.self) { try await finisher.finish(final.id) }
      #expect(try host.blob(file.sha256) == file)
      try FileManager.default.removeItem(atPath: "\(host.test.folder)/uploads/\(try host.id(of: parts[1]))")
      await #expect(throws: Problem(.uploadGone)) { try await finisher.finish(final.id) }
      #expect(try host.blob(file.sha256) == file)
    }
  }

  /// A writer that was superseded while it waited for the lock finds a file that is complete, and a blob.
  @Test func aSupersededWriterLeavesTheFileAsItIs() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: file.count).location
      let (id, uploads) = (try host.id(of: path), try host.uploads.uploads)
      let user = UploadHost.caller(client.user)
      let stale = try await UploadTakeover(uploads: uploads).claim(id, at: 0, length: nil, bodyBytes: nil, by: user)
      let name = "\(host.test.folder)/uploads/\(id)"
      try Data(file).write(to: URL(fileURLWithPath: name))
      try await host.database.write { tx in try UploadStore.supersede(id, in: tx) }
      try await uploads.active.run(id) { turn in
        let receiver = UploadReceiver(
          uploads: uploads, turn: turn, upload: stale.upload, epoch: try #require(stale.epoch), limit: stale.limit,
          checksum: nil)
        await #expect(throws: Problem(.uploadSuperseded)) { _ = try await receiver.open() }
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: name)).count == file.count)
    }
  }

  /// Bytes that another process has written in between are not those that this one has hashed.
  @Test func aHashOfAnotherEpochIsNotUsed() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: file.count).location
      _ = try await client.append(file[..<1_000_000], at: 0, to: path)
      let other = Array(file[..<500_000]) + [UInt8](repeating: 7, count: 500_000)
      // The work of another process: it takes over, and writes as many bytes.
      let name = "\(host.test.folder)/uploads/\(try host.id(of: path))"
      try Data(other).write(to: URL(fileURLWithPath: name))
      try await host.database.write { tx in try tx.execute("UPDATE uploads SET epoch = epoch + 1") }
      let last = try await client.append(file[1_000_000...], at: 1_000_000, to: path)
      let whole = other + file[1_000_000...]
      #expect(try await host.media(last["Upload-Media"])?.sha256 == whole.sha256)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aPartIsJoinedByOneUpload(_ database: TestDatabase) async throws {
    try await UploadHost.run(database) { host async throws in
      let client = try await host.client()
      let (final, parts) = try await parts(client, in: host)
      let second = try await client.send(.post, "/v1/uploads", ["Upload-Concat": "final;\(parts[1])"])
      #expect(second.status == 409)
      #expect(try second.code == "upload-part-taken")
      // Canceled, it holds its parts no longer.
      #expect(try await client.send(.delete, "/v1/uploads/\(final.id)").status == 204)
      let concat = "final;" + parts.joined(separator: " ")
      let third = try await client.send(.post, "/v1/uploads", ["Upload-Concat": concat])
      #expect(try await host.media(third["Upload-Media"])?.sha256 == file.sha256)
    }
  }

  private final class Running: Sendable {
    let users = Mutex<[UserID]>([])
    let most = Mutex(0)
  }

  @Test func fewUploadsAreJoinedAtOnce() async throws {
    let (joins, running) = (UploadJoins(), Running())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<60 {
        let user: UserID = ID(trusted: "user \(number % 3)")
        group.addTask {
          try await joins.run(of: user) {
            let now = running.users.withLock { users -> [UserID] in
              users.append(user)
              return users
            }
            #expect(now.count == Set(now).count)
            running.most.withLock { $0 = max($0, now.count) }
            for _ in 0..<10 { await Task.yield() }
            running.users.withLock { users in users.removeAll { $0 == user } }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(running.most.withLock { $0 } <= 2)
  }

  /// An upload whose last byte has arrived before the process was killed.
  ///
  /// - Parameter isReadable: Otherwise its file is a folder.
  private func complete(_ file: [UInt8], isReadable: Bool, _ client: TusClient, in host: UploadHost) async throws
    -> UploadID
  {
    let id = try host.id(of: try await client.create(length: file.count).location)
    let name = "\(host.test.folder)/uploads/\(id)"
    if isReadable {
      try Data(file).write(to: URL(fileURLWithPath: name))
    } else {
      try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: false)
    }
    try await host.database.write { tx in try tx.execute("UPDATE uploads SET received = length WHERE id = \(id)") }
    return id
  }

  /// A complete upload whose bytes are missing, or whose storage does not respond, hinders no other.
  @Test(arguments: TestDatabase.allCases)
  func oneUploadDoesNotHinderOthers(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await UploadHost.run(database, time: time) { host async throws in
      let client = try await host.client()
      let files = [[UInt8].recording(50_000), [UInt8].recording(60_000), [UInt8].recording(70_000)]
      var ids: [UploadID] = []
      for (number, file) in files.enumerated() {
        ids.append(try await complete(file, isReadable: number > 0, client, in: host))
      }
      try await host.runOnce("uploads.sweep")
      #expect(try await host.count("SELECT COUNT(*) FROM media") == 2)
      let attempt = try await host.count("SELECT next_attempt_at FROM uploads WHERE id = \(ids[0])")
      #expect(attempt == Int(time.source.now().advanced(bySeconds: 60).microseconds))
    }
  }

  @Test func anUploadThatCannotBePutOffDoesNotHinderOthers() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      for (number, file) in [[UInt8].recording(50_000), [UInt8].recording(60_000)].enumerated() {
        let id = try await complete(file, isReadable: number > 0, client, in: host)
        // The first is tried first.
        try await host.database.write { tx in
          try tx.execute("UPDATE uploads SET next_attempt_at = \(number - 2) WHERE id = \(id)")
        }
      }
      try await host.database.write { tx in
        try tx.execute(
          """
          CREATE TRIGGER not_put_off BEFORE UPDATE OF attempts ON uploads
          BEGIN SELECT RAISE(ABORT, 'not put off'); END
          """
        )
      }
      try await host.runOnce("uploads.sweep")
      #expect(try await host.count("SELECT COUNT(*) FROM media") == 1)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aCompleteUploadDoesNotExpire(_ database: TestDatabase) async throws {
    let time = ManualTime()
    let settings = ["uploads.expirySeconds": "10m", "auth.accessTokenSeconds": "1h"]
    try await UploadHost.run(database, settings: settings, time: time) { host async throws in
      let client = try await host.client()
      let (final, _) = try await parts(client, in: host)
      time.advance(seconds: 601)
      try await host.runOnce("uploads.sweep")
      #expect(try await host.media(final.media.rawValue)?.sha256 == file.sha256)
      #expect(try await client.head("/v1/uploads/\(final.id)")["Upload-Media"] == final.media.rawValue)
    }
  }

  /// An upload on a lost disk cannot be finished.
  @Test(arguments: TestDatabase.allCases)
  func aCompleteUploadOfALostPlaceExpires(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await UploadHost.run(database, time: time) { host async throws in
      let (final, _) = try await parts(try await host.client(), in: host)
      try await host.database.write { tx in try tx.execute("UPDATE uploads SET place = 'lost'") }
      time.advance(seconds: 8 * 86_400 - 1)
      try await host.runOnce("uploads.sweep")
      #expect(try await host.count("SELECT COUNT(*) FROM uploads WHERE id = \(final.id)") == 1)
      time.advance(seconds: 2)
      for _ in 0..<2 { try await host.runOnce("uploads.sweep") }
      #expect(try await host.count("SELECT COUNT(*) FROM uploads") == 0)
    }
  }

  /// The storage lets the same content wait while it is being removed.
  @Test func aClientDoesNotWaitForASlowStorage() async throws {
    try await UploadHost.run(settings: ["uploads.patienceSeconds": "1"]) { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: file.count).location
      let hash = file.sha256
      try await host.database.write { tx in
        try tx.execute("INSERT INTO blob_checks (blob, due_at, removing) VALUES (\(hash), \(Int64.max), 1)")
      }
      let last = try await client.append(file, at: 0, to: path)
      #expect(last.status == 204)
      #expect(last["Upload-Offset"] == String(file.count))
      #expect(last["Upload-Media"] == nil)
      try await host.database.write { tx in try tx.execute("DELETE FROM blob_checks") }
      var media: String?
      try await eventually("the media item is made") {
        media = try await client.head(path)["Upload-Media"]
        return media.map { !$0.isEmpty } ?? false
      }
      #expect(try await host.media(media)?.sha256 == hash)
    }
  }

  /// As after an unknown outcome of its last transaction.
  @Test func aFinishedUploadIsNotDeletedAsUnfinished() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: file.count).location
      let media = try #require(try await client.append(file, at: 0, to: path)["Upload-Media"])
      try await host.uploads.uploads.deleteUnfinished(try host.id(of: path))
      #expect(try await client.head(path)["Upload-Media"] == media)
    }
  }
}
