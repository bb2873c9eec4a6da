import AuthService
import BlobStorage
import Contracts
import Foundation
import GatewayService
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

struct StorageTests {
  private struct Host {
    let test: TestPlatform

    /// On the disk, where the command finds them too.
    var folder: String { "\(test.folder)/media" }
    var plugin: MediaIndexPlugin { get throws { try test.plugin(MediaIndexPlugin.self) } }

    /// Stores content as files of one media item.
    func store(_ contents: [String]) async throws -> [BlobHash] {
      let core = try plugin.core
      var files: [MediaFile] = []
      for content in contents {
        let path = "\(test.folder)/\(content)"
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        let hash = try BlobHash(fileAt: path)
        try await core.blobs.store(fileAt: path, as: hash)
        files.append(
          MediaFile(name: content, blob: hash, bytes: Int64(content.utf8.count), contentType: "text/plain"))
      }
      let (media, named): (MediaID, [MediaFile]) = (test.ids.make(), files)
      try await core.database.write { tx in try MediaFileStore.put(named, of: media, in: tx) }
      return files.map(\.blob)
    }

    func path(of hash: BlobHash) -> String {
      "\(folder)/\(hash.description.prefix(2))/\(hash.description.dropFirst(2))"
    }

    func damage(_ hash: BlobHash) throws {
      try FileManager.default.removeItem(atPath: path(of: hash))
      try Data("other".utf8).write(to: URL(fileURLWithPath: path(of: hash)))
    }

    func command(_ arguments: String...) async throws -> (lines: [String], status: Int32) {
      let output = Pipe()
      let command = try Command(
        [ServiceProcess.executable("quintet").path, "media"] + arguments + ["--data", test.folder], output: output)
      let text = String(decoding: await output.readToEnd(), as: UTF8.self)
      return (text.split(separator: "\n").map(String.init), await command.end())
    }
  }

  private func run(_ database: TestDatabase = .sqlite, _ body: (Host) async throws -> Void) async throws {
    try await TestPlatform.run(
      [GatewayPlugin.self, AuthPlugin.self, MediaIndexPlugin.self], database: database
    ) { test in try await body(Host(test: test)) }
  }

  // MARK: verification

  @Test(arguments: TestDatabase.allCases)
  func filesAreComparedWithThoseThatTheIndexNames(database: TestDatabase) async throws {
    try await run(database) { host in
      let hashes = try await host.store(["a", "b", "c", "d"])
      try host.damage(hashes[1])
      try FileManager.default.removeItem(atPath: host.path(of: hashes[2]))
      let report = try await host.plugin.verifyStorage { _, _ in }
      #expect(report == BlobVerification.Report(intact: 2, intactBytes: 2, damaged: 1, missing: 1))
    }
  }

  /// As after a move, during which a blob has lost its last name.
  @Test(arguments: TestDatabase.allCases)
  func whatNoFileNamesIsCollectedAfterAVerification(database: TestDatabase) async throws {
    try await run(database) { host in
      let named = try await host.store(["a"])[0]
      let path = "\(host.test.folder)/unnamed"
      try Data("b".utf8).write(to: URL(fileURLWithPath: path))
      let unnamed = try BlobHash(fileAt: path)
      let storage = try host.plugin.core.blobs.storage
      try await storage.store(fileAt: path, as: unnamed)
      _ = try await host.plugin.verifyStorage { _, _ in }
      try await host.plugin.runOnce("media.collect")
      #expect(try await storage.size(of: unnamed) == 1)
      host.test.time.advance(seconds: BlobCheckStore.graceSeconds + 1)
      try await host.plugin.runOnce("media.collect")
      #expect(try await storage.size(of: unnamed) == nil)
      #expect(try await storage.size(of: named) == 1)
    }
  }

  @Test func theCommandReportsAndFails() async throws {
    try await run { host in
      let hashes = try await host.store(["a", "b", "c"])
      let whole = try await host.command("verify")
      #expect(whole.lines.last == "3 files intact (3 bytes), 0 damaged, 0 missing, 0 not in use")
      #expect(whole.status == 0)
      try host.damage(hashes[0])
      try FileManager.default.removeItem(atPath: host.path(of: hashes[1]))
      let broken = try await host.command("verify")
      #expect(broken.lines.contains("damaged: \(hashes[0])"))
      #expect(broken.lines.contains("missing: \(hashes[1])"))
      #expect(broken.lines.last == "1 files intact (1 bytes), 1 damaged, 1 missing, 0 not in use")
      #expect(broken.status == 1)
    }
  }

  // MARK: settings

  @Test(arguments: [
    ([:], "media.s3.accessKey"),
    (["media.s3.accessKey": "id", "media.s3.secretKey": "hidden"], "media.s3.endpoint"),
    (
      ["media.s3.accessKey": "id", "media.s3.secretKey": "hidden", "media.s3.endpoint": "https://s3.example.com"],
      "media.s3.bucket"
    ),
    (
      [
        "media.s3.accessKey": "id", "media.s3.secretKey": "hidden", "media.s3.bucket": "blobs",
        "media.s3.endpoint": "https://user:hidden@s3.example.com",
      ], "media.s3.endpoint"
    ),
  ])
  func whatIsMissingOrInvalidIsNamed(settings: [String: String], named: String) {
    let failure = #expect(throws: SettingError.self) { try StorageSettings.s3(Settings(settings)) }
    #expect(failure?.description.contains("setting \(named) ") == true)
    #expect(failure?.description.contains("hidden") == false)
  }

  @Test func theServiceDoesNotStartWithoutTheStoresSettings() async throws {
    let failure = await #expect(throws: SettingError.self) {
      try await TestPlatform.run(
        [GatewayPlugin.self, AuthPlugin.self, MediaIndexPlugin.self], settings: ["media.storage": "s3"]
      ) { _ in }
    }
    #expect(failure?.description.contains("media.s3.accessKey") == true)
  }

  /// It is needed for downloads only, and may come back.
  @Test func theServiceStartsWhileTheStoreIsDown() async throws {
    let settings = [
      "media.storage": "s3", "media.s3.endpoint": "http://127.0.0.1:\(try reservedPort())", "media.s3.bucket": "blobs",
      "media.s3.accessKey": "id", "media.s3.secretKey": "secret",
    ]
    try await TestPlatform.run(
      [GatewayPlugin.self, AuthPlugin.self, MediaIndexPlugin.self], settings: settings
    ) { test in _ = try await test.client.signUp("ada") }
  }
}
