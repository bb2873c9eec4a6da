import Contracts

/// The state and the rules of an auction. Amounts are in minor units of its currency.
struct AuctionState: Sendable, Equatable {
  struct Leader: Sendable, Equatable {
    var bidder: UserID
    var maximum: Int64
  }

  var status: AuctionStatus
  var seller: UserID
  var currency: Currency
  var startPrice: Int64
  var reserve: Int64?
  var buyNow: Int64?
  var opensAt: Timestamp
  var closesAt: Timestamp
  var originalClosesAt: Timestamp
  var extensionCount = 0
  var leader: Leader?
  /// The amount that the leader would pay; `nil` before the first bid.
  var price: Int64?
  /// Accepted bids; a leader who raises their own maximum does not place another bid.
  var bidCount = 0
  /// The effective time of the last accepted bid.
  var lastBidAt: Timestamp?
  var sequence: Int64 = 0

  /// A bid within this time before the close extends the auction.
  static let softCloseSeconds = 120.0
  /// The maximum extension beyond the originally planned close.
  static let maxExtensionSeconds = 3600.0

  var hasBids: Bool { leader != nil }

  var reserveMet: Bool { meetsReserve(price ?? 0) }

  func meetsReserve(_ price: Int64) -> Bool { reserve.map { price >= $0 } ?? true }

  /// The lowest maximum that is accepted as the next bid.
  var minNextBid: Int64 { price.map { $0 + Increments.step(above: $0, in: currency) } ?? startPrice }

  /// The status at a given time, whether or not it has been stored yet.
  func status(at now: Timestamp) -> AuctionStatus {
    switch status {
    case .scheduled where now < opensAt: .scheduled
    case .scheduled, .open:
      now < closesAt ? .open : leader == nil ? .noBids : reserveMet ? .sold : .reserveNotMet
    default: status
    }
  }

  // MARK: decisions

  /// - Parameter received: When the server received the bid. It counts at the time of the last accepted bid if that is
  ///   later; as the end is always later than that, it does not make a bid late.
  func bidding(_ maximum: Money, by bidder: UserID, at received: Timestamp) throws(Problem) -> AuctionTransition {
    let now = max(received, lastBidAt ?? received)
    try requireOpen(at: now)
    guard bidder != seller else { throw Problem(.sellerCannotBid) }
    guard maximum.currency == currency else { throw Problem(.currencyMismatch) }
    var state = self
    state.status = .open
    state.lastBidAt = now
    if let leader, leader.bidder == bidder { return try raising(leader, to: maximum.amount, of: state) }
    guard maximum.amount >= minNextBid else {
      throw Problem(.belowMinimum, detail: "The minimum bid is \(Money(minNextBid, currency)).")
    }
    let floor = price ?? startPrice
    if let leader, maximum.amount <= leader.maximum {
      // The earlier maximum wins a tie.
      let needed = maximum.amount + Increments.step(above: maximum.amount, in: currency)
      state.price = max(floor, min(leader.maximum, needed))
    } else {
      let needed = leader.map { $0.maximum + Increments.step(above: $0.maximum, in: currency) } ?? startPrice
      state.price = max(floor, min(maximum.amount, needed))
      state.leader = Leader(bidder: bidder, maximum: maximum.amount)
    }
    state.meetReserve()
    state.bidCount += 1
    state.sequence += 1
    var events: [AuctionEvent.Kind] = [.bidPlaced]
    if state.extend(at: now) {
      state.sequence += 1
      events.append(.extended)
    }
    return AuctionTransition(state: state, events: events)
  }

  /// Has no visible effect, unless the reserve is now met.
  private func raising(_ leader: Leader, to maximum: Int64, of state: AuctionState) throws(Problem) -> AuctionTransition
  {
    guard maximum > leader.maximum else { throw Problem(.maximumNotRaised) }
    var state = state
    state.leader?.maximum = maximum
    state.meetReserve()
    guard state.price != price else { return AuctionTransition(state: state, events: []) }
    state.sequence += 1
    return AuctionTransition(state: state, events: [.bidPlaced])
  }

