import Foundation
import TestKit
import Testing

@testable import StudyFiles

struct HostilePackageTests {
  /// The collection of a small package, and the package.
  static func sample(_ folder: String) throws -> (collection: [UInt8], package: [UInt8]) {
    let writer = try AnkiPackageWriter(
      folder + "/sample.apkg", title: "A::B", createdAt: 1_767_312_000_000, folder: folder)
    for index in 0..<20 {
      let review = StudyFileReview(time: 1_767_000_000_000 + Int64(index), rating: 3, interval: 86_400)
      let schedule = StudyFileSchedule(phase: .review, dueAt: 1, intervalDays: 1, stability: 2, reviews: [review])
      try writer.write(
        StudyFileCard(front: "front \(index)", back: "back\n\(index)", frontMedia: ["a.png"], schedule: schedule))
    }
    try save(Array("picture".utf8), folder + "/a.png")
    try writer.addMedia("a.png", path: folder + "/a.png")
    try writer.finish()
    let archive = try ZipArchive(folder + "/sample.apkg", limits: StudyFileLimits())
    let collection = try archive.content(try #require(archive.entry("collection.anki2")), maxBytes: 1 << 20)
    let package = try load(folder + "/sample.apkg")
    try FileManager.default.removeItem(atPath: folder + "/sample.apkg")
    try FileManager.default.removeItem(atPath: folder + "/a.png")
    return (collection, package)
  }

  /// Reads all of a package; its media go into the folder and are removed.
  @discardableResult
  static func read(_ package: [UInt8], _ folder: String, limits: StudyFileLimits = StudyFileLimits()) throws -> (
    Contents, [AnkiPackageReader.Media]
  ) {
    try save(package, folder + "/package")
    defer { try? FileManager.default.removeItem(atPath: folder + "/package") }
    let reader = try AnkiPackageReader(folder + "/package", folder: folder, limits: limits)
    let contents = try Contents(reader)
    var media: [AnkiPackageReader.Media] = []
    defer {
      for case .file(_, let path, _) in media { try? FileManager.default.removeItem(atPath: path) }
    }
    while let file = try reader.nextMedia(into: folder) { media.append(file) }
    return (contents, media)
  }

  private func package(_ folder: String, _ more: [RawZip.Entry], media: String? = nil) throws -> [UInt8] {
    var entries = [RawZip.Entry(name: "collection.anki2", content: try Self.sample(folder).collection)]
    if let media { entries.append(RawZip.Entry(name: "media", content: Array(media.utf8))) }
    return RawZip(entries: entries + more).bytes
  }

  @Test func aTruncatedPackageIsRefused() async throws {
    try await withFolder { folder in
      let package = try Self.sample(folder).package
      #expect(try Self.read(package, folder).0.cards.count == 20)
      for length in stride(from: 0, to: package.count, by: max(1, package.count / 300)) {
        #expect(failure { try Self.read(Array(package[..<length]), folder) } == .damagedPackage, "\(length)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
  }

  @Test func aTruncatedCollectionIsRefusedOrReported() async throws {
    try await withFolder { folder in
      let collection = try Self.sample(folder).collection
      for length in stride(from: 0, to: collection.count, by: 1000) {
        let zip = RawZip(entries: [RawZip.Entry(name: "collection.anki2", content: Array(collection[..<length]))])
        #expect(failure { try Self.read(zip.bytes, folder) } != nil, "\(length)")
      }
    }
  }

  @Test func tenGigabytesInTenMegabytesAreRefused() async throws {
    try await withFolder { folder in
      let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/anki_packages.py"
      try await Command.run([Python.path(), script, "bomb", folder + "/bomb"])
      #expect(try load(folder + "/bomb").count > 10_000_000)
      #expect(failure { _ = try AnkiPackageReader(folder + "/bomb", folder: folder) } == .tooLarge)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["bomb"])
    }
  }

  @Test func zstandardBombsAreRefused() async throws {
    try await withFolder { folder in
      func refusal(_ content: [UInt8], _ limits: StudyFileLimits = StudyFileLimits()) -> StudyFileError? {
        let zip = RawZip(entries: [RawZip.Entry(name: "collection.anki21b", content: content)])
        return failure { try Self.read(zip.bytes, folder, limits: limits) }
      }
      #expect(refusal(RawZstandard.zeros(10 << 30)) == .compressionBomb)
      #expect(refusal(RawZstandard.zeros(1000, windowLog: 31)) == .compressionBomb)
      #expect(refusal(RawZstandard.zeros(1000)) == .damagedCollection)
      #expect(refusal(Array(RawZstandard.zeros(1000).dropLast())) == .damagedPackage)
      var limits = StudyFileLimits()
      limits.collectionBytes = 100
      #expect(refusal(RawZstandard.zeros(1000), limits) == .tooLarge)
      limits = StudyFileLimits()
      limits.uncompressedBytes = 100
      #expect(refusal(RawZstandard.zeros(1000), limits) == .tooLarge)
    }
  }

  @Test func aListOfMediaThatExpandsIsRefused() async throws {
    try await withFolder { folder in
      let collection = RawZstandard.stored(try Self.sample(folder).collection)
      let zip = RawZip(entries: [
        RawZip.Entry(name: "collection.anki21b", content: collection),
        RawZip.Entry(name: "media", content: RawZstandard.zeros(1 << 30)),
      ])
      #expect(failure { try Self.read(zip.bytes, folder) } == .tooLarge)
    }
  }

  @Test func aListOfTooManyMediaIsRefused() async throws {
    try await withFolder { folder in
      var limits = StudyFileLimits()
      limits.entries = 50
      func list(_ count: Int) -> String {
        "{" + (0..<count).map { "\"\($0)\":\"\($0).png\"" }.joined(separator: ",") + "}"
      }
      let long = try package(folder, [], media: list(51))
      #expect(failure { try Self.read(long, folder, limits: limits) } == .tooManyEntries)
      let media = try Self.read(try package(folder, [], media: list(50)), folder, limits: limits).1
      #expect(media.count == 50)
    }
  }

  @Test func manyMediaAreListedInLinearTime() async throws {
    try await withFolder { folder in
      let list = "{" + (0..<70_000).map { "\"\($0)\":\"\($0).png\"" }.joined(separator: ",") + "}"
      let media = try Self.read(package(folder, [], media: list), folder).1
      #expect(media.count == 70_000)
    }
  }

  @Test func namesNeverLeaveTheFolder() async throws {
    try await withFolder { folder in
      let list = #"{"0":"../up.png","1":"/etc/passwd","2":"a\\b.png","3":"ok.png","4":"ok.png","5":"absent.png"}"#
      let files = (0...4).map { RawZip.Entry(name: String($0), content: Array("\($0)".utf8)) }
      let others = ["../evil", "/evil", "evil.txt", "3"].map { RawZip.Entry(name: $0, content: [1]) }
      let media = try Self.read(try package(folder, files + others, media: list), folder).1
      func skipped(_ name: String, _ reason: StudyFileSkipReason) -> AnkiPackageReader.Media {
        .skipped(StudyFileSkip(.entry(name), reason))
      }
      #expect(
        media == [
          skipped("../up.png", .unsafeName), skipped("/etc/passwd", .unsafeName), skipped("a\\b.png", .unsafeName),
          .file(name: "ok.png", path: folder + "/3", bytes: 1), skipped("ok.png", .duplicateName),
          skipped("absent.png", .missingFile), skipped("3", .duplicateName), skipped("evil.txt", .unknownEntry),
          skipped("/evil", .unsafeName), skipped("../evil", .unsafeName),
        ])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
  }

  @Test func badMediaFilesAreReportedAndTheOthersRead() async throws {
    try await withFolder { folder in
      var limits = StudyFileLimits()
      limits.mediaBytes = 1000
      let list = #"{"0":"link","1":"secret","2":"large","3":"changed","4":"unknown method","5":"good"}"#
      let files = [
        RawZip.Entry(name: "0", content: Array("/etc/passwd".utf8), mode: 0o120777),
        RawZip.Entry(name: "1", content: Array(repeating: 0, count: 50), flags: 1),
        RawZip.Entry(name: "2", content: Array(repeating: 0, count: 1001)),
        RawZip.Entry(name: "3", content: [1, 2, 3], checksum: 7),
        RawZip.Entry(name: "4", content: [1, 2, 3], method: 97),
        RawZip.Entry(name: "5", content: [1, 2, 3]),
      ]
      let media = try Self.read(try package(folder, files, media: list), folder, limits: limits).1
      let reasons = media.map { file -> StudyFileSkipReason? in
        if case .skipped(let skip) = file { return skip.reason }
        return nil
      }
      #expect(reasons == [.unreadableFile, .unreadableFile, .fileTooLarge, .unreadableFile, .unreadableFile, nil])
    }
  }

  @Test func anEncryptedOrLinkedCollectionIsRefused() async throws {
    try await withFolder { folder in
      for (flags, mode, error) in [
        (1, 0o100644, StudyFileError.encryptedPackage), (0, 0o120777, .damagedPackage), (0, 0o040755, .damagedPackage),
      ] as [(UInt16, UInt16, StudyFileError)] {
        let content = Array("0123456789abcdef".utf8)
        let zip = RawZip(entries: [
          RawZip.Entry(name: "collection.anki2", content: content, flags: flags, mode: mode)
        ])
        #expect(failure { try Self.read(zip.bytes, folder) } == error)
      }
    }
  }

  @Test func tooManyEntriesAreRefusedBeforeTheyAreRead() async throws {
    try await withFolder { folder in
      var limits = StudyFileLimits()
      limits.entries = 5
      let six = try package(folder, (0..<5).map { RawZip.Entry(name: "\($0)") })
      #expect(failure { try Self.read(six, folder, limits: limits) } == .tooManyEntries)
      limits.entries = 6
      #expect(try Self.read(six, folder, limits: limits).0.cards.count == 20)
      // The number is small, but the list is not.
      let long = try package(folder, (0..<4).map { RawZip.Entry(name: "\($0)" + String(repeating: "x", count: 200)) })
      #expect(failure { try Self.read(long, folder, limits: limits) } == .tooManyEntries)
      var claiming = RawZip(entries: [])
      claiming.claims = 60_000
      #expect(failure { try Self.read(claiming.bytes, folder) } == .damagedPackage)
      let ends = Array(repeating: RawZip(entries: []).bytes, count: 100).flatMap(\.self)
      #expect(failure { try Self.read(ends, folder) } == .damagedPackage)
    }
  }

  @Test func aPackageWithoutACollectionIsRefused() async throws {
    try await withFolder { folder in
      let zip = RawZip(entries: [RawZip.Entry(name: "media", content: Array("{}".utf8))])
      #expect(failure { try Self.read(zip.bytes, folder) } == .damagedPackage)
      #expect(failure { try Self.read([], folder) } == .damagedPackage)
    }
  }
}
