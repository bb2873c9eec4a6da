import Contracts

/// Between which prices a negotiation moves. Bids only rise and asks only fall, so that it comes to an end.
struct OfferBounds: Sendable, Equatable {
  /// The buyer's last price, or the least that is looked at.
  var lower: Int64
  /// The seller's last price, or the listed one.
  var upper: Int64

  /// The first offer is at least this part of the listed price, in percent.
  static let floorPercent: Int64 = 10
  /// Prices that one buyer may name for one listing.
  static let buyerLimit = 5

  /// The bounds before anything was said.
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
    guard amount >= max(1, lower), amount <= upper else { throw complaint("from \(max(1, lower)) to \(upper)") }
    return OfferBounds(lower: amount, upper: upper)
  }

  /// The bounds after an answer with another price, which lies strictly between the last two; only the listed price itself
  /// may be asked again.
  func countering(_ amount: Int64, by party: Offer.Party) throws(Problem) -> OfferBounds {
    guard amount > lower, amount < upper else { throw complaint("above \(lower) and below \(upper)") }
    return party == .buyer
      ? OfferBounds(lower: amount, upper: upper) : OfferBounds(lower: lower, upper: amount)
  }

  private func complaint(_ range: String) -> Problem {
    Problem(.offerOutOfBounds, errors: [.init(location: "body.amount.amount", message: "must be \(range)")])
  }
}
