import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Reports that many messages are gone, some at a time: the events of all of a user's messages in one transaction would
/// hold up all others.
struct MessageMediaEnds: Sendable {
  private struct Work: Codable, Sendable {
    var messages: [MessageID]
  }

  private static let kind = "end-message-media"
  private static let batch = 200

  private let jobs: DurableJobs<Work>
  private let pending: PendingJobs<Work>

  init(_ core: ConversationCore) throws {
    let database = core.database
    pending = PendingJobs(Self.kind, core.environment)
    jobs = try DurableJobs(Self.kind, core.environment) { work, job in
      try await database.write { tx in
        guard try job.complete(in: tx) else { return }
        try MessageMedia.reportDeleted(work.messages, in: tx)
      }
      return .done
    }
  }

  var worker: any Service { jobs }

  /// Reports the first messages now and the others by jobs, which belong to no person because they must outlive the
  /// deletion of the user's jobs.
  func report(_ messages: [MessageID], in tx: Transaction) throws {
    try MessageMedia.reportDeleted(Array(messages.prefix(Self.batch)), in: tx)
    for start in stride(from: Self.batch, to: messages.count, by: Self.batch) {
      let part = Array(messages[start..<min(start + Self.batch, messages.count)])
      try pending.add(Work(messages: part), in: tx)
    }
  }
}
