import Foundation
import TestKit

@testable import StudyFiles

/// A folder for the files of a test.
func withFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
  let folder = NSTemporaryDirectory() + "/study-files-\(UUID().uuidString)"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  return try await attempt {
    try await body(folder)
  } finally: {
    try? FileManager.default.removeItem(atPath: folder)
  }
}

/// Writes a new file. File systems write a file that replaces the content of another to the disk immediately.
func save(_ bytes: some Sequence<UInt8>, _ path: String) throws {
  unlink(path)
  try Data(bytes).write(to: URL(fileURLWithPath: path))
}

func load(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

/// The content of a file.
struct Contents: Equatable {
  var cards: [StudyFileCard] = []
  var skipped: [StudyFileSkip] = []
  var duplicates: [StudyFilePosition] = []
  var positions: [StudyFilePosition] = []

  init() {}

  init(_ reader: some StudyFileReader) throws {
    var reader = reader
    while let item = try reader.next() {
      switch item {
      case .card(let card, let position, let isDuplicate):
        cards.append(card)
        positions.append(position)
        if isDuplicate { duplicates.append(position) }
      case .skipped(let skip): skipped.append(skip)
      }
    }
  }

  var pairs: [[String]] { cards.map { [$0.front, $0.back] } }
}

func textContents(_ bytes: some Sequence<UInt8>, limits: StudyFileLimits = StudyFileLimits()) async throws -> Contents {
  try await withFolder { folder in
    try save(bytes, folder + "/file")
    return try Contents(TextFileReader(folder + "/file", limits: limits))
  }
}

func csvContents(_ text: String, limits: StudyFileLimits = StudyFileLimits()) async throws -> Contents {
  try await withFolder { folder in
    try save(text.utf8, folder + "/file")
    return try Contents(CSVFileReader(folder + "/file", limits: limits))
  }
}

func jsonContents(_ text: String, limits: StudyFileLimits = StudyFileLimits()) async throws -> Contents {
  try await withFolder { folder in
    try save(text.utf8, folder + "/file")
    return try Contents(JSONFileReader(folder + "/file", limits: limits))
  }
}

/// The error that a body throws.
func failure(_ body: () throws -> Void) -> StudyFileError? {
  do {
    try body()
    return nil
  } catch {
    return error as? StudyFileError
  }
}

extension SeededGenerator {
  private static let pieces = [
    "a", "Frage", "naïve", " ", "  ", "\t", ",", ";", "\"", "\"\"", "'", "#", "#separator:", "{{c1::x}}", "\\", "\\n",
    "<b>", "&amp;", "&", "日本語", "👩‍👩‍👧", "e\u{301}", "\u{FEFF}", "\u{B}", "\u{85}", "=1+1", "[sound:x]", "{", "[", "::",
    "\u{A0}x",
  ]

  /// A text that is not blank.
  mutating func text(_ more: [String] = []) -> String {
    let pieces = Self.pieces + more
    let count = Int.random(in: 0...8, using: &self)
    let parts = (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &self)] } + ["z"]
    return parts.shuffled(using: &self).joined()
  }
}
