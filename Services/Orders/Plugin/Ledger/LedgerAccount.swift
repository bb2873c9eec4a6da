import Contracts

/// An account of the ledger, with one balance per currency.
struct LedgerAccount: Hashable, Sendable {
  let name: String

  /// Money at a payment provider.
  static func provider(_ provider: PaymentProviderName) -> Self { Self(name: "provider:\(provider.rawValue)") }
  /// The money of an order that is not yet distributed to its recipients.
  static func order(_ id: OrderID) -> Self { Self(name: "order:\(id)") }
  /// The earnings of a user from licenses. A refund may make them negative: they are then a debt.
  static func earnings(_ user: UserID) -> Self { Self(name: "earnings:\(user)") }
  /// A user's store credit; never below zero.
  static func credit(_ user: UserID) -> Self { Self(name: "credit:\(user)") }
  static let sales = Self(name: "shop:sales")
  static let shipping = Self(name: "shop:shipping")
  static let fees = Self(name: "shop:fees")
  static let tax = Self(name: "shop:tax")
  /// The expense of store credit that the shop grants.
  static let goodwill = Self(name: "shop:goodwill")

  /// The amounts that payment providers took back beyond what was left of an order.
  static let losses = Self(name: "shop:losses")
  /// Refunds of buyers whose accounts are deleted, which no payment can carry back.
  static let unclaimed = Self(name: "shop:unclaimed")
  /// Earnings that have been paid to sellers.
  static let payouts = Self(name: "shop:payouts")

  /// Whether a balance is stored, because users see it and it may be limited. Other balances are computed as sums: a
  /// row that every order updates would serialize all orders.
  var hasBalance: Bool { name.hasPrefix("earnings:") || name.hasPrefix("credit:") }
  var mayBeNegative: Bool { !name.hasPrefix("credit:") }
}

/// A movement of money from one account (its debit) to another (its credit).
struct Transfer: Sendable, Equatable {
  /// Chosen by the caller; the same id denotes the same transfer.
  var id: String
  var from: LedgerAccount
  var to: LedgerAccount
  /// Above zero.
  var amount: Money
  /// The reason, such as `payment`, `sale` or `refund`.
  var code: String
  var order: OrderID?
}
