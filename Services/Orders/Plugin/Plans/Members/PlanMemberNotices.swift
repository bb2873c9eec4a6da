import Contracts
import Persistence
import ServiceKit

/// Reports the entitlements of a group plan's members after it has changed, a batch in each transaction, so that a big
/// plan does not hold the database.
struct PlanMemberNotices: Sendable {
  struct Work: Codable, Sendable {
    var subscription: SubscriptionID
    /// The last member of the batch before.
    var after: UserID?
  }

  static let kind = "plan-members"
  private static let batch = 200

  let pending: PendingJobs<Work>

  init(_ environment: ServiceEnvironment) { pending = PendingJobs(Self.kind, environment) }

  /// Has no effect for a plan without members.
  func add(_ subscription: SubscriptionID, in tx: Transaction) throws {
    guard try PlanMemberStore.count(of: subscription, in: tx) > 0 else { return }
    try pending.add(Work(subscription: subscription), id: Self.job(of: subscription), in: tx)
  }

  private static func job(of subscription: SubscriptionID) -> String { "plan-members-\(subscription)" }

  func worker(_ environment: ServiceEnvironment, _ transitions: SubscriptionTransitions) throws -> any Worker {
    let database = try environment.database
    return try DurableJobs<Work>(Self.kind, environment) { work, job in
      try await database.write { tx in
        guard try job.complete(in: tx), let subscription = try transitions.store.find(work.subscription, in: tx) else {
          return
        }
        let members = try PlanMemberStore.list(of: subscription.id, after: work.after, limit: Self.batch, in: tx)
        for member in members { try tx.record(transitions.entitlement(of: member.userID, from: subscription)) }
        guard members.count == Self.batch else { return }
        let rest = Work(subscription: subscription.id, after: members.last?.userID)
        try pending.add(rest, id: Self.job(of: subscription.id), in: tx)
      }
      return .done
    }
  }
}
