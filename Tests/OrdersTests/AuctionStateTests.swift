import Contracts
import TestKit
import Testing

@testable import OrdersService

/// The auction rules as pure functions.
struct AuctionStateTests {
  static let start = Timestamp(microseconds: 1_767_225_600_000_000)
  static let seller = UserID(trusted: "00000000-0000-7000-8000-000000000001")

  static func bidder(_ number: Int) -> UserID {
    UserID(
      trusted: "00000000-0000-7000-8000-" + String(repeating: "0", count: 12 - String(number).count) + String(number)
    )
  }

  static func state(start price: Int64 = 100, reserve: Int64? = nil, buyNow: Int64? = nil) -> AuctionState {
    AuctionState(
      status: .open,
      seller: seller,
      currency: .usd,
      startPrice: price,
      reserve: reserve,
      buyNow: buyNow,
      opensAt: start,
      closesAt: start.advanced(bySeconds: 3600),
      originalClosesAt: start.advanced(bySeconds: 3600)
    )
  }

  private func bid(_ state: inout AuctionState, _ bidder: Int, _ amount: Int64, at seconds: Double = 10) throws
    -> [AuctionEvent
    .Kind]
  {
    let accepted = try state.bidding(
      Money(amount, .usd),
      by: Self.bidder(bidder),
      at: Self.start.advanced(bySeconds: seconds)
    )
    state = accepted.state
    return accepted.events
  }

  private func refusal(_ state: AuctionState, _ bidder: Int, _ money: Money, at seconds: Double = 10) -> String? {
    do {
      _ = try state.bidding(money, by: Self.bidder(bidder), at: Self.start.advanced(bySeconds: seconds))
      return nil
    } catch { return error.code }
  }

  @Test func theSecondHighestMaximumDecidesThePrice() throws {
    var state = Self.state()
    #expect(try bid(&state, 2, 1000) == [.bidPlaced])
    #expect(state.price == 100)  // a single bidder leads at the start price
    _ = try bid(&state, 3, 500)
    #expect(state.leader?.bidder == Self.bidder(2))
    #expect(state.price == 550)  // one step above the second maximum
    _ = try bid(&state, 3, 990)
    #expect(state.price == 1000)  // never above the leader's maximum
    _ = try bid(&state, 4, 2000)
    #expect(state.leader?.bidder == Self.bidder(4))
    #expect(state.price == 1050)
    #expect(state.bidCount == 4)
    #expect(state.sequence == 4)
  }

  @Test func theEarlierOfEqualMaximaLeads() throws {
    var state = Self.state()
    _ = try bid(&state, 2, 1000)
    _ = try bid(&state, 3, 1000)
    #expect(state.leader?.bidder == Self.bidder(2))
    #expect(state.price == 1000)
  }

  @Test func noOneBidsAgainstThemselves() throws {
    var state = Self.state()
    _ = try bid(&state, 2, 1000)
    let before = state
    #expect(try bid(&state, 2, 3000, at: 3590) == [])
    #expect(state.price == before.price)
    #expect(state.sequence == before.sequence)
    #expect(state.closesAt == before.closesAt)
    #expect(state.leader?.maximum == 3000)
    #expect(state.bidCount == 1)
    #expect(refusal(state, 2, Money(3000, .usd)) == "maximum-not-raised")
  }

  @Test func theReserveIsMetByWhoWouldPayIt() throws {
    var state = Self.state(reserve: 2000)
    _ = try bid(&state, 2, 1000)
    #expect(!state.reserveMet)
    #expect(state.price == 100)
    #expect(state.closing(at: state.closesAt)?.state.status == .reserveNotMet)
    _ = try bid(&state, 3, 2500)
    #expect(state.reserveMet)
    #expect(state.price == 2000)
    var raised = Self.state(reserve: 2000)
    _ = try bid(&raised, 2, 1000)
    #expect(try bid(&raised, 2, 2000) == [.bidPlaced])
    #expect(raised.reserveMet)
    #expect(raised.price == 2000)
  }

  @Test(
    arguments: [
      (0, 5), (99, 5), (100, 25), (499, 25), (500, 50), (2499, 50), (2500, 100), (9999, 100), (10_000, 250),
      (24_999, 250), (25_000, 500), (49_999, 500), (50_000, 1000), (99_999, 1000), (100_000, 2500), (249_999, 2500),
      (250_000, 5000), (499_999, 5000), (500_000, 10_000), (9_000_000, 10_000),
    ] as [(Int64, Int64)]
  )
  func stepsAreByPrice(price: Int64, step: Int64) {
    #expect(Increments.step(above: price, in: .usd) == step)
    #expect(Increments.step(above: price, in: Currency(trusted: "JPY")) == step)
    #expect(Increments.step(above: price * 10, in: Currency(trusted: "KWD")) == step * 10)
  }

  @Test func lateBidsMoveTheEndUpToACap() throws {
    var state = Self.state()
    _ = try bid(&state, 2, 1000, at: 3480)
    #expect(state.closesAt == Self.start.advanced(bySeconds: 3600))  // two minutes before the end: no extension
    #expect(try bid(&state, 3, 2000, at: 3599) == [.bidPlaced, .extended])
    #expect(state.closesAt == Self.start.advanced(bySeconds: 3719))
    #expect(state.extensionCount == 1)
    var amount: Int64 = 4000
    var now = 3719.0
    while now < 7200 {
      _ = try bid(&state, Int(amount) % 7 + 10, amount, at: now - 1)
      amount += 10_000
      now = state.closesAt.seconds(since: Self.start)
      if now >= 7200 { break }
    }
    #expect(state.closesAt == Self.start.advanced(bySeconds: 7200))
    _ = try bid(&state, 50, amount + 100_000, at: 7199)
    #expect(state.closesAt == Self.start.advanced(bySeconds: 7200))
    #expect(refusal(state, 51, Money(9_000_000, .usd), at: 7200) == "auction-closed")
  }

