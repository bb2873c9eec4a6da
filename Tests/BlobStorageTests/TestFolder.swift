import BlobStorage
import Crypto
import Foundation
import TestKit
import Testing

/// A folder with storage and files to be stored.
struct TestFolder: Sendable {
  let path: String
  var blobs: String { "\(path)/blobs" }

  /// Writes a file, and computes its hash independently of what is tested.
  func file(_ content: [UInt8]) throws -> (path: String, hash: BlobHash) {
    let file = "\(path)/\(UUID().uuidString)"
    try Data(content).write(to: URL(fileURLWithPath: file))
    return (file, try Self.hash(content))
  }

  static func hash(_ content: [UInt8]) throws -> BlobHash {
    try #require(BlobHash(SHA256.hash(data: content).map { String(format: "%02x", $0) }.joined()))
  }

  @discardableResult
  func store(_ content: [UInt8], in storage: any BlobStorage) async throws -> BlobHash {
    let (path, hash) = try file(content)
    try await storage.store(fileAt: path, as: hash)
    return hash
  }

  /// The path at which local storage has a blob.
  func path(of hash: BlobHash) -> String {
    "\(blobs)/\(hash.description.prefix(2))/\(hash.description.dropFirst(2))"
  }

  /// Changes the first byte of a stored file.
  func damage(_ hash: BlobHash) throws {
    let path = path(of: hash)
    var content = try Data(contentsOf: URL(fileURLWithPath: path))
    content[0] ^= 1
    try FileManager.default.removeItem(atPath: path)
    try content.write(to: URL(fileURLWithPath: path))
  }

  func unfinished() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: "\(blobs)/unfinished") }
}

func withTestFolder<Value>(
  in parent: String = FileManager.default.temporaryDirectory.path,
  _ body: (TestFolder) async throws -> Value
) async throws -> Value {
  let folder = TestFolder(path: "\(parent)/quintet-blobs-\(UUID().uuidString)")
  try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder.path) }
  return try await body(folder)
}

func withLocalBlobs(_ body: (LocalBlobs, TestFolder) async throws -> Void) async throws {
  try await withTestFolder { folder in
    try await body(LocalBlobs.open(folder.blobs), folder)
  }
}

extension BlobStorage {
  /// The whole content of a blob.
  func bytes(of hash: BlobHash) async throws -> [UInt8] {
    switch try await content(of: hash) {
    case .file(let path, _): return try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    case .object(let blob):
      var bytes: [UInt8] = []
      for try await chunk in blob.read(0..<blob.bytes) { bytes += chunk }
      return bytes
    }
  }
}

extension SeededGenerator {
  /// Random content, always the same for a seed.
  static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed &+ 0x9E37_79B9_7F4A_7C15
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }
}
