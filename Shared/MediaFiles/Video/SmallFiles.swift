import Foundation
import SystemPackage
import Threads

/// Files of some KiB, which tools have written.
extension MediaConverter {
  static func remove(_ path: String) async throws {
    try await BlockingThreads.files.run { try? FileManager.default.removeItem(atPath: path) }
  }

  static func bytes(of path: String) async throws -> Int64 {
    try await BlockingThreads.files.run {
      guard let file = try? FileDescriptor.open(FilePath(path), .readOnly) else { return 0 }
      defer { try? file.close() }
      return (try? file.seek(offset: 0, from: .end)) ?? 0
    }
  }

  static func text(of path: String) async throws -> String {
    String(decoding: try await beginning(of: path, bytes: 8 << 20), as: UTF8.self)
  }

  static func beginning(of path: String, bytes: Int) async throws -> [UInt8] {
    try await BlockingThreads.files.run { try read(path, bytes) }
  }

  private static func read(_ path: String, _ bytes: Int) throws -> [UInt8] {
    let file = try FileDescriptor.open(FilePath(path), .readOnly)
    return try file.closeAfter {
      var content: [UInt8] = []
      while content.count < bytes {
        let piece = try [UInt8](unsafeUninitializedCapacity: min(65_536, bytes - content.count)) { buffer, count in
          count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        if piece.isEmpty { break }
        content += piece
      }
      return content
    }
  }

  static func write(_ content: [UInt8], to path: String) async throws {
    try await BlockingThreads.files.run {
      let file = try FileDescriptor.open(
        FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
      try file.closeAfter { _ = try file.writeAll(content) }
    }
  }
}
