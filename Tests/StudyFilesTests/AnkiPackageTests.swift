import Foundation
import TestKit
import Testing

@testable import StudyFiles

/// Packages are exchanged with the real libraries of Anki.
struct AnkiPackageTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("anki_packages.py").path

  /// The description of a collection by Anki's library.
  private struct Theirs: Decodable {
    struct Card: Decodable {
      var id: String
      var fields: [String]
      var tags: [String]
      /// The words that the sides show.
      var front: String
      var back: String
      var deck: String
      var type: Int
      var queue: Int
      /// Seconds since 1970.
      var dueAt: Int64?
      var interval: Int
      var factor: Int
      var repetitions: Int
      var lapses: Int
      var stability: Double?
      var difficulty: Double?
      var reviews: [[Int64]]
    }
    var cards: [Card]
    /// The SHA-256 of media files by their names.
    var media: [String: String]
  }

  private static func anki(_ arguments: String...) async throws -> Theirs {
    let output = try await Command.run([Python.path(), "-W", "ignore", script] + arguments)
    let json = try #require(output.split(separator: "\n").last)
    return try JSONDecoder().decode(Theirs.self, from: Data(json.utf8))
  }

  private static func sha256(_ path: String) async throws -> String {
    String(try await Command.run(["sha256sum", path]).prefix(64))
  }

  private func words(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private func expectSame(_ schedule: StudyFileSchedule?, _ theirs: Theirs.Card) throws {
    let schedule = try #require(schedule)
    let phases: [StudyFileSchedule.Phase] = [.new, .learning, .review, .relearning]
    #expect(schedule.phase == phases[theirs.type])
    #expect(schedule.isSuspended == (theirs.queue == -1))
    #expect(schedule.dueAt == theirs.dueAt.map { $0 * 1000 })
    #expect(schedule.intervalDays == theirs.interval)
    #expect(schedule.ease.map { Int(($0 * 1000).rounded()) } ?? 0 == theirs.factor)
    #expect(schedule.repetitions == theirs.repetitions)
    #expect(schedule.lapses == theirs.lapses)
    #expect(schedule.stability == theirs.stability)
    #expect(schedule.difficulty == theirs.difficulty)
    let rows = schedule.reviews.map {
      [
        $0.time, Int64($0.rating), Int64($0.duration), AnkiTiming.type($0.kind), AnkiTiming.interval($0.interval),
        AnkiTiming.interval($0.lastInterval),
      ]
    }
    #expect(rows == theirs.reviews)
  }

  private func expectSame(_ package: String, _ theirs: Theirs, in folder: String) async throws {
    let work = folder + "/work-" + URL(fileURLWithPath: package).lastPathComponent
    try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
    let reader = try AnkiPackageReader(package, folder: work)
    #expect(reader.title == "Languages")
    let contents = try Contents(reader)
    #expect(contents.skipped.isEmpty)
    #expect(contents.cards.count == theirs.cards.count)
    for (card, theirs) in zip(contents.cards, theirs.cards) {
      #expect(card.id == theirs.id)
      #expect(words(card.front) == theirs.front)
      #expect(words(card.back) == theirs.back)
      #expect(card.tags == theirs.tags)
      #expect(card.deck == theirs.deck)
      try expectSame(card.schedule, theirs)
    }
    let first = try #require(contents.cards.first)
    #expect(first.front == "Q & A bold\nsecond <line>")
    #expect(first.back == "answer\ntwo")
    #expect(first.backMedia == ["päris.png", "sound.mp3"])
    var media: [String: String] = [:]
    while let file = try reader.nextMedia(into: work) {
      guard case .file(let name, let path, _) = file else {
        Issue.record("\(file)")
        continue
      }
      media[name] = try await Self.sha256(path)
    }
    #expect(media == theirs.media)
  }

  @Test func packagesOfAnkiAndGenankiAreImported() async throws {
    try await withFolder { folder in
      let theirs = try await Self.anki("make", folder)
      #expect(Set(theirs.cards.map(\.type)).isSuperset(of: [0, 1, 2]))
      #expect(theirs.cards.contains { $0.queue == -1 })
      #expect(theirs.cards.filter { !$0.reviews.isEmpty }.count > 10)
      for format in ["latest", "legacy"] {
        try await expectSame("\(folder)/\(format).apkg", theirs, in: folder)
      }
      let reader = try AnkiPackageReader(folder + "/genanki.apkg", folder: folder)
      #expect(reader.title == "Capitals")
      let contents = try Contents(reader)
      #expect(contents.skipped.isEmpty)
      #expect(
        contents.cards
          == (0..<30).map {
            StudyFileCard(
              id: "guid\($0)", front: "Country \($0)", back: "City \($0)", tags: ["geo"], deck: "Capitals",
              backMedia: ["map.png"], schedule: StudyFileSchedule())
          })
      #expect(
        try reader.nextMedia(into: folder) == .file(name: "map.png", path: folder + "/0", bytes: 3004))
      #expect(try load(folder + "/0") == load(folder + "/map.png"))
      #expect(try reader.nextMedia(into: folder) == nil)
    }
  }

  private static let now: Int64 = 1_767_312_000_000

  private static func cards() -> [StudyFileCard] {
    let day: Int64 = 86_400
    // Two days behind the package's day, which begins at four o'clock.
    let dueDay = (now / 1000 / day * day + 4 * 3600 + 2 * day) * 1000
    let reviews = [
      StudyFileReview(time: now - 900_000_000, rating: 3, duration: 4000, kind: .learning, interval: 600),
      StudyFileReview(
        time: now - 800_000_000, rating: 1, duration: 6000, kind: .review, interval: 3 * day, lastInterval: day),
      StudyFileReview(time: now - 800_000_000, rating: 2, duration: 1, kind: .relearning, interval: 5 * day),
      StudyFileReview(time: now - 700_000_000, rating: 4, duration: 500, kind: .early, interval: 9 * day),
      StudyFileReview(time: now - 600_000_000, rating: 0, kind: .manual, interval: 8 * day),
    ]
    return [
      StudyFileCard(id: "new", front: "1 < 2 & \"3\"\n  two", back: "back\n\nlast"),
      StudyFileCard(
        id: "review", front: "[sound:none.mp3] {{c1::x}}", back: "b", tags: ["two words", "t"], deck: "A::B",
        schedule: StudyFileSchedule(
          phase: .review, dueAt: dueDay, intervalDays: 9, ease: 2.35, repetitions: 5, lapses: 1, stability: 12.5,
          difficulty: 4.25, reviews: reviews)),
      StudyFileCard(
        id: "learning", front: "l", back: "b", frontMedia: ["bild 1.png"], backMedia: ["ton.mp3"],
        schedule: StudyFileSchedule(phase: .learning, dueAt: now + 600_000, repetitions: 1)),
      StudyFileCard(
        id: "relearning", front: "r", back: "b",
        schedule: StudyFileSchedule(
          phase: .relearning, dueAt: now + 60_000, intervalDays: 1, ease: 2.5, repetitions: 9, lapses: 3)),
      StudyFileCard(
        id: "suspended", front: "s", back: "b",
        schedule: StudyFileSchedule(
          phase: .review, dueAt: dueDay - 30 * day * 1000, intervalDays: 40, ease: 1.3, isSuspended: true)),
    ]
  }

  private static func write(_ cards: [StudyFileCard], _ folder: String) throws -> String {
    try save(Array("picture".utf8) + (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }, folder + "/1.png")
    try save(Array("sound".utf8), folder + "/2.mp3")
    let writer = try AnkiPackageWriter(folder + "/out.apkg", title: "Mein Satz", createdAt: now, folder: folder)
    for card in cards { #expect(try writer.write(card) == nil) }
    #expect(try writer.addMedia("bild 1.png", path: folder + "/1.png"))
    #expect(try writer.addMedia("ton.mp3", path: folder + "/2.mp3"))
    #expect(try !writer.addMedia("ton.mp3", path: folder + "/1.png"))
    try writer.finish()
    return folder + "/out.apkg"
  }

  @Test func ankiImportsOurPackages() async throws {
    try await withFolder { folder in
      let cards = Self.cards()
      let theirs = try await Self.anki("open", Self.write(cards, folder))
      #expect(theirs.cards.count == cards.count)
      for (card, theirs) in zip(cards, theirs.cards) {
        #expect(card.id == theirs.id)
        #expect(words(card.front) == theirs.front)
        #expect(words(card.back) == theirs.back)
        #expect(theirs.deck == card.deck ?? "Mein Satz")
        var schedule = card.schedule ?? StudyFileSchedule()
        // Times are keys: the second of two reviews at the same millisecond gets the next.
        if schedule.reviews.count > 2 { schedule.reviews[2].time += 1 }
        try expectSame(schedule, theirs)
      }
      #expect(theirs.cards[1].tags == ["t", "two_words"])
      #expect(theirs.cards[0].fields == ["1 &lt; 2 &amp; &quot;3&quot;<br>&nbsp;&nbsp;two", "back<br><br>last"])
      #expect(
        theirs.cards[2].fields == ["l<br><img src=\"bild 1.png\">", "b<br>[sound:ton.mp3]"])
      #expect(
        theirs.media == [
          "bild 1.png": try await Self.sha256(folder + "/1.png"), "ton.mp3": try await Self.sha256(folder + "/2.mp3"),
        ])
    }
  }

  @Test func ourPackagesAreImportedUnchanged() async throws {
    try await withFolder { folder in
      let path = try Self.write(Self.cards(), folder)
      #expect(try StudyFileFormat.detect(path) == .anki)
      let reader = try AnkiPackageReader(path, folder: folder)
      var expected = Self.cards()
      for index in expected.indices {
        expected[index].deck = expected[index].deck ?? "Mein Satz"
        expected[index].schedule = expected[index].schedule ?? StudyFileSchedule()
      }
      expected[1].tags = ["two_words", "t"]
      expected[1].schedule?.reviews[2].time += 1
      #expect(try Contents(reader).cards == expected)
      #expect(
        try reader.nextMedia(into: folder, where: { $0 == "ton.mp3" })
          == .file(name: "ton.mp3", path: folder + "/1", bytes: 5))
      #expect(try reader.nextMedia(into: folder) == nil)
    }
  }

  @Test func randomTextsSurvive() async throws {
    try await withFolder { folder in
      var random = SeededGenerator()
      let cards = (0..<300).map { _ in
        // A no-break space is read as a space, and line breaks at the ends are not kept.
        let texts = (0..<2).map { _ in random.text(["x\ny"]).split(separator: "\u{A0}").joined() }
        return StudyFileCard(front: texts[0], back: texts[1])
      }
      let writer = try AnkiPackageWriter(folder + "/out.apkg", title: "t", createdAt: Self.now, folder: folder)
      for card in cards { try writer.write(card) }
      try writer.finish()
      let read = try Contents(AnkiPackageReader(folder + "/out.apkg", folder: folder))
      #expect(read.pairs == cards.map { [$0.front, $0.back] }, "\(random)")
    }
  }

  @Test(arguments: ["../x.png", "a/b.png", "", "..", "a\u{0}b", "con|x", String(repeating: "x", count: 256)])
  func unsafeNamesAreNotWritten(_ name: String) async throws {
    try await withFolder { folder in
      let writer = try AnkiPackageWriter(folder + "/out.apkg", title: "t", createdAt: Self.now, folder: folder)
      #expect(failure { try writer.addMedia(name, path: folder) } == .unrepresentable)
    }
  }

  @Test func anyNumberOfReviewsAtOneTimeIsWritten() async throws {
    try await withFolder { folder in
      let writer = try AnkiPackageWriter(folder + "/package", title: "A", createdAt: 1_767_312_000_000, folder: folder)
      let times: [Int64] = Array(repeating: 1_767_000_000_000, count: 3000) + (0..<3000).map { 1_767_000_000_000 + $0 }
      let schedule = StudyFileSchedule(
        phase: .review, dueAt: 1, reviews: times.map { StudyFileReview(time: $0, rating: 3) })
      try writer.write(StudyFileCard(front: "a", back: "b", schedule: schedule))
      try writer.finish()
      let read = try Contents(AnkiPackageReader(folder + "/package", folder: folder)).cards.first?.schedule?.reviews
      #expect(read?.map(\.time) == (0..<6000).map { 1_767_000_000_000 + $0 })
    }
  }

  @Test func temporaryFilesAreRemoved() async throws {
    try await withFolder { folder in
      let path = try Self.write(Self.cards(), folder)
      _ = try Contents(AnkiPackageReader(path, folder: folder))
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["1.png", "2.mp3", "out.apkg"])
    }
  }
}
