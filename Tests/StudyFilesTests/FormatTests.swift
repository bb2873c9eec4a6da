import TestKit
import Testing

@testable import StudyFiles

struct FormatTests {
  @Test(arguments: [
    ("PK\u{3}\u{4}rest", StudyFileFormat.anki),
    ("  {\"cards\":[]}", .json), ("\u{FEFF}[{\"front\":1}]", .json),
    ("front,back\n", .csv), ("Question;Answer\n", .csv), ("#separator:tab\na\tb", .csv), ("a\tb\nc\td", .csv),
    ("a,b\nc,d\ne,f\n", .csv),
    ("What, exactly?\nThis.\nAnd that?\nNo, not that.\n", .text), ("[note]\n{x}\n", .text), ("", .text),
    ("a\nb", .text),
  ])
  func isRecognizedByContent(_ text: String, _ format: StudyFileFormat) async throws {
    try await withFolder { folder in
      try save(text.utf8, folder + "/file.bin")
      #expect(try StudyFileFormat.detect(folder + "/file.bin") == format)
    }
  }

  @Test func otherFilesAreRefused() async throws {
    try await withFolder { folder in
      try save(Array("SQLite format 3\0".utf8), folder + "/file.txt")
      #expect(failure { _ = try StudyFileFormat.detect(folder + "/file.txt") } == .unknownFormat)
      #expect(failure { _ = try StudyFileFormat.detect(folder + "/absent") } == .inputOutput(2))
    }
  }

  @Test func theReportCountsAllAndListsSome() {
    var report = ImportReport(listed: 2)
    report.record(.card(StudyFileCard(front: "a", back: "b"), at: .line(1), isDuplicate: false))
    report.record(.card(StudyFileCard(front: "a", back: "b"), at: .line(3), isDuplicate: true))
    for line in 5...7 { report.record(.skipped(StudyFileSkip(.line(line), .emptyBack))) }
    #expect(report.imported == 2)
    #expect(report.duplicates == 1)
    #expect(report.skippedCount == 3)
    #expect(report.skipped.map(\.position) == [.line(5), .line(6)])
  }
}
