import CurlClient
import Foundation
import HTTPTypes
import TestKit
import Testing

@testable import BlobStorage

/// Stored blobs are exchanged with boto3 through a double that checks every signature.
struct S3BlobsTests {
  private static let partBytes: Int64 = 5 << 20
  /// When `moto` says that every upload was begun: 2010-11-10T20:48:33Z.
  private static let begunAt: Int64 = 1_289_422_113

  private static func inParts(_ configuration: inout S3Configuration) { configuration.partBytes = partBytes }

  // MARK: exchanged with another client

  @Test(arguments: [0, 1, 1_000_000]) func anotherClientReadsWhatIsStored(count: Int) async throws {
    try await withS3 { blobs, double, folder in
      let content = SeededGenerator.bytes(count)
      let hash = try await folder.store(content, in: blobs)
      #expect(try await double.listing().keys == ["media/\(hash)"])
      try await double.boto3("get", "media/\(hash)", "\(folder.path)/theirs")
      #expect(try Array(Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/theirs"))) == content)
    }
  }

  @Test(arguments: [true, false]) func anotherClientReadsWhatIsStoredInParts(withChecksums: Bool) async throws {
    try await withS3 {
      $0.partBytes = Self.partBytes
      $0.usesChecksums = withChecksums
    } _: { blobs, double, folder in
      let content = SeededGenerator.bytes(2 * Int(Self.partBytes) + 12_345)
      let hash = try await folder.store(content, in: blobs)
      try await double.boto3("get", "media/\(hash)", "\(folder.path)/theirs")
      #expect(try Array(Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/theirs"))) == content)
      #expect(try await double.listing().uploads.isEmpty)
    }
  }

  @Test(arguments: [nil, "5242880"]) func whatAnotherClientStoresIsRead(part: String?) async throws {
    try await withS3 { blobs, double, folder in
      let content = SeededGenerator.bytes(12_000_000)
      let (path, hash) = try folder.file(content)
      if let part {
        try await double.boto3("put", "media/\(hash)", path, part)
      } else {
        try await double.boto3("put", "media/\(hash)", path)
      }
      #expect(try await blobs.size(of: hash) == 12_000_000)
      #expect(try await blobs.bytes(of: hash) == content)
    }
  }

