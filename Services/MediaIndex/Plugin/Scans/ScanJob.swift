import Contracts
import Logging
import MediaFiles
import Persistence
import ServiceKit

/// A step of a scan. Many short ones, instead of one for a whole file, let users take turns.
struct ScanWork: Codable, Sendable {
  static let kind = "scan-media"

  var media: MediaID
  /// A scan that failed can be started again.
  var run: Int
  /// Pages of a PDF file to recognize; none to examine the file.
  var pages: [Int] = []
  /// How often a program has ended unexpectedly.
  var toolFailures: Int?

  /// The job of one step; each step of a scan has its own.
  var job: String { "\(Self.kind):\(media)" + (pages.first.map { ":\($0)" } ?? "") }
}

struct ScanJob: Sendable {
  /// For what may be temporary.
  static let attempts = 60
  private static let pagesPerStep = 4
  /// The maximum size of a file: each step may have to load it.
  static let maxBytes: Int64 = 256 << 20

  let core: MediaCore
  let scans: ScanStore
  let steps: PendingJobs<ScanWork>
  let scanner: TextScanner
  let folders: ProcessingFolders
  let languages: String

  func run(_ work: ScanWork, _ job: Job) async throws -> DurableJobs<ScanWork>.Outcome {
    let (media, source) = try await core.database.read { [core, scans] db in
      let isScanned = try scans.isUnderWay(work.media, run: work.run, in: db)
      let media = try isScanned ? core.media.find(work.media, in: db)?.media : nil
      return (media, try media.flatMap { try Self.source(of: $0, in: db) })
    }
    guard let media, let source else { return .done }
    do {
      guard source.bytes <= Self.maxBytes else { throw MediaFileError.tooLarge }
      try await folders.with(job) { folder in
        let path = try await folders.path(of: core.blobs.content(of: source.blob), in: folder)
        if !work.pages.isEmpty {
          try await recognize(work, of: path, in: folder, job)
        } else if media.kind == .image {
          let found = try await scanner.recognize(path, languages: languages, in: folder)
          try await finish(
            work, [ScannedPage(page: 1, text: found.text, confidence: found.confidence)], pages: [nil], job)
        } else {
          try await examine(work, of: media.owner, path, in: folder, job)
        }
      }
    } catch {
      if Task.isCancelled { throw error }
      if let failures = ToolFailures.next(after: work.toolFailures, error) {
        try await tryAgain(work, after: failures, error, job)
        return .done
      }
      guard let failure = ToolFailures.failure(of: error, isLast: job.attempt >= Self.attempts) else { throw error }
      try await fail(work, failure, error, job)
    }
    return .done
  }

  /// The file whose text is recognized: of a picture the derived one, which is turned as it is shown and of a common
  /// format.
  static func source(of media: Media, in db: any Connection) throws -> MediaFile? {
    try media.kind == .image
      ? MediaFileStore.first(MediaFileName.picture, of: media.id, in: db)
      : MediaFileStore.find(MediaFileName.original, of: media.id, in: db)
  }

  // MARK: steps

  private func examine(
    _ work: ScanWork, of owner: UserID, _ path: String, in folder: String, _ job: Job
  ) async throws {
    let texts = try await scanner.textLayer(of: path, in: folder)
    let open = texts.indices.filter { texts[$0] == nil }.map { $0 + 1 }
    try await finish(work, [], pages: texts, job) { [steps] tx in
      for start in stride(from: 0, to: open.count, by: Self.pagesPerStep) {
        let some = Array(open[start..<min(start + Self.pagesPerStep, open.count)])
        let step = ScanWork(media: work.media, run: work.run, pages: some)
        try steps.add(step, id: step.job, person: owner, in: tx)
      }
    }
  }

  /// A page that cannot be read does not take the others with it.
  private func recognize(_ work: ScanWork, of path: String, in folder: String, _ job: Job) async throws {
    var pages: [ScannedPage] = []
    for page in work.pages {
      do {
        let found = try await scanner.recognize(page: page, of: path, languages: languages, in: folder)
        pages.append(ScannedPage(page: page, text: found.text, confidence: found.confidence))
      } catch MediaFileError.invalidContent {
        pages.append(ScannedPage(page: page, text: "", failure: .invalidContent))
      } catch MediaFileError.tooLarge {
        pages.append(ScannedPage(page: page, text: "", failure: .tooLarge))
      }
    }
    try await finish(work, pages, pages: nil, job)
  }

  /// Stores the result of a step.
  ///
  /// - Parameters:
  ///   - found: What was recognized.
  ///   - pages: All pages, when they are known by this step.
  private func finish(
    _ work: ScanWork, _ found: [ScannedPage], pages: [String?]?, _ job: Job,
    also more: @escaping @Sendable (Transaction) throws -> Void = { _ in }
  ) async throws {
    try await core.database.write { [core, scans] tx in
      let id = work.media
      guard try job.complete(in: tx), try scans.isUnderWay(id, run: work.run, in: tx) else { return }
      if let pages { try scans.examined(id, pages, in: tx) }
      for page in found { try scans.put(page, of: id, in: tx) }
      try scans.finishIfComplete(id, in: tx)
      try more(tx)
      try Self.report(id, core, scans, in: tx)
    }
  }

  private func tryAgain(_ work: ScanWork, after failures: Int, _ error: any Error, _ job: Job) async throws {
    core.logger.warning("a program failed", metadata: ["media": "\(work.media)", "error": "\(error)"])
    var work = work
    work.toolFailures = failures
    try await core.database.write { [steps, work] tx in
      guard try job.isClaimed(in: tx) else { return }
      let due = tx.now.advanced(bySeconds: ToolFailures.delay)
      try steps.add(work, id: job.id, person: job.person, dueAt: due, in: tx)
    }
  }

  private func fail(_ work: ScanWork, _ failure: MediaFailure, _ error: any Error, _ job: Job) async throws {
    core.logger.warning(
      "a scan failed",
      metadata: ["media": "\(work.media)", "failure": "\(failure.rawValue)", "error": "\(error)"])
    try await core.database.write { [core, scans] tx in
      guard try job.complete(in: tx), try scans.isUnderWay(work.media, run: work.run, in: tx) else { return }
      try scans.fail(work.media, failure, in: tx)
      try Self.report(work.media, core, scans, in: tx)
    }
  }

  static func report(_ id: MediaID, _ core: MediaCore, _ scans: ScanStore, in tx: Transaction) throws {
    guard let media = try core.media.find(id, in: tx)?.media, let scan = try scans.find(id, in: tx) else { return }
    let content = JSONValue.object([
      ("media", .string(id.rawValue)), ("state", .string(scan.state.rawValue)),
      ("failure", scan.failure.map { .string($0.rawValue) }), ("pages", scan.pages.map { .integer(Int64($0)) }),
      ("finishedPages", .integer(Int64(scan.finishedPages))),
    ])
    // For the owner only, as the scan is.
    try tx.record(RealtimeEvent(to: media.owner, "scan.changed", content))
  }
}
