import Contracts
import Persistence
import ServiceKit

/// Cancellations for deleted accounts that were jobs of their own, before subscriptions stored what is wanted of them:
/// those that still waited at the update are taken over, so that no deleted user is charged.
enum EarlierCancellations {
  private struct Work: Codable, Sendable { var reference: String }

  static func worker(_ core: OrdersCore, _ workflow: SubscriptionWorkflow) throws -> any Worker {
    let ids = core.ids
    return try DurableJobs<Work>("subscription-end", core.environment) { work, job in
      let key = ids.text()
      try await workflow.database.write { tx in
        guard try job.complete(in: tx), var row = try workflow.store.find(.stripe, work.reference, in: tx),
          row.isLiving, row.change.map({ _ in false }) ?? true
        else { return }
        row.change = SubscriptionChange(key: key, kind: .cancel)
        try workflow.transitions.update(&row, in: tx)
        try workflow.schedule(row.id, in: tx, after: 0)
      }
      return .done
    }
  }
}
