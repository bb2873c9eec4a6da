import Contracts

/// The price range of a negotiation. Bids only rise and asks only fall, so that it terminates.
struct OfferBounds: Sendable, Equatable {
  /// The buyer's last price, or the minimum for a first offer.
  var lower: Int64
  /// The seller's last price, or the list price.
  var upper: Int64

  /// The minimum for a first offer, in percent of the list price.
  static let floorPercent: Int64 = 10
  /// The maximum number of prices that one buyer may offer for one listing.
  static let buyerLimit = 5

  /// The bounds before the first offer.
  init(listPrice: Int64) {
    lower = Rounding.halfEven(Int128(listPrice) * Int128(Self.floorPercent), over: 100)
    upper = listPrice
  }

  init(lower: Int64, upper: Int64) {
    self.lower = lower
    self.upper = upper
  }

  /// The bounds after a first offer.
  func opening(_ amount: Int64) throws(Problem) -> OfferBounds {
    guard amount >= max(1, lower), amount <= upper else { throw outOfBounds("from \(max(1, lower)) to \(upper)") }
    return OfferBounds(lower: amount, upper: upper)
  }

  /// The bounds after a counteroffer, which must lie strictly between the last two prices.
  func countering(_ amount: Int64, by party: Offer.Party) throws(Problem) -> OfferBounds {
    guard amount > lower, amount < upper else { throw outOfBounds("above \(lower) and below \(upper)") }
    return party == .buyer
      ? OfferBounds(lower: amount, upper: upper) : OfferBounds(lower: lower, upper: amount)
  }

  private func outOfBounds(_ range: String) -> Problem {
    Problem(.offerOutOfBounds, errors: [.init(location: "body.amount.amount", message: "must be \(range)")])
  }
}
