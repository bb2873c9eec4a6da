import AuthService
import BlobStorage
import Contracts
import Foundation
import GatewayService
import Persistence
import ServiceKit
import StudySyncService
import Synchronization
import TestKit

@testable import MediaIndexService

/// media-index and study-sync behind the gateway, with files that ffmpeg makes and jobs that the test runs.
struct ProcessingHost: Sendable {
  let test: TestPlatform
  let core: MediaCore

  static func run(
    _ database: TestDatabase = .sqlite, settings: [String: String] = [:],
    _ body: (ProcessingHost) async throws -> Void
  ) async throws {
    let limits = ["limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1"]
    let plugins: [any ServicePlugin.Type] = [
      GatewayPlugin.self, AuthPlugin.self, StudySyncPlugin.self, MediaIndexPlugin.self,
    ]
    try await TestPlatform.run(plugins, settings: limits.merging(settings) { $1 }, database: database) { test in
      try await body(ProcessingHost(test: test, core: test.plugin(MediaIndexPlugin.self).core))
    }
  }

  func user(_ name: String) async throws -> TestUser { TestUser(try await test.client.signUp(name), test.client) }

  // MARK: files

  /// Makes a file with ffmpeg.
  func make(_ suffix: String, _ arguments: [String]) async throws -> String {
    let path = "\(test.folder)/\(test.ids.text()).\(suffix)"
    try await Command.run(["ffmpeg", "-v", "error", "-nostdin", "-y"] + arguments + [path])
    return path
  }

  func recording(seconds: Int = 3) async throws -> String {
    try await make("wav", ["-f", "lavfi", "-i", "sine=440:r=22050:d=\(seconds)"])
  }

  func video(seconds: Int = 2) async throws -> String {
    let sources = [
      "-f", "lavfi", "-i", "testsrc=s=320x240:r=10:d=\(seconds)", "-f", "lavfi", "-i", "sine=d=\(seconds)",
    ]
    return try await make("mp4", sources + ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"])
  }

  /// A picture with a line of text.
  func note(_ text: String) async throws -> String {
    let drawn = """
      color=white:s=1200x300,drawtext=fontfile=/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:fontsize=56:x=40:y=100:\
      text='\(text)'
      """
    return try await make("png", ["-f", "lavfi", "-i", drawn, "-frames:v", "1"])
  }

  func save(_ bytes: [UInt8]) throws -> String {
    let path = "\(test.folder)/\(test.ids.text())"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// Takes in a file as a finished upload.
  func upload(_ path: String, by user: TestUser) async throws -> MediaID {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path)).count
    let file = FinishedUpload(
      id: test.ids.make(), path: path, bytes: Int64(bytes), hash: try BlobHash(fileAt: path), owner: user.id,
      app: .archived)
    return try await MediaIntake(core: core).accept(file)
  }

  // MARK: jobs

  func runOnce(_ worker: String = ProcessMedia.kind) async throws {
    try await test.plugin(MediaIndexPlugin.self).runOnce(worker)
  }

  /// Adds the job of a test, in the place of an earlier one, and claims it.
  func claim() async throws -> Job {
    let claimed = Mutex<Job?>(nil)
    let jobs = try DurableJobs<String>("test", core.environment) { _, job in
      claimed.withLock { $0 = job }
      return .retry(afterSeconds: 0)
    }
    try await core.database.write { tx in try jobs.add("", id: "test:1", in: tx) }
    _ = try await jobs.runOnce()
    guard let job = claimed.withLock({ $0 }) else { throw TestKitError("no job was due") }
    return job
  }

  func hasJobs(_ kind: String) async throws -> Bool {
    try await core.database.read { db in try db.exists("SELECT 1 FROM jobs WHERE kind = \(kind) LIMIT 1") }
  }

  /// Processes all media.
  func runAll() async throws { for kind in ProcessingQueues.kinds { try await runAll(kind) } }

  /// Runs the jobs of a kind until there are none, also those that are to be retried later.
  func runAll(_ kind: String) async throws {
    while try await hasJobs(kind) {
      try await runOnce(kind)
      // Not so long that the users' tokens expire.
      test.time.advance(seconds: 10)
    }
  }

  // MARK: results

  func media(_ id: MediaID, of user: TestUser) async throws -> Media {
    try await user.client.send(MediaAPI.GetMedia(id: id))
  }

  func files(_ id: MediaID) async throws -> [MediaFile] {
    try await core.database.read { db in try MediaFileStore.list(of: id, in: db) }
  }

  func content(_ name: String, of id: MediaID) async throws -> String {
    let file = try await core.database.read { db in try MediaFileStore.find(name, of: id, in: db) }
    guard let file, case .file(let path, _) = try await core.blobs.content(of: file.blob) else {
      throw TestKitError("\(id) has no \(name)")
    }
    return path
  }

  /// The states that were reported about a media item, in their order.
  func reported(_ id: MediaID) async throws -> [String] {
    let events = try await core.database.read { db in
      try db.values(
        "SELECT data FROM outbox WHERE type = \(TopicEvent.type) AND subject = \(id.topic.rawValue) ORDER BY id",
        as: String.self)
    }
    return try events.compactMap { text in
      let event = try WireJSON.decode(TopicEvent.self, from: text.utf8)
      guard event.name == "media.changed", event.data["percent"] == nil else { return nil }
      return event.data["state"]?.string
    }
  }

  /// The names in the folder of intermediate files.
  func leftovers() -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: "\(test.folder)/processing")) ?? []
  }

  /// A folder with a program that does something else, before the real ones.
  static func tools(_ name: String, _ script: String, _ body: (_ searchPath: String) async throws -> Void) async throws
  {
    try await TemporaryFolder.run { folder in
      let file = "\(folder)/\(name)"
      try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: file))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
      try await body("\(folder):/usr/bin")
    }
  }
}
