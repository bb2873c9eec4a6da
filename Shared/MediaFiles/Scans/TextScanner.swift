/// Finds the text in pictures and PDF files.
public struct TextScanner: Sendable {
  /// The longer side in pixels to which pages are drawn: 300 dpi for A4, whatever size a file claims.
  private static let pageSide = 3508
  /// Fewer letters on a page are a number or a stamp on a photographed page, not its text.
  private static let minLetters = 16

  private let tools: ToolRunner
  private let limits: ToolLimits
  public let maxPages: Int
  private let maxPageBytes = 40_000

  /// - Parameters:
  ///   - maxPages: Of one file.
  ///   - seconds: For one page.
  public init(_ tools: ToolRunner, maxPages: Int = 300, seconds: Double = 120) {
    (self.tools, self.maxPages) = (tools, maxPages)
    limits = ToolLimits(
      time: .seconds(seconds), processorSeconds: Int(seconds.rounded(.up)) * 2, fileBytes: 256 << 20,
      outputBytes: 16 << 20)
  }

  /// The text that a PDF file contains as text, page by page; `nil` for pages that have none and must be recognized.
  ///
  /// - Throws: ``MediaFileError``: `invalidContent` for a damaged or encrypted file, `tooLarge` for too many pages.
  public func textLayer(of path: String, in folder: String) async throws -> [String?] {
    let last = "\(maxPages + 1)"
    let output = try await run(.pdftotext, ["-enc", "UTF-8", "-l", last, path, "-"], in: folder)
    // Each page ends with a form feed.
    let pages = String(decoding: output, as: UTF8.self).split(separator: "\u{0C}", omittingEmptySubsequences: false)
      .dropLast()
    guard !pages.isEmpty else { throw MediaFileError.invalidContent }
    guard pages.count <= maxPages else { throw MediaFileError.tooLarge }
    return pages.map { page in
      let text = Self.clean(page, maxBytes: maxPageBytes)
      return text.lazy.filter { $0.isLetter || $0.isNumber }.prefix(Self.minLetters).count < Self.minLetters
        ? nil : text
    }
  }

  /// Recognizes the text of one page of a PDF file.
  ///
  /// - Parameters:
  ///   - page: From 1.
  ///   - languages: Of tesseract, such as `eng` and `deu+eng`.
  public func recognize(page: Int, of path: String, languages: String, in folder: String) async throws
    -> RecognizedText
  {
    let size = ["-scale-to", "\(Self.pageSide)"]
    try await run(
      .pdftoppm, ["-f", "\(page)", "-l", "\(page)", "-singlefile", "-gray", "-png"] + size + [path, "./page"],
      in: folder)
    return try await recognize("./page.png", languages: languages, in: folder)
  }

  /// Recognizes the text of a picture in JPEG, PNG or WebP.
  public func recognize(_ path: String, languages: String, in folder: String) async throws -> RecognizedText {
    let output = try await run(.tesseract, [path, "stdout", "-l", languages, "tsv"], in: folder)
    return RecognizedText(tsv: String(decoding: output, as: UTF8.self), maxBytes: maxPageBytes)
  }

  @discardableResult
  private func run(_ tool: MediaTool, _ arguments: [String], in folder: String) async throws -> [UInt8] {
    do {
      return try await tools.run(tool, arguments, in: folder, limits: limits)
    } catch MediaFileError.failed(let tool, let text) {
      // A language that is not installed is no fault of the file.
      if text.contains("loading language") || text.contains("load any languages") {
        throw MediaFileError.failed(tool, text)
      }
      throw MediaFileError.invalidContent
    }
  }

  /// Without control characters, spaces at the ends of lines, and more than one empty line.
  static func clean(_ text: Substring, maxBytes: Int) -> String {
    var lines: [Substring] = []
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      var line = line
      while line.last?.isWhitespace == true { line.removeLast() }
      if line.isEmpty, lines.last?.isEmpty ?? true { continue }
      lines.append(line)
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    var clean = ""
    for scalar in lines.joined(separator: "\n").unicodeScalars {
      guard scalar == "\n" || scalar == "\t" || scalar.properties.generalCategory != .control else { continue }
      guard clean.utf8.count + 4 <= maxBytes else { break }
      clean.unicodeScalars.append(scalar)
    }
    return clean
  }
}
