import Contracts
import Foundation
import Persistence
import ServiceKit
import Synchronization
import TestKit

@testable import OrdersService

/// The operations of clients on one auction at the same time, and their results.
///
/// ``check()`` decides whether the history is linearizable (Herlihy and Wing 1990): there is an order of all operations
/// that respects real time, in which ``AuctionState``, as the sequential specification, gives the same answers. Accepted
/// operations have sequence numbers, so that only one order comes into question for them; an operation that was refused
/// changes nothing, so that it only needs a place between them.
struct AuctionHistory {
  enum Action: Sendable, Equatable {
    case bid(UserID, Int64)
    /// Orders at the buy-now price, which changes nothing.
    case buyNow(UserID)
    /// Pays that order, which ends the auction.
    case pay(UserID)
    case cancel
    /// Runs the job that closes the auction.
    case close
  }

  enum Answer: Sendable {
    case receipt(BidReceipt)
    /// The result of an action without a receipt.
    case done
    case refused(String)
  }

  struct Operation: Sendable {
    var action: Action
    var answer: Answer
    /// Moments in the order of all calls and answers.
    var called: Int
    var answered: Int
    /// The time of the test's clock.
    var calledAt: Timestamp
    var answeredAt: Timestamp
  }

  struct Contradiction: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  var seller: UserID
  var initial: AuctionState
  var final: AuctionState
  var operations: [Operation]
  var events: [AuctionEvent]
  /// The bids that others see; the other accepted ones are raises of the leader's maximum.
  var seen: Set<BidID>

  /// An accepted operation.
  private struct Step {
    var operation: Operation
    var sequence: Int64
    var isSeen: Bool
  }

  /// Replays the accepted operations, and finds a place for each of the others.
  /// - Returns: The number of accepted operations.
  func check() throws -> Int {
    let isBought = final.status == .sold && final.bidCount == 0
    let paid = operations.filter(\.isPaid)
    guard paid.count == (isBought ? 1 : 0) else { throw Contradiction("\(paid) are paid") }
    let steps = try accepted()
    var latestCall = -1
    var states = [initial]
    var names: [UserID: String] = [:]
    var expected: [AuctionEvent] = []
    for step in steps {
      let operation = step.operation
      guard operation.answered > latestCall else { throw Contradiction("\(operation) is before one that it preceded") }
      latestCall = max(latestCall, operation.called)
      let transition = try apply(step, to: states[states.count - 1])
      if case .bid(let bidder, _) = operation.action, names[bidder] == nil {
        names[bidder] = "bidder \(names.count + 1)"
      }
      if case .pay(let buyer) = operation.action { names[buyer] = "bidder 1" }
      if case .receipt(let receipt) = operation.answer, case .bid(let bidder, _) = operation.action {
        try compare(receipt, transition.state, bidder)
      }
      let number = Int(transition.state.sequence) - 1
      guard events.indices.contains(number) else { throw Contradiction("there is no event \(number + 1)") }
      let leader = transition.state.leader.flatMap { names[$0.bidder] }
      expected += transition.publicEvents(leader: leader, at: events[number].at)
      states.append(transition.state)
    }
    guard expected == events else { throw Contradiction("the events are\n\(events)\ninstead of\n\(expected)") }
    guard states[states.count - 1].isSame(as: final) else {
      throw Contradiction("the auction is\n\(final)\ninstead of\n\(states[states.count - 1])")
    }
    try placeOthers(steps, states)
    return steps.count
  }

  // MARK: accepted operations

  /// In the order of their sequence numbers; raises follow the bid whose number they keep, each higher than the last.
  private func accepted() throws -> [Step] {
    var steps = operations.compactMap { operation -> Step? in
      guard case .receipt(let receipt) = operation.answer else { return nil }
      return Step(operation: operation, sequence: receipt.sequence, isSeen: seen.contains(receipt.id))
    }
    steps.sort {
      ($0.sequence, $0.isSeen ? 0 : 1, $0.operation.amount) < ($1.sequence, $1.isSeen ? 0 : 1, $1.operation.amount)
    }
    if let end = try ending() { steps.append(end) }
    return steps
  }

