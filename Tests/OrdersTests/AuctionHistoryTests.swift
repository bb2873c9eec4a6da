import Contracts
import Foundation
import TestKit
import Testing

@testable import OrdersService

/// Auctions under concurrent use by two instances, as clients see them. `QUINTET_AUCTION_HISTORIES=200` checks 200
/// histories of 2,000 operations.
@Suite(.serialized)
struct AuctionHistoryTests {
  private static let histories = ProcessInfo.processInfo.environment["QUINTET_AUCTION_HISTORIES"].flatMap { Int($0) }
  private static let lanes = 12

  private enum Planned: Sendable {
    case bid(Int, Int64)
    case buyNow(Int)
    case cancel
    case advance(Double)
    /// Lets the auction end, and closes it on both instances.
    case end
  }

  /// Operations for each lane: at first everything that may end the auction without bids, then bids that rise, and at
  /// last the end, while others still bid.
  private static func plan(_ count: Int, _ number: Int, _ generator: inout SeededGenerator) -> [[Planned]] {
    var lanes = [[Planned]](repeating: [], count: lanes)
    let end = count * 9 / 10
    for index in 0..<count {
      let lane = index % Self.lanes
      // Only the seller cancels, so that it is done in one lane.
      if lane == 0, index < Self.lanes * 4, number % 3 == 1 {
        lanes[lane].append(.cancel)
      } else if index < Self.lanes * 2, number % 3 != 2, Bool.random(using: &generator) {
        lanes[lane].append(.buyNow(.random(in: 0..<20, using: &generator)))
      } else if lane == 1, (end..<end + Self.lanes).contains(index) {
        lanes[lane].append(.end)
      } else if Int.random(in: 0..<40, using: &generator) == 0 {
        lanes[lane].append(.advance(Double(Int.random(in: 10...500, using: &generator)) / 1000))
      } else {
        let amount = Int64.random(in: 50...(500 + Int64(index) * 300), using: &generator)
        lanes[lane].append(.bid(.random(in: 0..<20, using: &generator), amount))
      }
    }
    return lanes
  }

  @Test("Bids, raises, buy-now, cancel and close on two instances are linearizable")
  func concurrentUseIsLinearizable() async throws {
    var generator = SeededGenerator()
    // The same people win one auction after the other; their limits are not the auction's.
    let settings = ["limits.write": "0/1", "limits.read": "0/1", "orders.auctionStrikes": "100"]
    try await TwoInstances.run(settings: settings) { pair async throws in
      let host = pair.one
      let (seller, bidders) = (try await host.person(), try await host.people(20))
      for number in 0..<(Self.histories ?? 3) {
        let reserve = Bool.random(using: &generator) ? Int64.random(in: 100...9000, using: &generator) : nil
        let auction = try await host.auction(
          host.beat(seller, exclusive: 1_000_000), seller, start: 100, reserve: reserve, buyNow: 900_000, seconds: 100)
        let initial = try await host.stored(auction).state
        let recorder = AuctionRecorder(time: host.time)
        let lanes = Self.plan(Self.histories.map { _ in 2000 } ?? 300, number, &generator)
        _ = try await concurrently(lanes.enumerated().map { (number: $0, plan: $1) }) { lane in
          for (index, planned) in lane.plan.enumerated() {
            let instance = lane.number + index
            switch planned {
            case .bid(let bidder, let amount):
              try await recorder.bid(amount, by: pair.client(bidders[bidder], of: instance), auction)
            case .buyNow(let buyer): try await recorder.buyNow(pair.client(bidders[buyer], of: instance), auction)
            case .cancel: try await recorder.cancel(pair.client(seller, of: instance), auction)
            case .advance(let seconds): host.time.advance(seconds: seconds)
            case .end:
              host.time.advance(seconds: 200)
              async let one: Void = recorder.close(pair.one)
              async let two: Void = recorder.close(pair.two)
              _ = try await (one, two)
            }
          }
        }
        let history = try await recorder.history(of: auction, from: initial, host)
        #expect(history.final.status != .open, "\(generator)")
        do { #expect(try history.check() > 0, "\(generator)") } catch {
          Issue.record("history \(number) of \(generator): \(error)")
        }
        // Lets unpaid orders expire.
        try await pair.runOnce()
      }
      #expect(try await host.ledgerBalances(), "\(generator)")
    }
  }

  /// A history in which a receipt contradicts the order must be found out, or the check proves nothing.
  @Test func theCheckFindsContradictions() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada, bob) = (try await host.person(), try await host.person(), try await host.person())
      let auction = try await host.auction(host.beat(seller), seller)
      let initial = try await host.stored(auction).state
      let recorder = AuctionRecorder(time: host.time)
      try await recorder.bid(2000, by: ada, auction)
      try await recorder.bid(1050, by: bob, auction)
      try await recorder.bid(900, by: bob, auction)
      var history = try await recorder.history(of: auction, from: initial, host)
      #expect(try history.check() == 2)
      // The second bid was answered before the first was called.
      let right = history.operations
      history.operations[0].called = 100
      history.operations[0].answered = 101
      #expect(throws: AuctionHistory.Contradiction.self) { try history.check() }
      // A bid above the minimum is refused.
      history.operations = right
      history.operations[2].action = .bid(bob.id, 9000)
      #expect(throws: AuctionHistory.Contradiction.self) { try history.check() }
      // A bid is lost.
      history.operations = Array(right.dropFirst())
      #expect(throws: (any Error).self) { try history.check() }
    }
  }
}
