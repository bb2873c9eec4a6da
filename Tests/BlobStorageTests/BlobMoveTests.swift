import Foundation
import Synchronization
import TestKit
import Testing

@testable import BlobStorage

struct BlobMoveTests {
  private func fill(_ storage: any BlobStorage, from folder: TestFolder) async throws -> [BlobHash] {
    var hashes: [BlobHash] = []
    for index in 0..<20 {
      hashes.append(try await folder.store(SeededGenerator.bytes(index * 20_000, seed: UInt64(index)), in: storage))
    }
    return hashes.sorted()
  }

  private func withTwo(_ body: (LocalBlobs, LocalBlobs, TestFolder) async throws -> Void) async throws {
    try await withLocalBlobs { source, folder in
      let target = try await LocalBlobs.open("\(folder.path)/target")
      try await body(source, target, folder)
    }
  }

  @Test func contentIsEqualAfterTheWayToS3AndBack() async throws {
    try await withS3 { remote, _, folder in
      let local = try await LocalBlobs.open(folder.blobs)
      let back = try await LocalBlobs.open("\(folder.path)/back")
      let hashes = try await fill(local, from: folder)
      let there = try await BlobMove(from: local, to: remote, folder: folder.path).run()
      #expect(there.copied == 20)
      #expect(there.copiedBytes == (0..<20).map { Int64($0) * 20_000 }.reduce(0, +))
      #expect(try await BlobMove(from: remote, to: back, folder: folder.path).run().copied == 20)
      for hash in hashes { #expect(try await back.bytes(of: hash) == local.bytes(of: hash)) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["back", "blobs"])
    }
  }

  @Test func whatTheTargetHasIsNotCopiedAgain() async throws {
    try await withTwo { source, target, folder in
      _ = try await fill(source, from: folder)
      let move = BlobMove(from: source, to: target, folder: folder.path)
      _ = try await move.run()
      let report = try await move.run()
      #expect(report.copied == 0)
      #expect(report.present == 20)
    }
  }

  @Test func aMoveThatWasInterruptedCopiesTheRest() async throws {
    try await withTwo { source, target, folder in
      let hashes = try await fill(source, from: folder)
      _ = try await BlobMove(from: source, to: target, folder: folder.path).run()
      for hash in hashes[5..<9] { try await target.remove(hash) }
      #expect(try await BlobMove(from: source, to: target, folder: folder.path).run().copied == 4)
      #expect(try await target.list(after: nil, limit: 100).map(\.hash) == hashes)
    }
  }

  @Test func damagedBlobsAreReportedAndNotCopied() async throws {
    try await withTwo { source, target, folder in
      let hashes = try await fill(source, from: folder)
      try folder.damage(hashes[3])
      let damaged = Mutex<[BlobHash]>([])
      let report = try await BlobMove(from: source, to: target, folder: folder.path).run(damaged: { hash in
        damaged.withLock { $0.append(hash) }
      })
      #expect(report.copied == 19)
      #expect(report.damaged == 1)
      #expect(damaged.withLock { $0 } == [hashes[3]])
      #expect(try await target.size(of: hashes[3]) == nil)
    }
  }

  @Test func theSourceKeepsEverythingByDefault() async throws {
    try await withTwo { source, target, folder in
      let hashes = try await fill(source, from: folder)
      _ = try await BlobMove(from: source, to: target, folder: folder.path).run()
      #expect(try await source.list(after: nil, limit: 100).map(\.hash) == hashes)
    }
  }

  @Test func onlyWhatTheTargetHasIsRemovedFromTheSource() async throws {
    try await withTwo { source, target, folder in
      let hashes = try await fill(source, from: folder)
      try folder.damage(hashes[3])
      let report = try await BlobMove(
        from: source, to: target, folder: folder.path, removesFromSource: true
      ).run()
      #expect(report.removed == 19)
      #expect(try await source.list(after: nil, limit: 100).map(\.hash) == [hashes[3]])
      #expect(try await target.list(after: nil, limit: 100).count == 19)
    }
  }

  @Test func aTargetThatFailsStopsTheMoveWithItsError() async throws {
    try await withFaults { _, _ in
      .status("403 Forbidden")
    } _: { target, _, folder in
      let source = try await LocalBlobs.open(folder.blobs)
      try await folder.store([1], in: source)
      await #expect(throws: BlobStorageError.refused("403")) {
        try await BlobMove(from: source, to: target, folder: folder.path).run()
      }
      #expect(try await source.list(after: nil, limit: 1).count == 1)
    }
  }
}
