import AuthService
import BlobStorage
import Contracts
import Foundation
import GatewayService
import MatchingService
import MediaFiles
import Persistence
import ServiceKit
import TestKit

@testable import MediaIndexService

/// media-index behind the gateway, with pictures that were processed as the job does it.
struct PictureHost: Sendable {
  let test: TestPlatform
  let core: MediaCore
  private let work: PictureWork

  static func run(
    _ database: TestDatabase = .sqlite, settings: [String: String] = [:],
    _ body: (PictureHost) async throws -> Void
  ) async throws {
    let limits = ["limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1"]
    let plugins: [any ServicePlugin.Type] = [
      GatewayPlugin.self, AuthPlugin.self, MatchingPlugin.self, MediaIndexPlugin.self,
    ]
    try await TestPlatform.run(plugins, settings: limits.merging(settings) { $1 }, database: database) { test in
      let features = try test.plugin(MediaIndexPlugin.self).features
      guard let crops = features.lazy.compactMap({ $0 as? PictureCrops }).first else {
        throw TestKitError("media-index has no pictures")
      }
      let work = PictureWork(core: crops.core, processor: PictureProcessor(tools: ToolRunner()))
      try await body(PictureHost(test: test, core: crops.core, work: work))
    }
  }

  func user(_ name: String) async throws -> TestUser { TestUser(try await test.client.signUp(name), test.client) }

  /// A picture of 400 × 200 pixels, the left half red and the right half blue.
  func upload(by user: TestUser, visibility: MediaVisibility = .everyone) async throws -> MediaID {
    let path = "\(test.folder)/\(test.ids.text()).png"
    let filter = "color=red:size=200x200[a];color=blue:size=200x200[b];[a][b]hstack"
    try await Command.run(["ffmpeg", "-loglevel", "error", "-lavfi", filter, "-frames:v", "1", path])
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    let file = FinishedUpload(
      id: test.ids.make(), path: path, bytes: Int64(bytes.count), hash: BlobHash(of: bytes), owner: user.id,
      app: .archived, fileName: "a.png", visibility: visibility)
    return try await MediaIntake(core: core).accept(file)
  }

  /// Runs the job of a new or cropped picture.
  func process(_ media: MediaID) async throws {
    let original = try await core.database.read { db in
      try MediaFileStore.find(MediaFileName.original, of: media, in: db)
    }
    guard let original, case .file(let path, _) = try await core.blobs.content(of: original.blob) else {
      throw TestKitError("\(media) has no file")
    }
    let folder = "\(test.folder)/\(test.ids.text())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let made = try await work.make(media, from: path, in: folder)
    try await core.database.write { [core, work] tx in
      try work.publish(made, of: media, in: tx)
      _ = try core.media.advance(media, to: .ready, made.properties, in: tx)
    }
  }

  func picture(by user: TestUser, visibility: MediaVisibility = .everyone) async throws -> MediaID {
    let media = try await upload(by: user, visibility: visibility)
    try await process(media)
    return media
  }

  func thumbnail(
    _ media: MediaID, _ query: String = "", accept: String? = nil, ifNoneMatch tag: String? = nil,
    by user: TestUser? = nil
  ) async throws -> WireResponse {
    var headers: [(name: String, value: String)] = []
    if let accept { headers.append(("Accept", accept)) }
    if let tag { headers.append(("If-None-Match", tag)) }
    return try await test.send(.get, "/v1/media/\(media)/thumbnail\(query)", headers: headers, by: user)
  }

  /// Red, green and blue in the middle of the left and the right half of a picture, each rounded to 0 or 255.
  func halves(of picture: [UInt8]) async throws -> [[UInt8]] {
    let path = "\(test.folder)/\(test.ids.text())"
    try Data(picture).write(to: URL(fileURLWithPath: path))
    let scale = ["-vf", "format=gbrp,scale=2:1:flags=area,format=rgb24", "-f", "rawvideo", "\(path).raw"]
    try await Command.run(["ffmpeg", "-loglevel", "error", "-i", path] + scale)
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: "\(path).raw"))).map { $0 > 127 ? UInt8(255) : 0 }
    return [Array(bytes.prefix(3)), Array(bytes.suffix(3))]
  }
}