  /// The operation that ended the auction. Repeated calls have no effect, so that the one that had it may be any of them.
  private func ending() throws -> Step? {
    guard let last = events.last, final.status != .open else { return nil }
    func isCause(_ action: Action) -> Bool {
      switch (last.kind, action) {
      case (.sold, .pay(let buyer)): final.bidCount == 0 && final.leader?.bidder == buyer
      case (.sold, .close): final.bidCount > 0
      case (.noBids, .close), (.reserveNotMet, .close), (.canceled, .cancel): true
      default: false
      }
    }
    let causes = operations.filter { operation in
      if case .done = operation.answer { isCause(operation.action) } else { false }
    }
    guard var cause = causes.first else { throw Contradiction("nothing ended the auction as \(last.kind)") }
    cause.called = causes.map(\.called).min() ?? cause.called
    cause.answered = causes.map(\.answered).max() ?? cause.answered
    return Step(operation: cause, sequence: last.sequence, isSeen: true)
  }

  private func apply(_ step: Step, to state: AuctionState) throws -> AuctionTransition {
    let number = Int(step.sequence) - 1
    guard events.indices.contains(number) else { throw Contradiction("there is no event \(number + 1)") }
    let at = events[number].at
    switch step.operation.action {
    case .bid(let bidder, let amount):
      // The time of a raise is stored nowhere; it only has to be before the end.
      let time = step.isSeen ? at : state.lastBidAt ?? step.operation.calledAt
      return try state.bidding(Money(amount, state.currency), by: bidder, at: time)
    case .pay(let buyer): return try state.buyingNow(by: buyer, at: final.closesAt)
    case .buyNow: throw Contradiction("an order at the buy-now price has changed the auction")
    case .cancel: return try state.canceling(at: at)
    case .close:
      guard let closed = state.closing(at: at) else { throw Contradiction("the auction closed before its end") }
      return closed
    }
  }

  private func compare(_ receipt: BidReceipt, _ state: AuctionState, _ bidder: UserID) throws {
    let isSame =
      receipt.sequence == state.sequence && receipt.price.amount == state.price
      && receipt.minNextBid.amount == state.minNextBid && receipt.reserveMet == state.reserveMet
      && receipt.closesAt == state.closesAt && receipt.isLeading == (state.leader?.bidder == bidder)
    guard isSame else { throw Contradiction("the receipt is\n\(receipt)\nbut the state is\n\(state)") }
  }

  // MARK: operations that change nothing

  /// Finds the earliest place for each operation that changes nothing, because it is refused or an order at the buy-now
  /// price, at which the specification answers in the same way: after the operations that had been answered before it
  /// was called, and before the accepted ones that were called after it was answered.
  private func placeOthers(_ steps: [Step], _ states: [AuctionState]) throws {
    var placed: [(answered: Int, index: Int)] = []
    for operation in operations.sorted(by: { $0.called < $1.called }) where operation.changesNothing {
      let after = steps.lastIndex { $0.operation.answered < operation.called }.map { $0 + 1 } ?? 0
      let before = steps.firstIndex { $0.operation.called > operation.answered } ?? steps.count
      let earliest = placed.filter { $0.answered < operation.called }.map(\.index).max() ?? 0
      let first = max(after, earliest)
      let index = first <= before ? (first...before).first { answers(operation, states[$0]) } : nil
      guard let index else {
        throw Contradiction("\(operation) is not answered so between \(first) and \(before) of \(steps.count)")
      }
      placed.append((operation.answered, index))
    }
  }

  /// Whether the specification answers an operation that changes nothing as it was answered.
  private func answers(_ operation: Operation, _ state: AuctionState) -> Bool {
    var expected: String?
    if case .refused(let code) = operation.answer { expected = code }
    return [operation.calledAt, operation.answeredAt].contains { now in
      do throws(Problem) {
        switch operation.action {
        case .bid(let bidder, let amount): _ = try state.bidding(Money(amount, state.currency), by: bidder, at: now)
        case .buyNow(let buyer): _ = try state.buyingNow(by: buyer, at: now)
        case .pay(let buyer):
          // The order's own refusals are not those of the auction.
          do throws(Problem) { _ = try state.buyingNow(by: buyer, at: now) } catch { return true }
        case .cancel: _ = try state.canceling(at: now)
        case .close: return false
        }
        return expected == nil
      } catch { return error.code == expected }
    }
  }
}

