import Foundation
import Synchronization
import TestKit
import Testing

@testable import BlobStorage

struct BlobVerificationTests {
  private final class Findings: Sendable {
    private let state = Mutex<[BlobHash: BlobVerification.Finding]>([:])
    var all: [BlobHash: BlobVerification.Finding] { state.withLock { $0 } }
    func add(_ hash: BlobHash, _ finding: BlobVerification.Finding) { state.withLock { $0[hash] = finding } }
  }

  /// Pages of expected hashes, as a database would return them.
  private func expecting(_ hashes: [BlobHash], pages: Int = .max)
    -> @Sendable (BlobHash?, Int) async throws -> [BlobHash]
  {
    let sorted = hashes.sorted()
    return { after, limit in
      Array(sorted.drop { hash in after.map { hash <= $0 } ?? false }.prefix(min(limit, pages)))
    }
  }

  private func hashes(_ count: Int, missing: Bool = false) throws -> [BlobHash] {
    try (0..<count).map { try TestFolder.hash(Array("\(missing ? "missing" : "stored") \($0)".utf8)) }
  }

  private func fill(_ storage: any BlobStorage, _ count: Int, _ folder: TestFolder) async throws -> [BlobHash] {
    for index in 0..<count { try await folder.store(Array("stored \(index)".utf8), in: storage) }
    return try hashes(count)
  }

  @Test func intactBlobsAreCounted() async throws {
    try await withLocalBlobs { blobs, folder in
      let stored = try await fill(blobs, 10, folder)
      let report = try await BlobVerification(of: blobs, expected: expecting(stored)).run()
      #expect(report == BlobVerification.Report(intact: 10, intactBytes: 80))
    }
  }

  @Test func damagedMissingAndUnexpectedBlobsAreFound() async throws {
    try await withLocalBlobs { blobs, folder in
      let stored = try await fill(blobs, 10, folder)
      try folder.damage(stored[2])
      let missing = try hashes(3, missing: true)
      let findings = Findings()
      let report = try await BlobVerification(of: blobs, expected: expecting(stored.dropLast() + missing))
        .run(finding: findings.add)
      #expect(
        report == BlobVerification.Report(intact: 9, intactBytes: 72, damaged: 1, missing: 3, unexpected: 1))
      var expected = Dictionary(uniqueKeysWithValues: missing.map { ($0, BlobVerification.Finding.missing) })
      expected[stored[2]] = .damaged
      #expect(findings.all == expected)
    }
  }

  @Test(arguments: [1, 7, 1000]) func pagesOfAnySizeAreCompared(pages: Int) async throws {
    try await withLocalBlobs { blobs, folder in
      let stored = try await fill(blobs, 450, folder)
      let missing = try hashes(450, missing: true)
      let report = try await BlobVerification(of: blobs, expected: expecting(stored + missing, pages: pages)).run()
      #expect(report.intact == 450)
      #expect(report.missing == 450)
      #expect(report.unexpected == 0)
    }
  }

  @Test func emptyStorageMissesEverything() async throws {
    try await withLocalBlobs { blobs, _ in
      let report = try await BlobVerification(of: blobs, expected: expecting(hashes(5))).run()
      #expect(report == BlobVerification.Report(missing: 5))
    }
  }

  @Test func aTruncatedFileIsDamaged() async throws {
    try await withLocalBlobs { blobs, folder in
      let stored = try await fill(blobs, 1, folder)
      try FileManager.default.removeItem(atPath: folder.path(of: stored[0]))
      try Data([1]).write(to: URL(fileURLWithPath: folder.path(of: stored[0])))
      #expect(try await BlobVerification(of: blobs, expected: expecting(stored)).run().damaged == 1)
    }
  }
}
