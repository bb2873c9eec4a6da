import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Erases the media of a deleted user, some at a time: one transaction for very many would hold up all others.
struct MediaErasure: Feature {
  private struct Work: Codable, Sendable {
    var user: UserID
  }

  private static let kind = "erase-media"
  private static let batch = 200

  let core: MediaCore
  private let jobs: DurableJobs<Work>
  private let pending: PendingJobs<Work>

  init(_ core: MediaCore) throws {
    self.core = core
    let pending = PendingJobs<Work>(Self.kind, core.environment)
    self.pending = pending
    jobs = try DurableJobs(Self.kind, core.environment) { work, job in
      try await core.database.write { tx in
        guard try job.complete(in: tx) else { return }
        try Self.eraseSome(of: work.user, core, then: pending, in: tx)
      }
      return .done
    }
  }

  var workers: [any Service] { [jobs] }

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let all = try core.media.list("owner_id = \(user)", limit: StorageSettings.absoluteMaxMedia, in: db)
    return [("media", try JSONValue(all.map { Exported(media: $0.media, app: $0.app, fileName: $0.fileName) }))]
  }

  private struct Exported: Encodable {
    var media: Media
    var app: ClientApp
    var fileName: String?
  }

  /// Media that nothing uses are removed. The rest stays without its owner while it is used: the buyers of a recording
  /// have paid for its files, and the services erase what uses the others themselves, which ends those uses.
  func erase(_ user: UserID, in tx: Transaction) throws { try Self.eraseSome(of: user, core, then: pending, in: tx) }

  /// The job that goes on belongs to no person, because it must outlive the deletion of the user's jobs.
  private static func eraseSome(
    of user: UserID, _ core: MediaCore, then pending: PendingJobs<Work>, in tx: Transaction
  ) throws {
    let some = try core.media.list("owner_id = \(user)", limit: batch, in: tx)
    for stored in some {
      if try core.removal.isUsed(stored.id, in: tx) {
        try core.removal.orphan(stored, in: tx)
      } else {
        try core.removal.remove(stored, in: tx)
      }
    }
    if some.count == batch { try pending.add(Work(user: user), id: "\(kind):\(user)", in: tx) }
    try StorageUseStore.erase(user, in: tx)
  }
}
