import Contracts
import Persistence
import ServiceKit
import Synchronization

/// Decides the bids on each auction serially: bids that arrive during a write wait, and are decided together in the
/// next transaction. A busy auction therefore has a single writer, and a thousand bids need only a few commits.
final class BidQueue: Sendable {
  struct PendingBid: Sendable {
    var id: BidID
    var bidder: UserID
    var maximum: Money
    var received: ReceiptTime
    var idempotencyKey: IdempotentRequest?
  }

  private struct Waiting {
    var bid: PendingBid
    var continuation: CheckedContinuation<BidReceipt, any Error>
  }

  private struct State {
    /// A lane exists while a task works on its auction.
    var queues: [AuctionID: [Waiting]] = [:]
    var count = 0
  }

  private let database: any Database
  private let limits: AuctionLimits
  private let state = Mutex(State())

  /// The maximum number of bids decided in one transaction.
  private static let batch = 256
  /// The maximum number of waiting bids, across all auctions.
  private static let capacity = 10_000

  init(database: any Database, limits: AuctionLimits) { (self.database, self.limits) = (database, limits) }

  /// Decides a bid.
  /// - Throws: ``Problem`` for a rejected bid, which changes nothing.
  func place(_ bid: PendingBid, on auction: AuctionID) async throws -> BidReceipt {
    try await withCheckedThrowingContinuation { continuation in
      let (isFull, isFirst) = state.withLock { state -> (Bool, Bool) in
        guard state.count < Self.capacity else { return (true, false) }
        state.count += 1
        let isFirst = state.queues[auction] == nil
        state.queues[auction, default: []].append(Waiting(bid: bid, continuation: continuation))
        return (false, isFirst)
      }
      if isFull { return continuation.resume(throwing: Problem(.overloaded, retryAfter: 1)) }
      if isFirst { Task { await Workload.shared { await work(on: auction) } } }
    }
  }

  private func work(on auction: AuctionID) async {
    while true {
      let batch = state.withLock { state -> [Waiting] in
        let waiting = state.queues[auction] ?? []
        guard !waiting.isEmpty else {
          state.queues[auction] = nil
          return []
        }
        let batch = waiting.prefix(Self.batch).sorted { $0.bid.received.at < $1.bid.received.at }
        state.queues[auction] = Array(waiting.dropFirst(batch.count))
        state.count -= batch.count
        return batch
      }
      guard !batch.isEmpty else { return }
      do {
        let bids = batch.map(\.bid)
        let bidders = Set(bids.map(\.bidder)).sorted { $0.rawValue < $1.rawValue }
        let refusals = try await database.read { [limits] db in
          try limits.refusals(of: bidders, on: auction, in: db)
        }
        let results = try await database.write { tx in
          try BidBatch.decide(bids, on: auction, refusing: refusals, in: tx)
        }
        for (waiting, verdict) in zip(batch, results) { waiting.continuation.resume(with: verdict.mapError { $0 }) }
      } catch {
        for waiting in batch { waiting.continuation.resume(throwing: error) }
      }
    }
  }
}
