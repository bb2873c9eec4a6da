import Foundation
import NIOCore
import NIOPosix
import SystemPackage

/// A file open for reading: it can be read after it has been removed, and is closed with the last reference.
final class OpenFile: Sendable {
  struct Truncated: Error {}

  let length: Int
  /// For the system's own copying from files to sockets.
  let handle: NIOFileHandle
  private let descriptor: SystemPackage.FileDescriptor
  private let held: (any Sendable)?

  private init(taking descriptor: SystemPackage.FileDescriptor, length: Int, holding held: (any Sendable)?) {
    (self.descriptor, self.length, self.held) = (descriptor, length, held)
    handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor.rawValue)
  }

  deinit { try? handle.close() }

  /// Opens a file, on a thread that may wait for the disk.
  ///
  /// - Parameter held: What is kept as long as the file is open.
  static func open(_ path: String, holding held: (any Sendable)? = nil) async throws -> OpenFile {
    try await NIOThreadPool.singleton.runIfActive {
      let descriptor = try SystemPackage.FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
      #if os(Linux)
        // The disk reads farther ahead of what is sent.
        posix_fadvise(descriptor.rawValue, 0, 0, POSIX_FADV_SEQUENTIAL)
      #endif
      do {
        return OpenFile(taking: descriptor, length: try Self.length(of: descriptor), holding: held)
      } catch {
        try? descriptor.close()
        throw error
      }
    }
  }

  /// Reads a range, which should be small, on a thread that may wait for the disk.
  ///
  /// - Throws: ``Truncated`` when the file ends before the range does.
  func read(_ range: Range<Int>) async throws -> ByteBuffer {
    try await NIOThreadPool.singleton.runIfActive {
      var buffer = ByteBufferAllocator().buffer(capacity: range.count)
      var offset = range.lowerBound
      while offset < range.upperBound {
        let read = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.upperBound - offset) { room in
          let wanted = UnsafeMutableRawBufferPointer(rebasing: room[..<(range.upperBound - offset)])
          return try self.descriptor.read(fromAbsoluteOffset: Int64(offset), into: wanted)
        }
        if read == 0 { throw Truncated() }
        offset += read
      }
      return buffer
    }
  }

  /// Whether the file is shorter than it was, up to this offset: the system then copies nothing without an error.
  func isTruncated(before offset: Int) -> Bool { (try? Self.length(of: descriptor)).map { $0 < offset } ?? true }

  private static func length(of descriptor: SystemPackage.FileDescriptor) throws -> Int {
    Int(try descriptor.seek(offset: 0, from: .end))
  }
}
