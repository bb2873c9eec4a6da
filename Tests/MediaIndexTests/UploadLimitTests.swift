import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// How uploads end that are canceled, forgotten or too large.
struct UploadLimitTests {
  private let file = [UInt8].recording(3_000_000)

  @Test func aCanceledUploadIsGone() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: 1000).location
      _ = try await client.append([1], at: 0, to: path)
      #expect(try host.files().count == 1)
      #expect(try await client.send(.delete, path).status == 204)
      #expect(try await client.send(.delete, path).status == 404)
      #expect(try await client.append([1], at: 1, to: path).status == 404)
      #expect(try host.files() == [])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func uploadsExpireAfterTheirLastRequest(_ database: TestDatabase) async throws {
    let time = ManualTime()
    let settings = ["uploads.expirySeconds": "10m", "auth.accessTokenSeconds": "1h"]
    try await UploadHost.run(database, settings: settings, time: time) { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: 1000).location
      time.advance(seconds: 500)
      #expect(try await client.append([1], at: 0, to: path).status == 204)
      time.advance(seconds: 500)
      try await host.runOnce("uploads.sweep")
      #expect(try await client.head(path).status == 200)
      time.advance(seconds: 101)
      #expect(try await client.head(path).status == 410)
      #expect(try await client.append([1], at: 1, to: path).status == 410)
      try await host.runOnce("uploads.sweep")
      #expect(try await client.head(path).status == 404)
      #expect(try host.files() == [])
    }
  }

  @Test func filesWithoutRowsAreCollected() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: 1000).location
      _ = try await client.append([1], at: 0, to: path)
      let lost = "\(host.test.folder)/uploads/00000000-0000-4000-8000-000000000000"
      for name in [lost, lost + ".handed-over"] { try Data([1]).write(to: URL(fileURLWithPath: name)) }
      try await host.runOnce("uploads.collect")
      #expect(try host.files() == [path.split(separator: "/").last.map { String($0) }])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aQuotaBoundsMediaAndUploads(_ database: TestDatabase) async throws {
    let settings = ["uploads.quotaBytes": "10000", "uploads.maxBytes": "8000", "uploads.maxOpen": "3"]
    try await UploadHost.run(database, settings: settings) { host async throws in
      let client = try await host.client()
      #expect(try await client.create(length: 8001).code == "upload-too-large")
      let small = [UInt8].recording(4000)
      let headers = ["Upload-Length": "4000", "Content-Type": "application/offset+octet-stream"]
      #expect(try await client.send(.post, "/v1/uploads", headers, small).status == 201)
      let open = try await client.create(length: 5000).location
      let over = try await client.create(length: 1001)
      #expect(over.status == 413)
      #expect(try over.code == "storage-quota-exceeded")
      // Of an unknown length, what is left counts.
      let deferred = try await client.send(.post, "/v1/uploads", ["Upload-Defer-Length": "1"]).location
      #expect(try await client.append(small[..<1000], at: 0, to: deferred).status == 204)
      #expect(try await client.append([1], at: 1000, to: deferred).status == 413)
      #expect(try await client.send(.delete, open).status == 204)
      #expect(try await client.append([1], at: 1000, to: deferred).status == 204)
      for _ in 0..<2 { #expect(try await client.create(length: 1).status == 201) }
      let many = try await client.create(length: 1)
      #expect(many.status == 429)
      #expect(try many.code == "too-many-uploads")
    }
  }

  @Test func aLengthThatIsStatedLaterNeedsSpace() async throws {
    try await UploadHost.run(settings: try UploadHost.settings(leaving: 4 << 30)) { host async throws in
      let client = try await host.client()
      let path = try await client.send(.post, "/v1/uploads", ["Upload-Defer-Length": "1"]).location
      #expect(try await client.append(file[..<1000], at: 0, to: path).status == 204)
      let length = ["Upload-Length": String(6 << 30)]
      let refused = try await client.append(file[1000..<2000], at: 1000, to: path, length)
      #expect(refused.status == 507)
      #expect(try refused.code == "storage-full")
      let head = try await client.head(path)
      #expect(head["Upload-Offset"] == "1000")
      #expect(head["Upload-Defer-Length"] == "1")
    }
  }

  @Test func aFullDiskIsAProblem() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: file.count).location
      let name = "\(host.test.folder)/uploads/\(try #require(path.split(separator: "/").last))"
      try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: "/dev/full")
      let full = try await client.append(file, at: 0, to: path)
      #expect(full.status == 507)
      #expect(try full.code == "storage-full")
      #expect(try await client.head(path)["Upload-Offset"] == "0")
      try FileManager.default.removeItem(atPath: name)
      let media = try #require(try await client.append(file, at: 0, to: path)["Upload-Media"])
      #expect(try await host.media(media)?.sha256 == file.sha256)
    }
  }

  @Test func anErasedUserLeavesNothing() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: 1000, ["Upload-Metadata": "filename YQ=="]).location
      _ = try await client.append([1], at: 0, to: path)
      let export = try await host.test.plugin(MediaIndexPlugin.self).export(client.user.id, from: host.database)
      #expect(export["uploads"]?.elements.count == 1)
      let user = client.user.id
      let plugin = try host.test.plugin(MediaIndexPlugin.self)
      try await host.database.write { tx in try plugin.eraseAll(of: user, in: tx) }
      try await host.runOnce("uploads.collect")
      #expect(try await host.count("SELECT COUNT(*) FROM uploads") == 0)
      #expect(try host.files() == [])
    }
  }
}
