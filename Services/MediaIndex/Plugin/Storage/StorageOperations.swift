public import BlobStorage
import Contracts
import HTTPServing
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Removes what processes left behind that ended while they stored something.
struct StorageUpkeep: Feature {
  /// Longer than the slowest upload to a store takes, in seconds.
  private static let graceSeconds = 86_400.0

  let core: MediaCore

  var workers: [any Service] {
    [
      PeriodicTask("media.unfinished", per: .platform, every: .seconds(3600), logger: core.logger) {
        try await removeUnfinished()
      }
    ]
  }

  func removeUnfinished() async throws {
    let time = core.time.now().advanced(bySeconds: -Self.graceSeconds)
    let count = try await core.blobs.storage.removeUnfinished(before: time.unixSeconds)
    if count > 0 { core.logger.info("removed unfinished files", metadata: ["count": "\(count)"]) }
  }
}

extension MediaIndexPlugin {
  /// Copies all files of media to a storage, from the other one; it may be repeated. What is no longer named afterwards
  /// is collected a day later.
  ///
  /// - Parameters:
  ///   - removesFromSource: Only when no process uses the other storage any more.
  ///   - progress: Called now and then.
  ///   - damaged: Called for each file that is not copied, because its content is damaged.
  public func moveStorage(
    to target: MediaStorage,
    removesFromSource: Bool,
    progress: @Sendable (BlobMove.Report) -> Void,
    damaged: @Sendable (BlobHash) -> Void
  ) async throws -> BlobMove.Report {
    let source: MediaStorage = target == .s3 ? .local : .s3
    let folder = try core.environment.temporaryFiles.makeFolder()
    let destination = try await target.open(core.environment)
    let move = BlobMove(
      from: try await source.open(core.environment),
      to: destination,
      folder: folder.path,
      removesFromSource: removesFromSource
    )
    let report = try await move.run(progress: progress, damaged: damaged)
    // It is removed with the value that names it.
    withExtendedLifetime(folder) {}
    try await watchUnnamed(in: destination)
    return report
  }

  /// Reads all files of media, and compares them with their hashes and with those that the index names.
  ///
  /// - Parameter finding: Called for each damaged and missing file.
  public func verifyStorage(
    finding: @Sendable (BlobHash, BlobVerification.Finding) -> Void
  ) async throws -> BlobVerification.Report {
    let database = core.database
    let verification = BlobVerification(of: core.blobs.storage) { after, limit in
      try await database.read { db in try MediaFileStore.blobs(after: after, limit: limit, in: db) }
    }
    let report = try await verification.run(finding: finding)
    try await watchUnnamed(in: core.blobs.storage)
    return report
  }

  /// Lets the collector look at blobs that no file names, such as those that have lost their last name while they were
  /// copied: it only knows of those that this service has stored or released.
  private func watchUnnamed(in storage: any BlobStorage) async throws {
    let limit = 500
    var last: BlobHash?
    while case let page = try await storage.list(after: last, limit: limit).map(\.hash), let end = page.last {
      try await core.database.write { tx in
        let named = try MediaFileStore.named(page, in: tx)
        try BlobCheckStore.watch(page.filter { !named.contains($0) }, in: tx)
      }
      last = end
    }
  }
}
