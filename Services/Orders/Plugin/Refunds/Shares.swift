/// An amount of an order line, or of shipping, by recipient.
struct Shares: Sendable, Equatable {
  /// The proceeds of the seller, or of the shop for its products and for shipping.
  var proceeds: Int64 = 0
  /// The platform's fee on a license.
  var fee: Int64 = 0
  var tax: Int64 = 0

  var total: Int64 { proceeds + fee + tax }

  /// The shares of a part of the amount; they add up to it, and none is larger than the whole share.
  func part(_ amount: Int64) -> Shares {
    let parts = Rounding.allocate(amount, over: [proceeds, fee, tax])
    return Shares(proceeds: parts[0], fee: parts[1], tax: parts[2])
  }

  static func + (left: Shares, right: Shares) -> Shares {
    Shares(proceeds: left.proceeds + right.proceeds, fee: left.fee + right.fee, tax: left.tax + right.tax)
  }

  static func - (left: Shares, right: Shares) -> Shares {
    Shares(proceeds: left.proceeds - right.proceeds, fee: left.fee - right.fee, tax: left.tax - right.tax)
  }
}
