import Contracts
import Foundation
import StudyFiles
import Synchronization

/// Writes a set to a file; used on one thread at a time.
final class ExportWriter: Sendable {
  private enum Writer {
    case text(TextFileWriter)
    case csv(CSVFileWriter)
    case json(JSONFileWriter)
    case anki(AnkiPackageWriter)
  }

  let file: TemporaryFile
  private let writer: Mutex<Writer>
  /// The folder in which a package is prepared; outlives its writer.
  private let folder: TemporaryFile
  private let maxBytes: Int

  /// - Parameters:
  ///   - now: In milliseconds since 1970.
  ///   - maxBytes: What the files may take, to within a few megabytes.
  init(
    _ format: StudyFormat, title: String, description: String, now: Int64, file: TemporaryFile, folder: TemporaryFile,
    maxBytes: Int = 256 << 20
  ) throws(StudyFileError) {
    (self.file, self.folder, self.maxBytes) = (file, folder, maxBytes)
    switch format {
    case .txt: writer = Mutex(.text(try TextFileWriter(file.path)))
    case .csv: writer = Mutex(.csv(try CSVFileWriter(file.path)))
    case .json: writer = Mutex(.json(try JSONFileWriter(file.path, title: title, description: description)))
    case .apkg:
      writer = Mutex(
        .anki(try AnkiPackageWriter(file.path, title: title, createdAt: now, folder: folder.path)))
    }
  }

  /// - Throws: ``StudyFileError``.
  func write(_ cards: [StudyFileCard]) throws {
    try writer.withLock { writer in
      for card in cards {
        switch writer {
        case .text(var text):
          defer { writer = .text(text) }
          try text.write(card)
        case .csv(var csv):
          defer { writer = .csv(csv) }
          try csv.write(card)
        case .json(var json):
          defer { writer = .json(json) }
          try json.write(card)
        case .anki(let anki): try anki.write(card)
        }
      }
    }
    try checkSize()
  }

  private func checkSize() throws {
    let parts = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let paths = [file.path] + parts.map { "\(folder.path)/\($0)" }
    let sizes = paths.map { (try? FileManager.default.attributesOfItem(atPath: $0))?[.size] as? Int ?? 0 }
    guard sizes.reduce(0, +) <= maxBytes else { throw StudyFileError.tooLarge }
  }

  /// - Throws: ``StudyFileError``.
  func finish() throws {
    try writer.withLock { writer in
      switch writer {
      case .text(var text): try text.finish()
      case .csv(var csv): try csv.finish()
      case .json(var json): try json.finish()
      case .anki(let anki): try anki.finish()
      }
    }
  }
}

extension StudyFormat {
  var mediaType: String {
    switch self {
    case .txt: "text/plain; charset=utf-8"
    case .csv: "text/csv; charset=utf-8"
    case .json: "application/json; charset=utf-8"
    case .apkg: "application/octet-stream"
    }
  }
}