  /// Rejected bids do not extend the auction, even in the last second.
  @Test func rejectedBidsChangeNothing() throws {
    var state = Self.state()
    _ = try bid(&state, 2, 1000)
    #expect(refusal(state, 3, Money(104, .usd), at: 3599) == "below-minimum")
    #expect(refusal(state, 1, Money(5000, .usd), at: 3599) == "seller-cannot-bid")
    #expect(refusal(state, 3, Money(5000, Currency(trusted: "EUR")), at: 3599) == "currency-mismatch")
    #expect(refusal(state, 3, Money(5000, .usd), at: 3600) == "auction-closed")
    // An open auction stays open when the clock goes back.
    #expect(refusal(state, 3, Money(5000, .usd), at: -1) == nil)
    var later = state
    later.status = .scheduled
    later.opensAt = Self.start.advanced(bySeconds: 100)
    #expect(refusal(later, 3, Money(5000, .usd), at: 99) == "auction-not-open")
    #expect(refusal(later, 3, Money(5000, .usd), at: 100) == nil)
  }

  @Test func buyNowIsThereUntilTheFirstBid() throws {
    var state = Self.state(buyNow: 5000)
    let now = Self.start.advanced(bySeconds: 5)
    let bought = try state.buyingNow(by: Self.bidder(2), at: now)
    #expect(bought.state.status == .sold)
    #expect(bought.state.price == 5000)
    #expect(bought.events == [.sold])
    #expect(throws: Problem.self) { try state.buyingNow(by: Self.seller, at: now) }
    _ = try bid(&state, 3, 1000)
    #expect(throws: Problem.self) { try state.buyingNow(by: Self.bidder(2), at: now) }
  }

  @Test func theEndComesOnce() throws {
    var state = Self.state()
    #expect(state.closing(at: state.closesAt.advanced(bySeconds: -0.001)) == nil)
    #expect(state.closing(at: state.closesAt)?.state.status == .noBids)
    _ = try bid(&state, 2, 1000)
    let ended = try #require(state.closing(at: state.closesAt))
    #expect(ended.state.status == .sold)
    #expect(ended.events == [.sold])
    #expect(ended.state.closing(at: state.closesAt.advanced(bySeconds: 5)) == nil)
    #expect(throws: Problem.self) { try ended.state.canceling(at: state.closesAt) }
    #expect(ended.state.defaulting()?.state.status == .unpaid)
  }

  @Test func aSaleElsewhereEndsAnAuctionWithoutBids() throws {
    var state = Self.state()
    #expect(try state.superseding(at: Self.start).events == [.canceled])
    #expect(try state.superseding(at: state.closesAt).events == [.noBids])
    _ = try bid(&state, 2, 1000)
    #expect(throws: Problem.self) { try state.superseding(at: Self.start) }
    let withoutSale = try #require(state.closing(at: state.closesAt)).withoutSale
    #expect(withoutSale.state.status == .canceled)
    #expect(withoutSale.events == [.canceled])
    #expect(withoutSale.state.sequence == state.sequence + 1)
  }

  @Test func eachEventHasItsOwnNumber() throws {
    let late = Self.start.advanced(bySeconds: 3590)
    let accepted = try Self.state().bidding(Money(1000, .usd), by: Self.bidder(2), at: late)
    let events = accepted.publicEvents(leader: "bidder 1", at: late)
    #expect(events.map(\.kind) == [.bidPlaced, .extended])
    #expect(events.map(\.sequence) == [1, 2])
    #expect(events.allSatisfy { $0.price == Money(100, .usd) && $0.leader == "bidder 1" })
  }

  /// Random bids never lower the price or raise it above the leader's maximum.
  @Test func pricesOnlyRise() throws {
    var generator = SeededGenerator()
    for _ in 0..<300 {
      var state = Self.state(reserve: Bool.random(using: &generator) ? 3000 : nil)
      var best: (bidder: UserID, maximum: Int64)?
      for step in 0..<60 {
        let bidder = Self.bidder(.random(in: 2...9, using: &generator))
        let amount = Int64.random(in: 50...20_000, using: &generator)
        let before = state
        guard
          let accepted = try? state.bidding(
            Money(amount, .usd),
            by: bidder,
            at: Self.start.advanced(bySeconds: Double(step))
          )
        else { continue }
        state = accepted.state
        if amount > best?.maximum ?? 0 { best = (bidder, amount) }
        try #require(state.leader?.bidder == best?.bidder, "\(generator)")
        try #require(state.leader?.maximum == best?.maximum, "\(generator)")
        try #require((state.price ?? 0) >= before.price ?? 0, "\(generator)")
        try #require((state.price ?? 0) <= state.leader?.maximum ?? 0, "\(generator)")
        try #require(state.sequence == before.sequence + Int64(accepted.events.count), "\(generator)")
      }
    }
  }
}
