import AuthService
import Contracts
import Crypto
import Foundation
import GatewayService
import HTTPTypes
import Persistence
import ServiceKit
import TestKit

@testable import MediaIndexService

/// media-index and auth behind the gateway, as clients that upload see them.
struct UploadHost: Sendable {
  let test: TestPlatform

  static let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self, MediaIndexPlugin.self]
  /// On a busy machine, the media item of a complete upload takes longer than requests usually wait for it.
  static let unlimited = [
    "limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1", "uploads.patienceSeconds": "300",
  ]

  static func run(
    _ database: TestDatabase = .sqlite, settings: [String: String] = [:], time: ManualTime = ManualTime(),
    _ body: (UploadHost) async throws -> Void
  ) async throws {
    let all = unlimited.merging(settings) { $1 }
    try await TestPlatform.run(plugins, settings: all, database: database, time: time) {
      try await body(UploadHost(test: $0))
    }
  }

  /// Settings by which only so many bytes of the disk, roughly, can be used.
  static func settings(leaving bytes: Int64) throws -> [String: String] {
    let path = FileManager.default.temporaryDirectory.path
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: path)
    guard let free = (attributes[.systemFreeSize] as? NSNumber)?.int64Value else {
      throw TestKitError("the free space of \(path) is unknown")
    }
    return ["media.reserveBytes": String(max(0, free - bytes))]
  }

  func client(_ name: String = "ada") async throws -> TusClient {
    TusClient(user: TestUser(try await test.client.signUp(name), test.client), test: test)
  }

  var database: any Database { get throws { try test.database(of: MediaAPI.self) } }

  func count(_ sql: SQL) async throws -> Int { try await database.read { db in try db.count(sql) } }

  /// The files in the folder of uploads, without the one that names it.
  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(test.folder)/uploads").filter { $0 != "place" }.sorted()
  }

  static func caller(_ user: TestUser) -> UserCaller {
    UserCaller(
      id: user.id, sessionID: ID(trusted: "session"), app: .archived, scopes: [], roles: [.user],
      expiresAt: Timestamp(microseconds: .max))
  }

  var uploads: Uploads {
    get throws {
      let features = try test.plugin(MediaIndexPlugin.self).features
      guard let uploads = features.lazy.compactMap({ $0 as? Uploads }).first else {
        throw TestKitError("media-index has no uploads")
      }
      return uploads
    }
  }

  /// The upload at a path.
  func id(of path: String) throws -> UploadID {
    guard let id = path.split(separator: "/").last.flatMap({ UploadID(String($0)) }) else {
      throw TestKitError("\(path) is not the path of an upload")
    }
    return id
  }

  /// The content of a blob in the local storage.
  func blob(_ sha256: String) throws -> [UInt8] {
    let path = "\(test.folder)/media/\(sha256.prefix(2))/\(sha256.dropFirst(2))"
    return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  func runOnce(_ worker: String) async throws { try await test.plugin(MediaIndexPlugin.self).runOnce(worker) }

  func media(_ id: String?) async throws -> (bytes: Int64, sha256: String)? {
    guard let id else { return nil }
    return try await database.read { db in
      try db.first("SELECT bytes, sha256 FROM media WHERE id = \(id)") { row in (try row["bytes"], try row["sha256"]) }
    }
  }
}

/// Speaks tus without following its rules by itself.
struct TusClient: Sendable {
  let user: TestUser
  let test: TestPlatform

  struct Answer: Sendable {
    let response: WireResponse

    var status: Int { response.status }
    var code: String? { get throws { try response.problem?.code } }
    subscript(_ header: String) -> String? { response.headers.first { $0.name == header.lowercased() }?.value }
    /// The path of the created upload.
    var location: String {
      get throws {
        guard let location = self["Location"], let path = location.range(of: "/v1/") else {
          throw TestKitError("no Location with status \(status): \(String(decoding: response.body, as: UTF8.self))")
        }
        return String(location[path.lowerBound...])
      }
    }
  }

  func send(
    _ method: Contracts.Operation.Method, _ target: String, _ headers: [String: String] = [:], _ body: [UInt8]? = nil,
    version: String? = "1.0.0"
  ) async throws -> Answer {
    var fields = headers.map { (name: $0.key.lowercased(), value: $0.value) }
    if let version { fields.append(("tus-resumable", version)) }
    if let body { fields.append(("content-length", String(body.count))) }
    let response = try await test.platform.transport(to: GatewayAPI.name).send(
      WireRequest(
        method: method, target: target, headers: fields, body: body, isRepeatable: false, seconds: Waiting.limit),
      headers: [("authorization", "Bearer \(user.token)")])
    return Answer(response: response)
  }

  func create(length: Int, _ headers: [String: String] = [:]) async throws -> Answer {
    try await send(.post, "/v1/uploads", headers.merging(["Upload-Length": String(length)]) { $1 })
  }

  func append(_ bytes: some Sequence<UInt8>, at offset: Int, to path: String, _ headers: [String: String] = [:])
    async throws -> Answer
  {
    let all = ["Content-Type": "application/offset+octet-stream", "Upload-Offset": String(offset)]
    return try await send(.patch, path, all.merging(headers) { $1 }, Array(bytes))
  }

  func head(_ path: String) async throws -> Answer { try await send(.head, path) }
}

extension [UInt8] {
  /// A recording of noise.
  static func recording(_ count: Int, _ generator: inout any RandomNumberGenerator) -> [UInt8] {
    func little(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    var bytes = Array("RIFF".utf8) + little(count - 8) + Array("WAVEfmt ".utf8) + little(16)
    bytes += [1, 0, 1, 0] + little(44_100) + little(88_200) + [2, 0, 16, 0] + Array("data".utf8) + little(count - 44)
    bytes.reserveCapacity(count)
    while bytes.count < count {
      let word = generator.next()
      for byte in 0..<Swift.min(8, count - bytes.count) {
        bytes.append(UInt8(truncatingIfNeeded: word >> (8 * byte)))
      }
    }
    return bytes
  }

  static func recording(_ count: Int) -> [UInt8] {
    var generator: any RandomNumberGenerator = SeededGenerator()
    return recording(count, &generator)
  }

  var sha256: String { SHA256.hash(data: self).hexadecimal }
}
