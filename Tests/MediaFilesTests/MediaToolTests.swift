import MediaFiles
import Testing

struct MediaToolTests {
  @Test func toolsAreNamedAsTheirPrograms() { #expect(MediaTool.pdftotext.rawValue == "pdftotext") }
}
