import Foundation
import TestKit
import Testing

@testable import StudyFiles

struct HostileCollectionTests {
  /// Reads a collection that was changed by statements, without the archive around it.
  private func items(_ changes: [String], limits: StudyFileLimits = StudyFileLimits()) async throws -> Contents {
    try await withFolder { folder in
      try save(HostilePackageTests.sample(folder).collection, folder + "/changed")
      let file = try SQLiteFile(creating: folder + "/changed")
      for change in changes { try file.execute(change) }
      return try Self.contents(folder + "/changed", folder, limits: limits)
    }
  }

  static func contents(_ path: String, _ folder: String, limits: StudyFileLimits = StudyFileLimits()) throws -> Contents
  {
    let zip = RawZip(entries: [RawZip.Entry(name: "collection.anki2", content: try load(path))])
    return try HostilePackageTests.read(zip.bytes, folder, limits: limits).0
  }

  @Test(arguments: [
    ["ALTER TABLE notes RENAME TO others", "CREATE VIEW notes AS SELECT * FROM others"],
    ["ALTER TABLE cards RENAME TO others", "CREATE VIRTUAL TABLE cards USING fts4(nid, did, ord)"],
    ["DROP TABLE notes"], ["DROP TABLE col"], ["ALTER TABLE notes DROP COLUMN tags"],
    ["ALTER TABLE notes ADD COLUMN more TEXT AS (hex(zeroblob(1000000)))"],
    ["CREATE VIEW notetypes AS SELECT id, data AS config FROM notes"],
    ["DROP TABLE revlog", "CREATE VIEW revlog AS SELECT * FROM cards"],
  ])
  func aSchemaThatComputesIsRefused(_ changes: [String]) async throws {
    await #expect(throws: StudyFileError.unexpectedSchema) { try await items(changes) }
  }

  @Test(arguments: [
    ["DELETE FROM col"], ["UPDATE col SET models = '{'"], ["UPDATE col SET decks = x'00ff'"],
    ["UPDATE col SET crt = 'soon'"],
  ])
  func aDamagedHeadIsRefused(_ changes: [String]) async throws {
    await #expect(throws: StudyFileError.damagedCollection) { try await items(changes) }
  }

