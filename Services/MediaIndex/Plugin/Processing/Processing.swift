import Contracts
import Logging
import MediaFiles
import Persistence
import ServiceKit
import ServiceLifecycle

/// Processes new media in the background, users in turn.
struct Processing: Feature {
  private static let collectionInterval = Duration.seconds(3600)

  private let core: MediaCore
  private let tools: ToolRunner
  private let jobs: [LongJobs<ProcessMedia>]
  private let folders: ProcessingFolders

  init(_ core: MediaCore) throws {
    let settings = core.environment.settings
    self.core = core
    tools = ToolRunner(searchPath: try settings[ProcessingSettings.tools])
    folders = ProcessingFolders(core.environment)
    let derivation = MediaDerivation(
      converter: try MediaConverter(settings, tools),
      pictures: PictureWork(core: core, processor: PictureProcessor(tools: tools)), folders: folders,
      limits: core.limits, previewTag: try settings[ProcessingSettings.previewTag]?.absolutePath)
    let processing = MediaProcessing(core: core, derivation: derivation, folders: folders)
    let concurrency = try settings[ProcessingSettings.conversions]
    jobs = try ProcessingQueues.kinds.map { kind in
      try LongJobs(kind, core.environment, concurrency: concurrency, attempts: MediaProcessing.attempts) {
        try await processing.run($0, $1)
      }
    }
  }

  /// Names the programs that are missing; what does not need them is served.
  func prepare() async throws {
    for tool in tools.missing {
      core.logger.error("a program is not installed", metadata: ["program": "\(tool.rawValue)"])
    }
  }

  var workers: [any Service] {
    jobs + [
      PeriodicTask("media.processing-folders", every: Self.collectionInterval, logger: core.logger) {
        [folders, database = core.database] in
        try await folders.collect(in: database)
      }
    ]
  }
}
