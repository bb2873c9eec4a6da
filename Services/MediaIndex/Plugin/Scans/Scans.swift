import Contracts
import MediaFiles
import Persistence
import ServiceKit
import ServiceLifecycle

/// Text of pictures and PDF files, for their owners.
struct Scans: Feature {
  private let core: MediaCore
  private let scans: ScanStore
  private let steps: PendingJobs<ScanWork>
  private let jobs: LongJobs<ScanWork>

  init(_ core: MediaCore) throws {
    let environment = core.environment
    self.core = core
    scans = ScanStore(keys: environment.dataKeys)
    steps = PendingJobs(ScanWork.kind, environment)
    let tools = ToolRunner(searchPath: try environment.settings[ProcessingSettings.tools])
    let job = ScanJob(
      core: core, scans: scans, steps: steps, scanner: TextScanner(tools),
      folders: ProcessingFolders(environment), languages: try environment.settings[ScanSettings.languages])
    jobs = try LongJobs(
      ScanWork.kind, environment, concurrency: try environment.settings[ScanSettings.scans],
      attempts: ScanJob.attempts
    ) { try await job.run($0, $1) }
  }

  func register(in routes: inout Routes) {
    routes.on(MediaAPI.StartScan.self) { request, call in try await start(request.id, for: call.user.id) }
    routes.on(MediaAPI.GetScan.self) { request, call in try await get(request.id, for: call.user.id) }
    routes.on(MediaAPI.ListScannedPages.self) { request, call in
      try await list(request.id, request.page(by: ScanCursor.self), for: call.user.id)
    }
    routes.on(MediaAPI.ListScannedPagesOfUser.self) { request, _ in
      try await list(request.id, request.page(by: ScanCursor.self), for: request.user, whole: true)
    }
  }

  var workers: [any Service] { [jobs] }

  private func start(_ id: MediaID, for user: UserID) async throws -> Scan {
    try await core.database.write { [core, scans, steps] tx in
      let media = try Self.own(id, of: user, core, in: tx)
      if let scan = try scans.find(id, in: tx), scan.state != .failed { return scan }
      guard [.image, .document].contains(media.kind) else { throw Problem(.mediaNotScannable) }
      guard media.state == .ready, try ScanJob.source(of: media, in: tx) != nil else { throw Problem(.mediaNotReady) }
      let work = ScanWork(media: id, run: try scans.start(id, of: user, in: tx))
      try steps.add(work, id: work.job, person: user, in: tx)
      try ScanJob.report(id, core, scans, in: tx)
      return Scan(media: id, state: .queued)
    }
  }

  private func get(_ id: MediaID, for user: UserID) async throws -> Scan {
    try await core.database.read { [core, scans] db in
      _ = try Self.own(id, of: user, core, in: db)
      guard let scan = try scans.find(id, in: db) else { throw Problem(.scanNotFound) }
      return scan
    }
  }

  /// - Parameter isWhole: Whether pages that are still open would pass for the end of the media item.
  private func list(_ id: MediaID, _ page: PageRequest<ScanCursor>, for user: UserID, whole isWhole: Bool = false)
    async throws -> Page<ScannedPage>
  {
    try await core.database.read { [core, scans] db in
      _ = try Self.own(id, of: user, core, in: db)
      guard let scan = try scans.find(id, in: db) else { throw Problem(.scanNotFound) }
      if isWhole, scan.state != .ready {
        throw Problem(.mediaNotReady, detail: "The scan is in the state \(scan.state.rawValue).")
      }
      return try page.fetch(
        { after, limit in try scans.pages(of: id, after: after?.page ?? 0, limit: limit, in: db) },
        key: { ScanCursor(page: $0.page) }
      ).page
    }
  }

  private static func own(_ id: MediaID, of user: UserID, _ core: MediaCore, in db: any Connection) throws -> Media {
    let media = try core.media.get(id, in: db).media
    guard media.owner == user else { throw Problem(.mediaNotFound) }
    return media
  }

  // MARK: privacy

  private struct Exported: Encodable {
    var scan: Scan
    var pages: [ScannedPage]
  }

  /// Scans of the user's media are erased with the media.
  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let all = try scans.list(of: user, in: db).map { scan in
      Exported(scan: scan, pages: try scans.pages(of: scan.media, after: 0, limit: 1000, in: db))
    }
    return [("scans", try JSONValue(all))]
  }
}

/// The last page of a list of pages.
struct ScanCursor: PageCursor {
  var page: Int

  init(page: Int) { self.page = page }

  init?(cursor: String) {
    guard let page = Int(cursor), (1...100_000).contains(page) else { return nil }
    self.page = page
  }

  var cursor: String { "\(page)" }
}

enum ScanSettings {
  static let scans = Setting<Int>(
    "media.scans", default: 1, in: 1...64, "The number of scans that one instance runs at once")

  static let languages = Setting<String>(
    "media.scanLanguages", default: "eng", expects: "languages of tesseract, such as eng or deu+eng",
    "The languages of scanned text; each needs a package of tesseract"
  ) { text in
    let isValid = !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_" || $0 == "+") }
    return isValid ? text : nil
  }

  static let all: [any SettingDescription] = [scans, languages]
}
