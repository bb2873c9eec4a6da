import Contracts
import Foundation
import HTTPServing
import Persistence
import ServiceKit
import StudyFiles
import StudyModel
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct FileTests {
  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test(arguments: TestDatabase.allCases)
  func aTextFileBecomesASet(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      var phone = host.device(1, of: ada)
      try await phone.sync()
      let file = "\u{FEFF}aqua\r\nwater\r\nignis\r\nfire\r\naqua\r\nwater\r\nterra\r\n"
      let report = try await ada.importFile(file.utf8, title: "Latin")
      let set = try #require(report.set)
      let expected = StudyImport(
        set: set, format: .txt, imported: 3, duplicates: 1, skippedCount: 1,
        skipped: [SkippedPart(line: 7, reason: "missingAnswer")])
      #expect(report == expected)
      #expect(try await ada.set(set).title == "Latin")
      #expect(try await ada.set(set).cardCount == 3)
      #expect(try await ada.cards(set).map(\.front) == ["aqua", "ignis", "aqua"])
      #expect(try await ada.cards(set).map(\.back) == ["water", "fire", "water"])
      #expect(try await phone.sync().changes.count == 4)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func consecutiveSkippedLinesMakeOneItem(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let file = "front,back\na,b\n,x\n,y\n,z\nc,d\n,w\n"
      let report = try await ada.importFile(file.utf8)
      #expect(report.format == .csv)
      #expect(report.imported == 2)
      #expect(report.skippedCount == 4)
      #expect(
        report.skipped == [
          SkippedPart(line: 3, lastLine: 5, reason: "emptyFront"), SkippedPart(line: 7, reason: "emptyFront"),
        ])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func cardsAreAddedAtTheEndOfASet(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      try await ada.makeCard(set.id, "first")
      let report = try await ada.importFile("a\n1\nb\n2\n".utf8, set: set.id)
      #expect(report.set == set.id)
      #expect(try await ada.fronts(set.id) == ["first", "a", "b"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aRepeatedImportAddsNothing(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      let file = Array("a\n1\nb\n2\nc\n".utf8)
      let first = try await ada.importFile(file, set: set.id, key: "one")
      #expect(try await ada.importFile(file, set: set.id, key: "one") == first)
      // The answer was lost with the process, after the cards had been written.
      try await host.database.write { tx in _ = try tx.execute("DELETE FROM idempotency_keys") }
      #expect(try await ada.importFile(file, set: set.id, key: "one") == first)
      #expect(try await ada.fronts(set.id) == ["a", "b"])
      let made = try await ada.importFile(file, key: "two")
      try await host.database.write { tx in _ = try tx.execute("DELETE FROM idempotency_keys") }
      #expect(try await ada.importFile(file, key: "two") == made)
      #expect(try await ada.sets().count == 2)
      #expect(try await code { _ = try await ada.importFile("x\ny\n".utf8, key: "two") } == "idempotency-key-reused")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anUnreadableFileChangesNothing(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      try await ada.importFile((0..<1200).map { "q\($0)\na\($0)\n" }.joined().utf8, set: set.id)
      let package = try await ada.export(set.id, .apkg)
      let cards = (0..<1200).map { #"{"front":"f\#($0)","back":"b"}"# }.joined(separator: ",\n")
      let damaged: [[UInt8]] = [
        Array(package.prefix(package.count / 2)), Array(package.prefix(30)), [0, 1, 2, 3],
        Array(#"{"format":"quintet-study-set","version":1,"title":"x","cards":[\#(cards),"#.utf8),
      ]
      for file in damaged {
        for target in [nil, set.id] {
          let problem = try await problem { _ = try await ada.importFile(file, set: target) }
          #expect(problem?.code == "unreadable-file")
          #expect(problem?.errors?.first?.location == "body")
        }
      }
      #expect(try await ada.sets().map(\.cardCount) == [1200])
      #expect(try await host.count("SELECT COUNT(*) FROM unfinished_sets") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM sync_records") == 1201)
    }
  }

  @Test func aFileWithoutCardsMakesNoSet() async throws {
    try await StudyHost.unlimited { host async throws in
      let ada = try await host.member("ada")
      let report = try await ada.importFile("only a question\n".utf8)
      #expect(report.set == nil)
      #expect(report.skipped == [SkippedPart(line: 1, reason: "missingAnswer")])
      #expect(try await ada.sets() == [])
      #expect(try await code { _ = try await ada.importFile([]) } == "invalid-request")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aFormCarriesTheFile(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let form =
        "--x1\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nnot a card\r\n"
        + "--x1\r\nContent-Disposition: form-data; name=\"file\"; filename=\"latin.txt\"\r\n"
        + "Content-Type: text/plain\r\n\r\naqua\r\nwater\r\n--x1--\r\n"
      let response = try await host.test.send(
        .post, "/v1/study-sets/import?title=Forms", form, type: "multipart/form-data; boundary=x1", by: ada)
      #expect(response.status == 200)
      let report = try WireJSON.decode(StudyImport.self, from: response.body)
      #expect(try await ada.fronts(#require(report.set)) == ["aqua"])
      let broken = try await host.test.send(
        .post, "/v1/study-sets/import", String(form.dropLast(8)), type: "multipart/form-data; boundary=x1", by: ada)
      #expect(broken.status == 400)
      #expect(try await ada.sets().map(\.title) == ["Forms"])
    }
  }

  @Test func aFileOfMoreThan50MBIsRefused() async throws {
    try await StudyHost.unlimited { host async throws in
      let ada = try await host.member("ada")
      let file = [UInt8](repeating: 10, count: 50 << 20 | 1)
      #expect(try await code { _ = try await ada.importFile(file) } == "body-too-large")
    }
  }

  /// A file and a folder for each import are removed with it.
  @Test func noFilesRemain() async throws {
    try await StudyHost.unlimited { host async throws in
      let ada = try await host.member("ada")
      let set = try #require(try await ada.importFile("a\nb\n".utf8).set)
      for format in StudyFormat.allCases { _ = try await ada.export(set, format) }
      _ = try await code { _ = try await ada.importFile([0, 1, 2]) }
      // A response's file goes with the response, a moment after it was read.
      try await eventually("no files") {
        try FileManager.default.contentsOfDirectory(atPath: "\(host.test.folder)/temporary") == []
      }
    }
  }

  // MARK: export

  @Test(arguments: TestDatabase.allCases)
  func whatIsExportedIsImportedAgain(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet("Capitals & rivers")
      let texts = [("<b>France</b>", "Paris, \"la\" capitale"), ("a;b, c", "x & y < z"), ("line 1\nline 2", "🙂")]
      for (front, back) in texts { try await ada.makeCard(set.id, front, back) }
      for format in StudyFormat.allCases {
        let content = try await ada.client.send(StudyAPI.ExportSet(id: set.id, format: format))
        #expect(content.mediaType == format.mediaType)
        let report = try await ada.importFile(content.bytes)
        #expect(report.format == format)
        let cards = try await ada.cards(#require(report.set))
        #expect(cards.map(\.front) == texts.map(\.0))
        #expect(cards.map(\.back) == texts.map(\.1))
        let title = try await ada.set(#require(report.set)).title
        #expect(title == ([.txt, .csv].contains(format) ? "Imported cards" : "Capitals & rivers"))
      }
    }
  }

  @Test func theFileHasAName() async throws {
    try await StudyHost.unlimited { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet("Städte \"1\"/2")
      try await ada.makeCard(set.id, "a")
      let response = try await host.test.send(.get, "/v1/study-sets/\(set.id)/export?format=csv", by: ada)
      #expect(text(response.body) == "front,back,tags\r\na,back,\r\n")
      #expect(
        response.header("content-disposition")
          == "attachment; filename=\"St_dte _1__2.csv\"; filename*=UTF-8''St%C3%A4dte%20%221%22%2F2.csv")
      #expect(response.header("cache-control") == "no-store")
      let unknown = try await host.test.send(.get, "/v1/study-sets/\(set.id)/export?format=pdf", by: ada)
      #expect(unknown.status == 422)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func schedulesTravelInPackages(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet()
      let card = try await ada.makeCard(set.id, "aqua", "water")
      var phone = host.device(1, of: ada)
      var operations: [SyncOperation] = []
      for rating in [3, 3, 1, 3] {
        host.test.time.advance(seconds: 3 * 86_400)
        operations.append(
          phone.operation(
            .reviews, phone.newID(),
            [
              "at": .string(host.test.time.source.now().description), "milliseconds": 900, "utcOffsetMinutes": 0,
              "set": .string(set.id.rawValue), "card": .string(card.id.rawValue),
              "rating": .integer(Int64(rating)),
            ]))
      }
      try await phone.sync(operations)
      let package = try await ada.export(set.id, .apkg, schedule: true)
      let report = try await bob.importFile(package, schedule: true, key: "one")
      #expect(report.reviews == 4)
      let imported = try #require(report.set)
      let copy = try #require(try await bob.cards(imported).first)
      let states = try await host.database.read { db in
        (
          try CardStateStore.find([card.id], of: ada.id, in: db)[card.id],
          try CardStateStore.find([copy.id], of: bob.id, in: db)[copy.id]
        )
      }
      #expect(states.0?.memory.stability == states.1?.memory.stability)
      #expect(states.0?.memory.lastReview == states.1?.memory.lastReview)
      #expect(states.1?.memory.reps == 4)
      // Without `schedule`, neither is read nor written.
      #expect(try await bob.importFile(package).reviews == 0)
      let plain = try await ada.export(set.id, .apkg)
      #expect(try await bob.importFile(plain, schedule: true).reviews == 0)
      // Repeated after its answer was lost, nothing is counted twice.
      try await host.database.write { tx in _ = try tx.execute("DELETE FROM idempotency_keys") }
      #expect(try await bob.importFile(package, schedule: true, key: "one") == report)
      let reviews = try await host.count(
        "SELECT COUNT(*) FROM study_log WHERE user_id = \(bob.id) AND card_id IS NOT NULL")
      #expect(reviews == 4)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func namesOfMediaAreKept(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let json = """
        {"format":"quintet-study-set","version":1,"title":"Birds","cards":[
        {"front":"Which bird?","back":"A wren","frontMedia":["wren.jpg"],"backMedia":["wren.mp3"],"tags":["birds"],
         "deck":"Nature::Birds","id":"guid-1"}
        ]}
        """
      let set = try #require(try await ada.importFile(json.utf8).set)
      let card = try #require(try await ada.cards(set).first)
      let names = [CardMediaName(name: "wren.jpg", side: .front), CardMediaName(name: "wren.mp3", side: .back)]
      #expect(card.mediaNames == names)
      #expect(try await ada.set(set).title == "Birds")
      let exported = text(try await ada.export(set, .json))
      for part in ["wren.jpg", "wren.mp3", "Nature::Birds", "guid-1"] { #expect(exported.contains(part)) }
    }
  }

  @Test func storedMediaBecomeAttachments() throws {
    let media = MediaID.example
    let card = StudyFileCard(front: "a\u{7}", back: "b", frontMedia: ["known.png", "unknown.png"])
    let imported = try #require(ImportedCard(card, ordinal: 1, media: ["known.png": media]))
    let fields = SyncFields(imported.fields)
    #expect(fields["front"] == "a")
    #expect(fields["attachments"]?.elements.map { $0["media"]?.string } == [media.rawValue])
    #expect(fields["mediaNames"]?.elements.map { $0["name"]?.string } == ["unknown.png"])
  }

  @Test(arguments: TestDatabase.allCases)
  func twentyThousandCardsAreWrittenInSteps(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let file = (0..<20_000).map { "\"question, \($0)\",answer \($0)\r\n" }.joined()
      let report = try await ada.importFile(file.utf8, title: "Large")
      #expect(report.imported == 20_000)
      #expect(report.skipped == [])
      let set = try #require(report.set)
      #expect(try await ada.set(set).cardCount == 20_000)
      let exported = text(try await ada.export(set, .txt))
      let fronts = exported.split(separator: "\n").enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
      #expect(fronts.count == 20_000)
      #expect(fronts.first == "question, 0")
      #expect(fronts.last == "question, 19999")
    }
  }

  // MARK: bounds

  @Test func whatAnImportStoresIsBounded() async throws {
    try await TemporaryFolder.run { folder async throws in
      let path = folder + "/cards"
      let text = (0..<2000).map { "question \($0)\nanswer\n" }.joined()
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      func read(room: Int) throws -> Int {
        let unpacked = TemporaryFile(path: folder + "/unpacked")
        let reader = try ImportReader(path, folder: unpacked, size: text.utf8.count, room: room)
        var count = 0
        while true {
          let batch = try reader.next()
          count += batch.cards.count
          if batch.isLast { return count }
        }
      }
      #expect(throws: StudyFileError.tooLarge) { _ = try read(room: text.utf8.count) }
      #expect(try read(room: 100 * text.utf8.count) == 2000)
      #expect(ImportReader.maxStoredBytes(1 << 20) == 64 << 20)
      #expect(ImportReader.maxStoredBytes(20 << 20) == 160 << 20)
      #expect(ImportReader.maxStoredBytes(50 << 20) == 256 << 20)
    }
  }

  @Test func theSizeOfAnExportIsBounded() async throws {
    try await TemporaryFolder.run { folder async throws in
      for format in StudyFormat.allCases {
        let (file, parts) = (TemporaryFile(path: "\(folder)/\(format)"), "\(folder)/parts-\(format)")
        try FileManager.default.createDirectory(atPath: parts, withIntermediateDirectories: true)
        let writer = try ExportWriter(
          format, title: "a", description: "", now: 1_767_312_000_000, file: file, folder: TemporaryFile(path: parts),
          maxBytes: 6 << 20)
        let text = String(repeating: "x", count: 10_000)
        let cards = (0..<100).map { StudyFileCard(front: "\($0) \(text)", back: text) }
        try writer.write(cards)
        #expect(throws: StudyFileError.tooLarge) { for _ in 0..<10 { try writer.write(cards) } }
      }
    }
  }

  @Test func aSetThatAFormatCannotCarryIsTheCallersProblem() {
    #expect(Problem(exporting: .unrepresentable).code == "invalid-request")
    #expect(Problem(exporting: .tooLarge).code == "invalid-request")
    #expect(Problem(exporting: .inputOutput(28)).code == "storage-full")
    #expect(Problem(.inputOutput(28)).code == "storage-full")
  }

  @Test func anExportKeepsItsPlaceUntilItsFileIsGone() throws {
    let slots = CallerSlots(total: 10, perCaller: 1)
    var file: TemporaryFile? = TemporaryFile(
      path: NSTemporaryDirectory() + "/absent", holding: slots.take("ada", isGuest: false))
    #expect(slots.take("ada", isGuest: false) == nil)
    _ = try #require(file)
    file = nil
    _ = try #require(slots.take("ada", isGuest: false))
  }

  @Test func tooLongCardsAreReported() async throws {
    try await StudyHost.unlimited { host async throws in
      let ada = try await host.member("ada")
      let file = "a\nb\n\(String(repeating: "x", count: 20_001))\nc\n"
      let report = try await ada.importFile(file.utf8)
      #expect(report.imported == 1)
      #expect(report.skipped.map(\.reason) == ["tooLong"])
      #expect(report.skipped.map(\.line) == [3])
    }
  }
}