extension AuctionHistory.Operation {
  fileprivate var amount: Int64 {
    if case .bid(_, let amount) = action { amount } else { 0 }
  }

  fileprivate var isPaid: Bool {
    if case (.pay, .done) = (action, answer) { true } else { false }
  }

  fileprivate var changesNothing: Bool {
    switch (action, answer) {
    case (_, .refused), (.buyNow, .done): true
    default: false
    }
  }
}

extension AuctionState {
  /// Whether the states are equal, apart from the time of the last raise, which the specification does not know.
  fileprivate func isSame(as other: AuctionState) -> Bool {
    var (one, other) = (self, other)
    (one.lastBidAt, other.lastBidAt) = (nil, nil)
    return one == other
  }
}

/// Records the operations on one auction by many clients.
final class AuctionRecorder: Sendable {
  private let time: ManualTime
  private let moment = Atomic<Int>(0)
  private let operations = Mutex<[AuctionHistory.Operation]>([])

  init(time: ManualTime) { self.time = time }

  func bid(_ amount: Int64, by bidder: TestUser, _ auction: Auction) async throws {
    let key = UUID().uuidString
    try await record(.bid(bidder.id, amount)) { .receipt(try await bidder.bid(amount, auction, key: key)) }
  }

  func buyNow(_ buyer: TestUser, _ auction: Auction) async throws {
    let key = UUID().uuidString
    let order = Mutex<OrderID?>(nil)
    try await record(.buyNow(buyer.id)) {
      let made = try await buyer.client.send(OrdersAPI.BuyNow(id: auction.id), idempotencyKey: key)
      order.withLock { $0 = made.id }
      return .done
    }
    guard let made = order.withLock({ $0 }) else { return }
    try await record(.pay(buyer.id)) {
      let paid = try await buyer.client.send(
        OrdersAPI.PayOrder(id: made, body: TestPlatform.card()), idempotencyKey: "pay-\(key)")
      return paid.status == .placed ? .done : .refused("not placed")
    }
  }

  func cancel(_ seller: TestUser, _ auction: Auction) async throws {
    try await record(.cancel) {
      _ = try await seller.client.send(OrdersAPI.CancelAuction(id: auction.id))
      return .done
    }
  }

  func close(_ host: TestPlatform) async throws {
    try await record(.close) {
      _ = try await host.orders.runOnce("auction")
      return .done
    }
  }

  /// An overloaded server has done nothing, so that the call is repeated as clients do.
  private func record(_ action: AuctionHistory.Action, _ body: () async throws -> AuctionHistory.Answer) async throws {
    let (called, calledAt) = (moment.add(1, ordering: .sequentiallyConsistent).newValue, time.source.now())
    var answer: AuctionHistory.Answer?
    try await eventually("an answer to \(action)") {
      do { answer = try await body() } catch CallError.problem(let problem) {
        guard !problem.is(.overloaded) else { return false }
        answer = .refused(problem.code)
      }
      return true
    }
    guard let answer else { throw TestKitError("no answer") }
    let operation = AuctionHistory.Operation(
      action: action, answer: answer, called: called,
      answered: moment.add(1, ordering: .sequentiallyConsistent).newValue, calledAt: calledAt,
      answeredAt: time.source.now())
    operations.withLock { $0.append(operation) }
  }

  /// The history of an auction, with what is stored of it.
  func history(of auction: Auction, from initial: AuctionState, _ host: TestPlatform) async throws -> AuctionHistory {
    let operations = operations.withLock { $0 }
    return try await host.orders.core.database.read { db in
      AuctionHistory(
        seller: auction.sellerID, initial: initial, final: try AuctionStore.get(auction.id, in: db).state,
        operations: operations,
        events: try AuctionStore.events(of: auction.id, after: 0, limit: 1_000_000, in: db),
        seen: Set(
          try db.values("SELECT id FROM auction_bids WHERE auction_id = \(auction.id)", as: BidID.self)))
    }
  }
}
