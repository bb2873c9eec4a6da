import BlobStorage
import Contracts
import Crypto
import Persistence
import ServiceKit
import Threads

import struct SystemPackage.FileDescriptor

extension MediaBlobs {
  /// All bytes of a small blob.
  ///
  /// - Throws: ``Problem`` 503 when it cannot be read, or has more bytes than expected.
  func bytes(of hash: BlobHash, atMost limit: Int64) async throws -> [UInt8] {
    let content = try await content(of: hash)
    guard content.bytes <= limit else { throw Problem(.unavailable, detail: "The file is larger than expected.") }
    var bytes: [UInt8] = []
    switch content {
    case .file(let path, _):
      bytes = try await BlockingThreads.files.run { [capacity = Int(content.bytes)] in
        var bytes: [UInt8] = []
        bytes.reserveCapacity(capacity)
        try FileDescriptor.forEachChunk(of: path) { bytes += $0 }
        return bytes
      }
    case .object(let blob):
      for try await chunk in blob.read(0..<blob.bytes) { bytes += chunk }
    }
    guard bytes.count == Int(content.bytes) else { throw Problem(.unavailable, retryAfter: 5) }
    return bytes
  }
}

extension FileDescriptor {
  /// The SHA-256 of a file, and its length.
  static func hashed(_ path: String) async throws -> (hash: BlobHash, bytes: Int64) {
    try await BlockingThreads.files.run {
      var digest = SHA256(), bytes: Int64 = 0
      try forEachChunk(of: path) { chunk in
        digest.update(data: chunk)
        bytes += Int64(chunk.count)
      }
      return (BlobHash(digest.finalize()), bytes)
    }
  }

  /// Reads a file piece by piece; blocks the thread.
  fileprivate static func forEachChunk(of path: String, _ body: ([UInt8]) throws -> Void) throws {
    let file = try FileDescriptor.open(path, .readOnly)
    try file.closeAfter {
      while true {
        let chunk = try [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
          count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        if chunk.isEmpty { return }
        try body(chunk)
      }
    }
  }
}
