import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Has the followers of a user notified when another service asks for it, a batch in each transaction. Those between whom
/// and the user there is a block are left out.
struct FollowerPushes: Feature {
  private struct Work: Codable, Sendable {
    var push: FollowersPushRequested
    /// The last follow of the batch before.
    var before: String?
  }

  private let pending: PendingJobs<Work>
  private let jobs: DurableJobs<Work>

  init(_ core: MatchingCore) throws {
    let pending = PendingJobs<Work>("follower-pushes", core.environment)
    self.pending = pending
    jobs = try DurableJobs("follower-pushes", core.environment) { work, job in
      try await core.database.write { tx in
        guard try job.complete(in: tx) else { return }
        let (push, limit) = (work.push, GroupPushRequested.maxUsers)
        let found = try FollowStore.list(
          .followers, of: push.userID, for: push.userID, before: work.before.flatMap { ID(cursor: $0) }, limit: limit,
          in: tx)
        guard let last = found.last else { return }
        try tx.record(
          GroupPushRequested(
            to: found.map(\.userID), about: push.topic, title: push.title, text: push.text, kind: push.kind))
        guard found.count == limit else { return }
        try pending.add(Work(push: push, before: last.id.cursor), id: job.id, person: push.userID, in: tx)
      }
      return .done
    }
  }

  var workers: [any Service] { [jobs] }

  func register(in routes: inout Routes) {
    routes.on(FollowersPushRequested.self) { event, tx in
      try pending.add(Work(push: event), person: event.userID, in: tx)
    }
  }
}
