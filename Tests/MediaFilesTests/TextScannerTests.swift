import Foundation
import MediaFiles
import TestKit
import Testing

struct TextScannerTests {
  private let scanner = TextScanner(ToolRunner(), seconds: Waiting.limit)

  @Test func thePictureOfATextIsRead() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.picture(of: ["Mitochondria produce energy", "Ribosomes build proteins"])
      let found = try await scanner.recognize(path, languages: "eng", in: bench.folder)
      #expect(
        found.text.split(separator: "\n").joined(separator: " ")
          == "Mitochondria produce energy Ribosomes build proteins")
      #expect(found.confidence > 80)
    }
  }

  @Test func anEmptyPictureHasNoText() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.picture(of: [])
      let found = try await scanner.recognize(path, languages: "eng", in: bench.folder)
      #expect(found.text == "")
      #expect(found.confidence == 0)
    }
  }

  @Test func onlyPagesWithoutTextAreToBeRecognized() async throws {
    try await ConversionBench.run { bench in
      let picture = try bench.load(try await bench.picture(of: ["Enzymes speed up reactions"]))
      let path = try bench.save(
        PDF.bytes([
          .text(["The first page has text.", "On two lines."]), .jpeg(picture, width: 1200, height: 400),
          .text(["The third page has text, too."]),
        ]), "notes.pdf")
      let pages = try await scanner.textLayer(of: path, in: bench.folder)
      #expect(pages == ["The first page has text.\nOn two lines.", nil, "The third page has text, too."])
      let found = try await scanner.recognize(page: 2, of: path, languages: "eng", in: bench.folder)
      #expect(found.text == "Enzymes speed up reactions")
      #expect(found.confidence > 80)
    }
  }

  @Test func aDamagedFileIsRefused() async throws {
    try await ConversionBench.run { bench in
      let path = try bench.save("%PDF-1.4 and nothing else".utf8, "damaged.pdf")
      let error = try await mediaError { _ = try await scanner.textLayer(of: path, in: bench.folder) }
      #expect(error == .invalidContent)
    }
  }

  @Test func aFileWithTooManyPagesIsRefused() async throws {
    try await ConversionBench.run { bench in
      let path = try bench.save(PDF.bytes(Array(repeating: .empty, count: 4)), "long.pdf")
      let few = TextScanner(ToolRunner(), maxPages: 3, seconds: Waiting.limit)
      let error = try await mediaError { _ = try await few.textLayer(of: path, in: bench.folder) }
      #expect(error == .tooLarge)
    }
  }

  /// A page of 200 inches would have 3.6 gigapixels at 300 dpi.
  @Test func aHugePageIsDrawnSmall() async throws {
    try await ConversionBench.run { bench in
      let picture = try bench.load(try await bench.picture(of: ["Enzymes speed up reactions"]))
      let path = try bench.save(
        PDF.bytes([.jpeg(picture, width: 1200, height: 400)], width: 14_400, height: 14_400), "huge.pdf")
      let found = try await scanner.recognize(page: 1, of: path, languages: "eng", in: bench.folder)
      #expect(found.text == "Enzymes speed up reactions")
    }
  }

  @Test func confidenceIsTheMeanOfTheLetters() {
    let rows = [
      "5\t1\t1\t1\t1\t1\t0\t0\t9\t9\t90\tabc", "5\t1\t1\t1\t1\t2\t0\t0\t9\t9\t50\td",
      "5\t1\t1\t1\t2\t1\t0\t0\t9\t9\t90\tnext", "5\t1\t2\t1\t1\t1\t0\t0\t9\t9\t90\tblock",
      "5\t1\t2\t1\t1\t2\t0\t0\t9\t9\t95\t ", "4\t1\t2\t1\t1\t0\t0\t0\t9\t9\t-1\t",
    ]
    let found = RecognizedText(tsv: rows.joined(separator: "\n"))
    #expect(found.text == "abc d\nnext\n\nblock")
    #expect(found.confidence == 87)
  }
}
