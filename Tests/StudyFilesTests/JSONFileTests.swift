import TestKit
import Testing

@testable import StudyFiles

struct JSONFileTests {
  @Test func anExportedFileIsImportedUnchanged() async throws {
    try await withFolder { folder in
      var random = SeededGenerator()
      for round in 0..<20 {
        let cards = (0..<30).map { index in
          let review = StudyFileReview(time: 1_700_000_000_000 + Int64(index), rating: 3, duration: 900, interval: 600)
          return StudyFileCard(
            id: "id \(index)", front: random.text(["\n", "\r\n"]), back: random.text(["\n"]), tags: [random.text()],
            deck: index % 2 == 0 ? "a::b" : nil, frontMedia: index % 3 == 0 ? ["p.png"] : [],
            schedule: index % 4 == 0
              ? StudyFileSchedule(
                phase: .review, dueAt: 1, intervalDays: 2, ease: 2.5, stability: 3.25, difficulty: 4.125,
                reviews: [review]) : nil)
        }
        var writer = try JSONFileWriter(folder + "/file", title: random.text(["\n"]), description: "d\(round)")
        for card in cards { try writer.write(card) }
        try writer.finish()
        var reader = try JSONFileReader(folder + "/file")
        var read: [StudyFileCard] = []
        while case .card(let card, _, _)? = try reader.next() { read.append(card) }
        #expect(read == cards, "\(random)")
        #expect(reader.description == "d\(round)")
        #expect(try StudyFileFormat.detect(folder + "/file") == .json)
      }
    }
  }

  @Test func propertiesMayHaveAnyOrderAndUnknownOnesAreIgnored() async throws {
    let text = """
      {"cards": [{"back": "b", "front": "a", "color": {"deep": [1, "]}"]}}], "other": [{}, "\\"", 1.5e3, null],
       "description": "d", "title": "t\\u00e9"}
      """
    try await withFolder { folder in
      try save(text.utf8, folder + "/file")
      var reader = try JSONFileReader(folder + "/file")
      #expect(try reader.next() == .card(StudyFileCard(front: "a", back: "b"), at: .line(1), isDuplicate: false))
      #expect(try reader.next() == nil)
      #expect(reader.title == "té")
      #expect(reader.description == "d")
    }
  }

  @Test func badCardsAreReportedByTheirLine() async throws {
    var limits = StudyFileLimits()
    limits.recordBytes = 200
    let text = """
      [
      {"front": "a", "back": "b"},
      {"front": "a"}, "text", 7,
      {"front": "x\\u0000", "back": "y"},
      {"front": tru, "back": "y"},
      {"front": "\(String(repeating: "x", count: 300))", "back": "y"},
      {"front": " ", "back": "y"}, {"front": "c", "back": "d"}
      ]
      """
    let contents = try await jsonContents(text, limits: limits)
    #expect(contents.pairs == [["a", "b"], ["c", "d"]])
    #expect(
      contents.skipped == [
        StudyFileSkip(.line(3), .invalidRecord), StudyFileSkip(.line(3), .invalidRecord),
        StudyFileSkip(.line(3), .invalidRecord), StudyFileSkip(.line(4), .invalidText),
        StudyFileSkip(.line(5), .invalidRecord), StudyFileSkip(.line(6), .tooLong),
        StudyFileSkip(.line(7), .emptyFront),
      ])
  }

  @Test(arguments: [
    "", "{", "[", "7", "{\"cards\":[", "{\"cards\":[{\"front\":\"a\"", "{\"cards\":[]", "[,]", "[1 2]", "{\"a\" 1}",
    "{\"a\":1}x", "{\"cards\":[]]", "{1:2}", "]",
  ])
  func damagedTextIsRefused(_ text: String) async throws {
    await #expect(throws: StudyFileError.damagedJSON(line: 1)) { try await jsonContents(text) }
  }

  @Test func deepNestingIsRefused() async throws {
    let text = "[\n" + String(repeating: "[", count: 100_000)
    await #expect(throws: StudyFileError.damagedJSON(line: 2)) { try await jsonContents(text) }
  }

  @Test func aNumberThatIsNotFiniteIsNotWritten() async throws {
    try await withFolder { folder in
      var writer = try JSONFileWriter(folder + "/file", title: "")
      let card = StudyFileCard(front: "a", back: "b", schedule: StudyFileSchedule(stability: .nan))
      #expect(failure { try writer.write(card) } == .unrepresentable)
    }
  }
}
