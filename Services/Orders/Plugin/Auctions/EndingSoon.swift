import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Notifies bidders and watchers before an auction ends: once, by one job per auction. Extensions do not repeat it.
struct EndingSoon: Feature {
  private struct Work: Codable, Sendable { var auction: AuctionID }

  private let jobs: DurableJobs<Work>

  /// How long before the close, in seconds; a shorter auction is announced when it opens.
  static let seconds = 900.0

  init(_ core: OrdersCore) throws {
    jobs = try DurableJobs("auction-ending", core.environment, concurrency: 8) { work, job in
      try await core.database.write { tx in
        guard try job.complete(in: tx), let auction = try AuctionStore.find(work.auction, in: tx),
          auction.state.status(at: tx.now) == .open
        else { return }
        try AuctionNotices.endingSoon(auction, in: tx)
      }
      return .done
    }
  }

  var workers: [any Service] { [jobs] }

  /// Call it in the transaction that creates the auction.
  func schedule(_ auction: StoredAuction, in tx: Transaction) throws {
    let state = auction.state
    let dueAt = max(state.opensAt, state.closesAt.advanced(bySeconds: -Self.seconds))
    try jobs.add(Work(auction: auction.id), id: "auction-ending-\(auction.id)", dueAt: dueAt, in: tx)
  }
}
