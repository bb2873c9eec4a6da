import TestKit
import Testing

@testable import StudyFiles

/// Ten thousand files with changed bytes: each is read, or refused with a typed error.
struct MutationTests {
  private static func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let offset = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[offset] = [0, 1, 0x7F, 0x80, 0xFF, 10, 34][Int.random(in: 0..<7, using: &random)]
      case 1: bytes[offset] ^= 1 << Int.random(in: 0..<8, using: &random)
      case 2: bytes[offset] = .random(in: 0...255, using: &random)
      default: bytes.swapAt(offset, Int.random(in: 0..<bytes.count, using: &random))
      }
    }
    return bytes
  }

  private static func survive(_ count: Int, _ bytes: [UInt8], _ read: ([UInt8]) throws -> Void) throws {
    var random = SeededGenerator()
    for _ in 0..<count {
      let changed = mutated(bytes, &random)
      do { try read(changed) } catch let error as StudyFileError {
        #expect(!error.code.isEmpty)
      }
    }
  }

  @Test func packages() async throws {
    try await withFolder { folder in
      try Self.survive(2500, HostilePackageTests.sample(folder).package) { try HostilePackageTests.read($0, folder) }
    }
  }

  @Test func collections() async throws {
    try await withFolder { folder in
      try Self.survive(800, HostilePackageTests.sample(folder).collection) { bytes in
        try save(bytes, folder + "/changed")
        var limits = StudyFileLimits()
        limits.work = 1_000_000
        let collection = try AnkiCollection(folder + "/changed", limits: limits)
        var last: Int64?
        var work: Int64 = .max
        while let id = try collection.nextCard(after: last) {
          last = id
          guard let card = try collection.card(id), let note = try collection.note(card.note) else { continue }
          let noteType = try collection.noteType(note.noteType, work: &work)
          _ = noteType?.card(card.ordinal, of: note.fields, special: [:], limits: limits, work: &work)
        }
      }
    }
  }

  @Test func compressedLists() async throws {
    let list = (0..<5).flatMap { index -> [UInt8] in
      let name = Array("file \(index).png".utf8)
      let entry = [0x0A, UInt8(name.count)] + name + [0x10, 0x80, 0x01, 0x1A, 2, 7, 8]
      return [0x0A, UInt8(entry.count)] + entry
    }
    #expect(try AnkiMediaList(protobuf: list, maxCount: 10).files.map(\.size) == [128, 128, 128, 128, 128])
    try Self.survive(2500, RawZstandard.stored(list)) { bytes in
      let decoder = try ZstandardDecoder()
      var content: [UInt8] = []
      try decoder.decode(bytes) { (piece) throws(StudyFileError) in content += piece }
      try decoder.finish()
      _ = try AnkiMediaList(protobuf: content, maxCount: 10)
    }
  }

  @Test func templates() throws {
    let source = Array("{{#A}}<b>{{hint:A}}</b> &amp; {{cloze:T}}{{/A}}[sound:x]<img src='y'>{{c1::a::b}}".utf8)
    try Self.survive(2000, source) { bytes in
      let values = CardTemplate.Values(fields: ["A": bytes, "T": bytes], cloze: 1, isAnswer: false)
      var work: Int64 = .max
      let html = CardTemplate(bytes).render(values, maxBytes: 10_000, work: &work)
      _ = HTMLText(html ?? bytes)
    }
  }

  @Test(arguments: [StudyFileFormat.text, .csv, .json])
  func texts(_ format: StudyFileFormat) async throws {
    try await withFolder { folder in
      let path = folder + "/file"
      var cards = [StudyFileCard(front: "a \"quoted\"\nword", back: "täglich, 1; 2", tags: ["x", "y"])]
      cards += (0..<4).map { StudyFileCard(front: "f\($0)", back: "b") }
      switch format {
      case .csv:
        var writer = try CSVFileWriter(path)
        for card in cards { try writer.write(card) }
        try writer.finish()
      case .json:
        var writer = try JSONFileWriter(path, title: "t")
        for card in cards { try writer.write(card) }
        try writer.finish()
      default:
        var writer = try TextFileWriter(path)
        for card in cards { try writer.write(card) }
        try writer.finish()
      }
      try Self.survive(750, load(path)) { bytes in
        try save(bytes, path)
        _ = try? StudyFileFormat.detect(path)
        switch format {
        case .csv: _ = try Contents(CSVFileReader(path))
        case .json: _ = try Contents(JSONFileReader(path))
        default: _ = try Contents(TextFileReader(path))
        }
      }
    }
  }
}