  @Test(arguments: [0..<1, 0..<1000, 999..<1000, 500_000..<700_000, 0..<1_000_000, 7..<7])
  func rangesAreThoseThatAnotherClientReads(range: Range<Int64>) async throws {
    try await withS3 { blobs, double, folder in
      let content = SeededGenerator.bytes(1_000_000)
      let hash = try await folder.store(content, in: blobs)
      guard case .object(let object) = try await blobs.content(of: hash) else {
        Issue.record("not an object")
        return
      }
      var bytes: [UInt8] = []
      for try await chunk in object.read(range) { bytes += chunk }
      #expect(bytes == Array(content[Int(range.lowerBound)..<Int(range.upperBound)]))
      guard !range.isEmpty else { return }
      let theirs = try await double.boto3("range", "media/\(hash)", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")
      #expect(theirs == BlobHash.hex(bytes) + "\n")
    }
  }

  @Test func aBucketIsAddressedByItsHost() async throws {
    try await S3Double.running { double in
      let endpoint = double.url.replacing("127.0.0.1", with: "localhost")
      let configuration = try double.configuration(endpoint: endpoint, usesPathStyle: false)
      try await CurlClient.running { http in
        try await withTestFolder { folder in
          let blobs = S3Blobs(configuration, http: http, now: currentTime)
          let hash = try await folder.store([1, 2, 3], in: blobs)
          #expect(try await blobs.bytes(of: hash) == [1, 2, 3])
          #expect(try await double.listing().keys == ["media/\(hash)"])
        }
      }
    }
  }

  /// The double cannot check such signatures; ``S3SignerTests`` does.
  @Test func aSignedURLLoadsTheContentWithoutCredentials() async throws {
    try await withS3(checked: false) { blobs, double, folder in
      let hash = try await folder.store([1, 2, 3], in: blobs)
      guard case .object(let object) = try await blobs.content(of: hash) else {
        Issue.record("not an object")
        return
      }
      let url = object.url(validFor: 60, contentType: "audio/mpeg", disposition: "attachment; filename=\"a b.mp3\"")
      #expect(url.hasPrefix("\(double.url)/blobs/media/\(hash)?"))
      try await CurlClient.running { http in
        let response = try await http.send(
          ClientRequest(origin: double.url, target: String(url.dropFirst(double.url.count))))
        #expect(response.status == 200)
        #expect(try await response.body.collect(upTo: 10) == [1, 2, 3])
        #expect(response.headers[.contentType] == "audio/mpeg")
        #expect(response.headers[.contentDisposition] == "attachment; filename=\"a b.mp3\"")
      }
    }
  }

  // MARK: as storage

  @Test func whatIsNotStoredIsNotFound() async throws {
    try await withS3 { blobs, _, folder in
      let (_, hash) = try folder.file([1])
      #expect(try await blobs.size(of: hash) == nil)
      await #expect(throws: BlobStorageError.notFound) { try await blobs.content(of: hash) }
    }
  }

  @Test func contentStoredAgainIsNotSentAgain() async throws {
    try await S3Double.running { double in
      try await CurlClient.running { http in
        try await withTestFolder { folder in
          let blobs = S3Blobs(try double.configuration(), http: http, now: currentTime)
          try await folder.store([1, 2, 3], in: blobs)
          let before = http.statistics.requests
          try await folder.store([1, 2, 3], in: blobs)
          #expect(http.statistics.requests == before + 1)
        }
      }
    }
  }

  @Test func pagesListEachBlobOnceInOrder() async throws {
    try await withS3 { blobs, double, folder in
      var stored: [BlobHash] = []
      for index in 0..<25 { stored.append(try await folder.store(Array("\(index)".utf8), in: blobs)) }
      // Objects of others lie between.
      let (path, _) = try folder.file([0])
      for key in ["media/0", "media/7", "media/a/b", "media/zzz", "other"] { try await double.boto3("put", key, path) }
      var listed: [StoredBlob] = []
      while case let page = try await blobs.list(after: listed.last?.hash, limit: 4), !page.isEmpty {
        #expect(page.count <= 4)
        listed += page
      }
      #expect(listed.map(\.hash) == stored.sorted())
      #expect(listed.map(\.bytes).sum == (0..<25).map { Int64("\($0)".utf8.count) }.sum)
    }
  }

  @Test func removedBlobsAreGone() async throws {
    try await withS3 { blobs, _, folder in
      let hash = try await folder.store([1], in: blobs)
      try await blobs.remove(hash)
      #expect(try await blobs.size(of: hash) == nil)
      try await blobs.remove(hash)
    }
  }

  // MARK: faults

  @Test func aWrongSecretIsRefusedWithoutRepetition() async throws {
    try await S3Double.running { double in
      try await CurlClient.running { http in
        try await withTestFolder { folder in
          let configuration = try double.configuration(secretKey: "another")
          let blobs = S3Blobs(configuration, http: http, now: currentTime)
          await #expect(throws: BlobStorageError.refused("SignatureDoesNotMatch (403)")) {
            try await blobs.list(after: nil, limit: 1)
          }
          #expect(http.statistics.requests == 1)
        }
      }
    }
  }

  @Test func whatAProcessLeftBetweenPartsIsInvisibleAndRemoved() async throws {
    try await withS3(configure: Self.inParts) { blobs, double, folder in
      let (path, hash) = try folder.file(SeededGenerator.bytes(12_000_000))
      let upload = S3MultipartUpload(client: blobs.client, path: path, bytes: 12_000_000, hash: hash)
      let id = try await upload.begin()
      _ = try await upload.sendParts(id)
      #expect(try await blobs.size(of: hash) == nil)
      #expect(try await blobs.list(after: nil, limit: 10).isEmpty)
      #expect(try await blobs.removeUnfinished(before: Self.begunAt) == 0)
      #expect(try await double.listing().uploads == [id])
      #expect(try await blobs.removeUnfinished(before: Self.begunAt + 1) == 1)
      #expect(try await double.listing().uploads.isEmpty)
    }
  }

  @Test func aFileThatDoesNotHaveItsHashIsNotStoredInParts() async throws {
    try await withS3(configure: Self.inParts) { blobs, double, folder in
      let (path, _) = try folder.file(SeededGenerator.bytes(6_000_000))
      let (_, other) = try folder.file([1])
      await #expect(throws: BlobStorageError.damaged) { try await blobs.store(fileAt: path, as: other) }
      let listing = try await double.listing()
      #expect(listing.keys.isEmpty)
      #expect(listing.uploads.isEmpty)
    }
  }
}

extension Sequence where Element: AdditiveArithmetic {
  fileprivate var sum: Element { reduce(.zero, +) }
}
