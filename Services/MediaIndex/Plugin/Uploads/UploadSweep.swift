import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle
import Threads

/// Removes uploads that have expired and files that belong to none, finishes what was left unfinished, and notices
/// uploads that another process has taken over.
struct UploadSweep: Sendable {
  private static let batch = 200

  let uploads: UploadCore
  let finisher: UploadFinisher

  var workers: [any Service] {
    let logger = uploads.core.logger
    return [
      uploads.threads, uploads.finishing,
      PeriodicTask("uploads.watch", every: .milliseconds(500), logger: logger) { try await watch() },
      PeriodicTask("uploads.sweep", every: .seconds(60), logger: logger) { try await sweep() },
      PeriodicTask("uploads.collect", every: .seconds(600), logger: logger) { try await collect() },
    ]
  }

  private func watch() async throws {
    let epochs = uploads.active.epochs
    if epochs.isEmpty { return }
    let stored = try await uploads.database.read { db in try UploadStore.epochs(of: Array(epochs.keys), in: db) }
    for (id, epoch) in epochs where stored[id] != epoch { uploads.active.supersede(id, in: epoch) }
  }

  private func sweep() async throws {
    while true {
      let gone = try await uploads.database.write { tx in
        let ids = try UploadStore.expired(limit: Self.batch, in: tx)
        try UploadStore.delete(ids, in: tx)
        return ids
      }
      try await uploads.removeFiles(of: gone)
      if gone.count < Self.batch { break }
    }
    try await finisher.finishAll()
  }

  /// A row precedes its file, so a file without an unfinished upload is one that a crash or an erased user has left.
  private func collect() async throws {
    var rest = Array(try await uploads.threads.run { [files = uploads.files] in try files.list() })
    while !rest.isEmpty {
      let some = Array(rest.prefix(Self.batch))
      rest.removeFirst(some.count)
      let known = try await uploads.database.read { db in try UploadStore.epochs(of: some, in: db) }
      try await uploads.removeFiles(of: some.filter { known[$0] == nil })
    }
  }
}