  @Test func rowsWithWrongValuesAreReported() async throws {
    let first: Int64 = 1_767_312_000_000
    let contents = try await items([
      "UPDATE cards SET due = 'never' WHERE id = \(first)",
      "UPDATE cards SET ord = 7 WHERE id = \(first + 1)",
      "UPDATE cards SET nid = 1 WHERE id = \(first + 2)",
      "UPDATE notes SET mid = 1 WHERE id = \(first + 3)",
      "UPDATE notes SET flds = CAST(x'ff1f62' AS TEXT) WHERE id = \(first + 4)",
      "UPDATE notes SET flds = '' WHERE id = \(first + 5)",
      "UPDATE notes SET flds = 'only front' WHERE id = \(first + 6)",
      "UPDATE notes SET flds = 12 WHERE id = \(first + 7)",
      "UPDATE notes SET flds = zeroblob(9000000) WHERE id = \(first + 8)",
      "UPDATE notes SET flds = hex(zeroblob(700000)) || char(31) || 'b' WHERE id = \(first + 9)",
      "UPDATE cards SET ord = -9223372036854775808 WHERE id = \(first + 10)",
      "UPDATE cards SET due = 9223372036854775807, ivl = -9223372036854775808 WHERE id = \(first + 11)",
      "UPDATE revlog SET ivl = -9223372036854775808, time = 9223372036854775807 WHERE cid = \(first + 12)",
      "UPDATE revlog SET ease = 9 WHERE cid = \(first + 13)",
      "UPDATE cards SET data = '{\"s\":' WHERE id = \(first + 14)",
    ])
    let reasons: [(Int64, StudyFileSkipReason)] = [
      (0, .invalidRecord), (1, .missingTemplate), (2, .missingNote), (3, .missingNoteType), (4, .invalidText),
      (5, .emptyFront), (6, .emptyBack), (7, .emptyBack), (8, .tooLong), (9, .tooLong), (10, .invalidRecord),
    ]
    #expect(
      contents.skipped == reasons.map { StudyFileSkip(.card(first + $0), $1) } + [
        StudyFileSkip(.note(first + 2), .noCards)
      ])
    #expect(contents.cards.count == 9)
    #expect(contents.cards.map { $0.schedule?.reviews.count } == [1, 1, 0, 1, 1, 1, 1, 1, 1])
  }

  @Test func reviewsWithoutAnIndexAreReported() async throws {
    let contents = try await items(["DROP INDEX ix_revlog_cid"])
    #expect(contents.skipped == [StudyFileSkip(.entry("revlog"), .reviewsWithoutIndex)])
    #expect(contents.cards.count == 20)
  }

  @Test func workIsBounded() async throws {
    var limits = StudyFileLimits()
    limits.work = 100_000
    let changes = [
      """
      WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 20000)
      INSERT INTO notes SELECT n, n, 0, 0, 0, '', '', '', 0, 0, '' FROM more
      """
    ]
    await #expect(throws: StudyFileError.workLimit) { try await items(changes, limits: limits) }
    #expect(try await items(changes).skipped.count == 20_000)
  }

  @Test func manyCardsOfALargeNoteAreBounded() async throws {
    var limits = StudyFileLimits()
    limits.renderedBytes = 300_000
    let changes = [
      "UPDATE notes SET flds = hex(zeroblob(10000)) || char(31) || 'b'",
      "UPDATE cards SET nid = (SELECT MIN(id) FROM notes)",
    ]
    await #expect(throws: StudyFileError.workLimit) { try await items(changes, limits: limits) }
    #expect(try await items(changes).cards.count == 20)
  }

  /// The note types as tables, as in schema 18; all have the same name, fields and template.
  private func tables(_ count: Int, template: String) -> [String] {
    let text = Array(template.utf8)
    let length = [UInt8(text.count & 0x7F | 0x80), UInt8(text.count >> 7 & 0x7F | 0x80), UInt8(text.count >> 14)]
    let config = ([0x0A] + length + text + [0x12, 0x05] + Array("{{B}}".utf8)).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    return [
      "CREATE TABLE notetypes (id INTEGER PRIMARY KEY, config BLOB)",
      "CREATE TABLE fields (ntid INTEGER, ord INTEGER, name TEXT)",
      "CREATE TABLE templates (ntid INTEGER, ord INTEGER, config BLOB)",
      "CREATE TABLE decks (id INTEGER PRIMARY KEY, name TEXT)",
      "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1)) "
        + "INSERT INTO notetypes SELECT i, x'' FROM n",
      "INSERT INTO fields SELECT id, 0, 'A' FROM notetypes",
      "INSERT INTO fields SELECT id, 1, 'B' FROM notetypes",
      "INSERT INTO templates SELECT id, 0, x'\(config)' FROM notetypes",
      "UPDATE notes SET mid = id % \(count)",
    ]
  }

  @Test func manyLargeNoteTypesAreBounded() async throws {
    let template = "{{A}}" + String(repeating: "<i></i>", count: 5000)
    var limits = StudyFileLimits()
    limits.renderedBytes = 4_000_000
    #expect(try await items(tables(1, template: template), limits: limits).cards.count == 20)
    // Each card needs another one, and they do not stay in memory.
    await #expect(throws: StudyFileError.workLimit) { try await items(tables(20, template: template), limits: limits) }
  }

  @Test func aNoteTypeOfTooManyBytesOrPartsMakesNoCards() async throws {
    for (bytes, template) in [(10_000, "{{A}}" + String(repeating: "x", count: 10_000)), (1 << 20, many)] {
      var limits = StudyFileLimits()
      limits.noteTypeBytes = bytes
      let contents = try await items(tables(1, template: template), limits: limits)
      #expect(contents.cards.isEmpty)
      #expect(contents.skipped.map(\.reason) == Array(repeating: .tooLong, count: 20))
    }
  }

  private var many: String { String(repeating: "{{A}}", count: 50_000) }

  @Test func longTagsOfManyCardsAreBounded() async throws {
    var limits = StudyFileLimits()
    limits.renderedBytes = 300_000
    let changes = [
      "UPDATE notes SET tags = hex(zeroblob(10000))", "UPDATE cards SET nid = (SELECT MIN(id) FROM notes)",
    ]
    await #expect(throws: StudyFileError.workLimit) { try await items(changes, limits: limits) }
    let contents = try await items(["UPDATE notes SET tags = replace(hex(zeroblob(400)), '00', 'a ')"])
    #expect(contents.skipped.map(\.reason) == Array(repeating: .tooManyTags, count: 20))
  }

  @Test func skippedCardsCountToo() async throws {
    var limits = StudyFileLimits()
    limits.cards = 9
    let changes = ["UPDATE notes SET flds = ''"]
    await #expect(throws: StudyFileError.tooManyCards) { try await items(changes, limits: limits) }
    limits.cards = 10
    #expect(try await items(changes, limits: limits).skipped.count == 20)
  }

  @Test func sqlInTheSchemaIsNotRun() async throws {
    let contents = try await items([
      "CREATE TRIGGER t AFTER INSERT ON cards BEGIN DELETE FROM notes; END",
      "CREATE VIEW extra AS SELECT load_extension('x')",
      "CREATE INDEX hostile ON revlog (hex(zeroblob(1000)))",
    ])
    #expect(contents.cards.count == 20)
  }

  @Test func otherContentIsRefused() async throws {
    try await withFolder { folder in
      try save(Array("not a database".utf8), folder + "/changed")
      #expect(failure { _ = try Self.contents(folder + "/changed", folder) } == .damagedCollection)
      try save([], folder + "/changed")
      #expect(failure { _ = try Self.contents(folder + "/changed", folder) } == .unexpectedSchema)
    }
  }
}
