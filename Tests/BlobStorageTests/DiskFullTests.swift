import Foundation
import SystemPackage
import TestKit
import Testing

@testable import BlobStorage

struct DiskFullTests {
  /// The device on which every write fails for want of space.
  @Test func aCopyToAFullDiskIsFull() async throws {
    try await withTestFolder { folder in
      let (path, _) = try folder.file([1, 2, 3])
      let device = try FileDescriptor.open("/dev/full", .writeOnly)
      try device.closeAfter {
        _ = #expect(throws: BlobStorageError.full) { try BlobFile.copy(path, to: device) }
      }
    }
  }

  @Test(arguments: [
    (Errno.noSpace, BlobStorageError.full), (.diskQuotaExceeded, .full), (.fileTooLarge, .full),
    (.noSuchFileOrDirectory, .notFound), (.readOnlyFileSystem, .refused("Read-only file system")),
    (.ioError, .unavailable("Input/output error")),
  ])
  func errorsOfFilesAreThoseOfTheStorage(errno: Errno, error: BlobStorageError) {
    #expect(BlobStorageError(errno) == error)
  }

  /// Whether this process may mount a file system that is small enough; root in a container may not.
  private static var canMount: Bool {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let field = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }?.split(separator: "\t").last ?? ""
    // CAP_SYS_ADMIN (capabilities(7)).
    return (UInt64(field, radix: 16) ?? 0) >> 21 & 1 == 1
  }

  @Test(.enabled(if: canMount)) func aFullDiskLeavesNothing() async throws {
    try await withTestFolder { folder in
      let mount = "\(folder.path)/small"
      try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
      try await Command.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", mount])
      try await attempt {
        let blobs = try await LocalBlobs.open("\(mount)/blobs")
        let (path, hash) = try folder.file(SeededGenerator.bytes(5_000_000))
        await #expect(throws: BlobStorageError.full) { try await blobs.store(fileAt: path, as: hash) }
        #expect(try await blobs.size(of: hash) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(mount)/blobs/unfinished").isEmpty)
        #expect(FileManager.default.fileExists(atPath: path))
        let small = try await folder.store([1, 2, 3], in: blobs)
        #expect(try await blobs.bytes(of: small) == [1, 2, 3])
      } finally: {
        _ = try? await Command.run(["umount", mount])
      }
    }
  }
}
