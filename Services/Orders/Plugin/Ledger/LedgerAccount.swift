import Contracts

/// Where money is or goes. Accounts have one balance per currency.
struct LedgerAccount: Hashable, Sendable {
  let name: String

  /// Money at a payment provider.
  static func provider(_ provider: PaymentProviderName) -> Self { Self(name: "provider:\(provider.rawValue)") }
  /// Money for an order on its way from the buyer to those who get it.
  static func order(_ id: OrderID) -> Self { Self(name: "order:\(id)") }
  /// What a user has earned by licences. A refund may take it below zero: then it is a debt.
  static func earnings(_ user: UserID) -> Self { Self(name: "earnings:\(user)") }
  /// A user's store credit; never below zero.
  static func credit(_ user: UserID) -> Self { Self(name: "credit:\(user)") }
  static let sales = Self(name: "shop:sales")
  static let shipping = Self(name: "shop:shipping")
  static let fees = Self(name: "shop:fees")
  static let tax = Self(name: "shop:tax")
  /// What the shop gives away.
  static let goodwill = Self(name: "shop:goodwill")

  /// Whether a balance is kept, because users see it and it may be limited. The others are sums: a row that every order
  /// changes would make all orders wait for each other.
  var hasBalance: Bool { name.hasPrefix("earnings:") || name.hasPrefix("credit:") }
  var mayBeNegative: Bool { !name.hasPrefix("credit:") }
}

/// A movement of money from one account (its debit) to another (its credit).
struct Transfer: Sendable, Equatable {
  /// Chosen by who makes it: the same one again is the same movement.
  var id: String
  var from: LedgerAccount
  var to: LedgerAccount
  /// Above zero.
  var amount: Money
  /// Why, such as `payment`, `sale`, `refund`.
  var code: String
  var order: OrderID?
}
