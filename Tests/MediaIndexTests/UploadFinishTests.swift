import Contracts
import Foundation
import Persistence
import ServiceKit
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
      // What another process does: it takes over, and writes as many bytes.
      let name = "\(host.test.folder)/uploads/\(try host.id(of: path))"
      try Data(other).write(to: URL(fileURLWithPath: name))
      try await host.database.write { tx in try tx.execute("UPDATE uploads SET epoch = epoch + 1") }
      let last = try await client.append(file[1_000_000...], at: 1_000_000, to: path)
      let whole = other + file[1_000_000...]
      #expect(try await host.media(last["Upload-Media"])?.sha256 == whole.sha256)
    }
  }
}
