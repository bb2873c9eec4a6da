import Contracts

/// The amounts of a quote or an order, in minor units of one currency. On the wire, they are properties of the whole.
struct Totals: Sendable, Equatable {
  var currency: Currency
  /// Net, of all lines.
  var subtotal: Int64
  /// The tax of the lines and of shipping.
  var tax: Int64
  /// Net.
  var shipping: Int64
  var total: Int64
}
