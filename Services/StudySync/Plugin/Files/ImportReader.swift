import Contracts
import StudyFiles
import Synchronization

/// Reads a file in batches of cards; used on one thread at a time.
final class ImportReader: Sendable {
  struct Batch: Sendable {
    var cards: [ImportedCard] = []
    var duplicates = 0
    var skips: [StudyFileSkip] = []
    var isLast = false
  }

  private enum Reader {
    case text(TextFileReader)
    case csv(CSVFileReader)
    case json(JSONFileReader)
    case anki(AnkiPackageReader)
  }

  private struct State: ~Copyable {
    var reader: Reader
    var count = 0
    var mediaCount: Int?
  }

  let format: StudyFormat
  private let state: Mutex<State>
  /// Where a package is unpacked; outlives its reader.
  private let folder: TemporaryFile

  private static let maxCards = SetFilling.batch
  private static let maxSkips = 10_000
  private static let maxBytes = 4 << 20

  static let limits = {
    var limits = StudyFileLimits()
    limits.cards = RecordRules.maxRecords
    limits.tags = ImportedCard.maxTags
    limits.collectionBytes = 256 << 20
    limits.uncompressedBytes = 1 << 30
    return limits
  }()

  /// - Throws: ``StudyFileError``.
  init(_ path: String, folder: TemporaryFile) throws(StudyFileError) {
    self.folder = folder
    let reader: Reader
    switch try StudyFileFormat.detect(path) {
    case .text: (format, reader) = (.txt, .text(try TextFileReader(path, limits: Self.limits)))
    case .csv: (format, reader) = (.csv, .csv(try CSVFileReader(path, limits: Self.limits)))
    case .json: (format, reader) = (.json, .json(try JSONFileReader(path, limits: Self.limits)))
    case .anki:
      (format, reader) = (.apkg, .anki(try AnkiPackageReader(path, folder: folder.path, limits: Self.limits)))
    }
    state = Mutex(State(reader: reader))
  }

  /// The title of the file's set, complete after the last batch.
  var title: String? {
    state.withLock { state in
      switch state.reader {
      case .text, .csv: nil
      case .json(let reader): reader.title
      case .anki(let reader): reader.title
      }
    }
  }

  /// - Throws: ``StudyFileError``.
  func next() throws -> Batch {
    try state.withLock { state in
      var batch = Batch()
      var bytes = 0
      while batch.cards.count < Self.maxCards, batch.skips.count < Self.maxSkips, bytes < Self.maxBytes {
        guard let item = try Self.next(&state.reader) else {
          batch.isLast = true
          break
        }
        switch item {
        case .skipped(let skip): batch.skips.append(skip)
        case .card(let card, let position, let isDuplicate):
          bytes += card.front.utf8.count + card.back.utf8.count + 64 * (card.schedule?.reviews.count ?? 0)
          state.count += 1
          if let imported = ImportedCard(card, place: state.count) {
            batch.cards.append(imported)
            if isDuplicate { batch.duplicates += 1 }
          } else {
            batch.skips.append(StudyFileSkip(position, .tooLong))
          }
        }
      }
      return batch
    }
  }

  /// How many media files a package has, after its last card.
  func mediaCount() throws -> Int {
    try state.withLock { state in
      guard case .anki(let reader) = state.reader else { return 0 }
      var names: Set<String> = []
      while try reader.nextMedia(
        into: folder.path,
        where: { name in
          names.insert(name)
          return false
        }) != nil
      {}
      return names.count
    }
  }

  private static func next(_ reader: inout Reader) throws(StudyFileError) -> StudyFileItem? {
    switch reader {
    case .text(var text):
      defer { reader = .text(text) }
      return try text.next()
    case .csv(var csv):
      defer { reader = .csv(csv) }
      return try csv.next()
    case .json(var json):
      defer { reader = .json(json) }
      return try json.next()
    case .anki(let anki): return try anki.next()
    }
  }
}

/// Collects what was skipped.
struct SkippedParts: Sendable {
  private(set) var count = 0
  private(set) var parts: [SkippedPart] = []

  private static let maxParts = 100_000

  mutating func add(_ skip: StudyFileSkip) {
    count += 1
    let reason = skip.reason.rawValue
    switch skip.position {
    case .line(let line):
      if let last = parts.last, last.reason == reason, (last.lastLine ?? last.line) == line - 1 {
        parts[parts.count - 1].lastLine = line
      } else {
        append(SkippedPart(line: line, reason: reason))
      }
    case .card(let id): append(SkippedPart(card: id, reason: reason))
    case .note(let id): append(SkippedPart(note: id, reason: reason))
    case .entry(let name): append(SkippedPart(entry: name, reason: reason))
    }
  }

  private mutating func append(_ part: SkippedPart) {
    if parts.count < Self.maxParts { parts.append(part) }
  }
}

extension Problem {
  /// Why a file cannot be imported.
  init(_ error: StudyFileError) {
    if error == .tooManyCards {
      self.init(.tooManyCards, detail: "A set can have \(RecordRules.maxRecords) cards.")
    } else {
      self.init(.unreadableFile, errors: [.init(location: "body", message: error.code)])
    }
  }
}
