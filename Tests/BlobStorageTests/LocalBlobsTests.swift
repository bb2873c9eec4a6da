import BlobStorage
import Foundation
import TestKit
import Testing

struct LocalBlobsTests {
  @Test func storedContentIsRead() async throws {
    try await withLocalBlobs { blobs, folder in
      let (path, hash) = try folder.file(Array("content".utf8))
      try await blobs.store(fileAt: path, as: hash)
      #expect(try await blobs.bytes(of: hash) == Array("content".utf8))
      #expect(try await blobs.size(of: hash) == 7)
    }
  }

  @Test func theSourceIsMoved() async throws {
    try await withLocalBlobs { blobs, folder in
      let (path, hash) = try folder.file([1, 2, 3])
      try await blobs.store(fileAt: path, as: hash)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func theFileHasThePlaceOfItsHash() async throws {
    try await withLocalBlobs { blobs, folder in
      let hash = try await folder.store([1, 2, 3], in: blobs)
      guard case .file(let path, 3) = try await blobs.content(of: hash) else {
        Issue.record("not a file of three bytes")
        return
      }
      #expect(path == "\(folder.blobs)/\(hash.description.prefix(2))/\(hash.description.dropFirst(2))")
    }
  }

  @Test func sourcesOfOtherFileSystemsAreCopied() async throws {
    try await withLocalBlobs { blobs, folder in
      // On Linux, it is a file system in memory.
      try await withTestFolder(in: "/dev/shm") { elsewhere in
        let content = SeededGenerator.bytes(1_000_000)
        let (path, hash) = try elsewhere.file(content)
        try await blobs.store(fileAt: path, as: hash)
        #expect(try await blobs.bytes(of: hash) == content)
        #expect(try folder.unfinished().isEmpty)
      }
    }
  }

  @Test func concurrentStoresOfEqualContentAreOneBlob() async throws {
    try await withLocalBlobs { blobs, folder in
      let files = try (0..<50).map { _ in try folder.file(Array("equal".utf8)) }
      _ = try await concurrently(files) { try await blobs.store(fileAt: $0.path, as: $0.hash) }
      #expect(try await blobs.list(after: nil, limit: 10).map(\.hash) == [files[0].hash])
      #expect(try await blobs.bytes(of: files[0].hash) == Array("equal".utf8))
    }
  }

  @Test func contentStoredAgainMendsADamagedFile() async throws {
    try await withLocalBlobs { blobs, folder in
      let hash = try await folder.store(Array("content".utf8), in: blobs)
      try folder.damage(hash)
      try await folder.store(Array("content".utf8), in: blobs)
      #expect(try await blobs.bytes(of: hash) == Array("content".utf8))
    }
  }

  @Test func aFileWithAWrongHashReplacesNothing() async throws {
    try await withLocalBlobs { blobs, folder in
      let hash = try await folder.store(Array("content".utf8), in: blobs)
      let (path, _) = try folder.file(Array("another".utf8))
      await #expect(throws: BlobStorageError.damaged) { try await blobs.store(fileAt: path, as: hash) }
      #expect(try await blobs.bytes(of: hash) == Array("content".utf8))
    }
  }

  @Test func whatIsNotStoredIsNotFound() async throws {
    try await withLocalBlobs { blobs, folder in
      let (_, hash) = try folder.file([1])
      #expect(try await blobs.size(of: hash) == nil)
      await #expect(throws: BlobStorageError.notFound) { try await blobs.content(of: hash) }
    }
  }

  @Test func aFileThatIsMissingIsNotStored() async throws {
    try await withLocalBlobs { blobs, folder in
      let (path, hash) = try folder.file([1])
      try FileManager.default.removeItem(atPath: path)
      await #expect(throws: BlobStorageError.notFound) { try await blobs.store(fileAt: path, as: hash) }
    }
  }

  @Test func pagesListEachBlobOnceInOrder() async throws {
    try await withLocalBlobs { blobs, folder in
      var stored: [BlobHash] = []
      for index in 0..<300 { stored.append(try await folder.store(Array("\(index)".utf8), in: blobs)) }
      var listed: [BlobHash] = []
      while case let page = try await blobs.list(after: listed.last, limit: 7), !page.isEmpty {
        #expect(page.count <= 7)
        listed += page.map(\.hash)
      }
      #expect(listed == stored.sorted())
    }
  }

  @Test func aListStatesSizes() async throws {
    try await withLocalBlobs { blobs, folder in
      let hash = try await folder.store([1, 2, 3], in: blobs)
      #expect(
        try await blobs.list(after: nil, limit: 10) == [StoredBlob(hash: hash, bytes: 3)])
    }
  }

  @Test func removedBlobsAreGone() async throws {
    try await withLocalBlobs { blobs, folder in
      let hash = try await folder.store([1], in: blobs)
      try await blobs.remove(hash)
      #expect(try await blobs.size(of: hash) == nil)
      try await blobs.remove(hash)
    }
  }

  @Test func aCrashedCopyIsRemovedAtTheNextStart() async throws {
    try await withLocalBlobs { _, folder in
      try Data([1, 2]).write(to: URL(fileURLWithPath: "\(folder.blobs)/unfinished/left"))
      let blobs = try await LocalBlobs.open(folder.blobs)
      #expect(try folder.unfinished().isEmpty)
      #expect(try await blobs.list(after: nil, limit: 10).isEmpty)
    }
  }

  /// Another process that uses the same folder may start while a copy is written.
  @Test func aCopyInProgressIsNotRemoved() async throws {
    try await withLocalBlobs { blobs, folder in
      let path = "\(folder.blobs)/unfinished/held"
      try Data([1, 2]).write(to: URL(fileURLWithPath: path))
      let held = open(path, O_RDONLY)
      #expect(flock(held, LOCK_EX) == 0)
      #expect(try await blobs.removeUnfinished(before: 0) == 0)
      close(held)
      #expect(try await blobs.removeUnfinished(before: 0) == 1)
    }
  }

  @Test func storedFilesCannotBeWrittenByMistake() async throws {
    try await withLocalBlobs { blobs, folder in
      let hash = try await folder.store([1], in: blobs)
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(of: hash))
      #expect(attributes[.posixPermissions] as? Int == 0o440)
    }
  }
}
