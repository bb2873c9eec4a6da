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

  private struct State: ~Copyable {
    var reader: any StudyFileReader
    var count = 0
    /// The bytes that may still be stored.
    var room: Int
    var mediaCount: Int?
  }

  let format: StudyFormat
  private let state: Mutex<State>
  /// The folder in which a package is unpacked; outlives its reader.
  private let folder: TemporaryFile

  private static let maxCards = SetFilling.batch
  private static let maxSkips = 500
  private static let maxBytes = 4 << 20
  /// The longest time for a batch, because others wait for the thread.
  private static let maxTime = Duration.seconds(0.5)

  /// The cards of a small file can repeat a large text: they may take eight times its size.
  static func maxStoredBytes(_ fileSize: Int) -> Int { min(max(8 * fileSize, 64 << 20), 256 << 20) }

  /// Templates, which are not stored, take most of what is rendered.
  static func limits(_ fileSize: Int) -> StudyFileLimits {
    var limits = StudyFileLimits()
    limits.cards = RecordRules.maxRecords
    limits.tags = ImportedCard.maxTags
    limits.collectionBytes = 256 << 20
    limits.uncompressedBytes = 1 << 30
    limits.renderedBytes = 4 * Int64(maxStoredBytes(fileSize))
    return limits
  }

  /// - Parameters:
  ///   - size: Of the file, in bytes.
  ///   - room: How many bytes may be stored; by default, as the file's size allows.
  /// - Throws: ``StudyFileError``.
  init(_ path: String, folder: TemporaryFile, size: Int, room: Int? = nil) throws(StudyFileError) {
    self.folder = folder
    let limits = Self.limits(size)
    let reader: any StudyFileReader
    switch try StudyFileFormat.detect(path) {
    case .text: (format, reader) = (.txt, try TextFileReader(path, limits: limits))
    case .csv: (format, reader) = (.csv, try CSVFileReader(path, limits: limits))
    case .json: (format, reader) = (.json, try JSONFileReader(path, limits: limits))
    case .anki: (format, reader) = (.apkg, try AnkiPackageReader(path, folder: folder.path, limits: limits))
    }
    state = Mutex(State(reader: reader, room: room ?? Self.maxStoredBytes(size)))
  }

  /// The title of the file's set, complete after the last batch.
  var title: String? {
    state.withLock { state in
      (state.reader as? JSONFileReader)?.title ?? (state.reader as? AnkiPackageReader)?.title
    }
  }

  /// - Throws: ``StudyFileError``.
  func next() throws -> Batch {
    try state.withLock { state in
      var batch = Batch()
      var bytes = 0
      let end = ContinuousClock.now + Self.maxTime
      while batch.cards.count < Self.maxCards, batch.skips.count < Self.maxSkips, bytes < Self.maxBytes,
        ContinuousClock.now < end
      {
        guard let item = try state.reader.next() else {
          batch.isLast = true
          break
        }
        switch item {
        case .skipped(let skip): batch.skips.append(skip)
        case .card(let card, let position, let isDuplicate):
          state.count += 1
          if let imported = ImportedCard(card, ordinal: state.count) {
            bytes += imported.bytes
            state.room -= imported.bytes
            guard state.room >= 0 else { throw StudyFileError.tooLarge }
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
      guard let reader = state.reader as? AnkiPackageReader else { return 0 }
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
  /// The reason why a file cannot be imported.
  init(_ error: StudyFileError) {
    if let full = Problem(ofStorage: error) {
      self = full
    } else if error == .tooManyCards {
      self.init(.tooManyCards, detail: "A set can have \(RecordRules.maxRecords) cards.")
    } else {
      self.init(.unreadableFile, errors: [.init(location: "body", message: error.code)])
    }
  }
}