  /// Raises the price to the reserve, if the leader's maximum allows it.
  private mutating func meetReserve() {
    guard let reserve, let leader, let price, price < reserve, leader.maximum >= reserve else { return }
    self.price = reserve
  }

  private mutating func extend(at now: Timestamp) -> Bool {
    let last = originalClosesAt.advanced(bySeconds: Self.maxExtensionSeconds)
    let wanted = min(last, now.advanced(bySeconds: Self.softCloseSeconds))
    guard wanted > closesAt else { return false }
    closesAt = wanted
    extensionCount += 1
    return true
  }

  func requireOpen(at now: Timestamp) throws(Problem) {
    switch status(at: now) {
    case .scheduled: throw Problem(.auctionNotOpen)
    case .open: break
    default: throw Problem(.auctionClosed)
    }
  }

  /// Sells at the buy-now price, which is not available after the first bid.
  func buyingNow(by buyer: UserID, at now: Timestamp) throws(Problem) -> AuctionTransition {
    try requireOpen(at: now)
    guard buyer != seller else { throw Problem(.sellerCannotBid) }
    guard let buyNow, leader == nil else { throw Problem(.buyNowNotAvailable) }
    var state = ended(.sold)
    state.price = buyNow
    state.leader = Leader(bidder: buyer, maximum: buyNow)
    state.closesAt = now
    return AuctionTransition(state: state, events: [.sold])
  }

  /// Closes the auction when it is due; `nil` when it is not due or has already ended.
  func closing(at now: Timestamp) -> AuctionTransition? {
    guard status == .scheduled || status == .open else { return nil }
    let outcome = status(at: now)
    let event: AuctionEvent.Kind
    switch outcome {
    case .sold: event = .sold
    case .reserveNotMet: event = .reserveNotMet
    case .noBids: event = .noBids
    default: return nil
    }
    return AuctionTransition(state: ended(outcome), events: [event])
  }

  /// Cancels the auction, on behalf of its seller or because of another sale of the listing.
  func canceling(at now: Timestamp) throws(Problem) -> AuctionTransition {
    guard [.scheduled, .open].contains(status(at: now)) else { throw Problem(.auctionClosed) }
    guard !hasBids else { throw Problem(.auctionHasBids) }
    var state = ended(.canceled)
    state.closesAt = min(closesAt, now)
    return AuctionTransition(state: state, events: [.canceled])
  }

  /// Ends the auction because the listing is sold elsewhere.
  func superseding(at now: Timestamp) throws(Problem) -> AuctionTransition {
    guard !hasBids else { throw Problem(.listingNotForSale, detail: "The listing has an auction with bids.") }
    if let closed = closing(at: now) { return closed }
    return try canceling(at: now)
  }

  /// The winner did not pay.
  func defaulting() -> AuctionTransition? {
    status == .sold ? AuctionTransition(state: ended(.unpaid), events: [.unpaid]) : nil
  }

  private func ended(_ status: AuctionStatus) -> AuctionState {
    var state = self
    state.status = status
    state.sequence += 1
    return state
  }
}

/// The result of an accepted action. Rejected bids change nothing, including the closing time.
struct AuctionTransition: Sendable, Equatable {
  var state: AuctionState
  /// The public events, in order; empty when the leader raised their own maximum without a visible effect.
  var events: [AuctionEvent.Kind]

  /// The same close without a sale.
  var withoutSale: AuctionTransition {
    var state = state
    state.status = .canceled
    return AuctionTransition(state: state, events: [.canceled])
  }

  /// The public events with the state after the transition.
  ///
  /// - Parameter leader: The leader's pseudonym.
  func publicEvents(leader: String?, at now: Timestamp) -> [AuctionEvent] {
    events.enumerated().map { index, kind in
      AuctionEvent(
        sequence: state.sequence - Int64(events.count - 1 - index),
        kind: kind,
        at: now,
        price: state.price.map { Money($0, state.currency) },
        minNextBid: Money(state.minNextBid, state.currency),
        bidCount: state.bidCount,
        leader: leader,
        reserveMet: state.reserveMet,
        closesAt: state.closesAt
      )
    }
  }
}
