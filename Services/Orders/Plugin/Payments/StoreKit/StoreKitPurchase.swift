import Contracts

/// A state of a transaction, as Apple signed it. Of all stored states the newest counts; of states that were signed at
/// the same time, the one that grants less.
struct StoreKitState: Sendable, Equatable {
  struct Revocation: Sendable, Equatable {
    var at: Timestamp
    /// The share of the price, in thousandths of a percent.
    var share: Int64

    static let whole: Int64 = 100_000

    /// The part of an amount that Apple has refunded.
    func part(of amount: Money) -> Money {
      Money(
        Rounding.halfEven(Int128(amount.amount) * Int128(share), over: Int128(Self.whole)), amount.currency)
    }
  }

  var signedAt: Timestamp
  var product: String
  var expiresAt: Timestamp?
  /// Whether another product of the same subscription has replaced it.
  var isUpgraded: Bool
  var revocation: Revocation?
}

/// A transaction with its current state.
struct StoreKitPurchase: Sendable, Equatable {
  let id: String
  /// The first transaction of a subscription, which its renewals name.
  let original: String
  var user: UserID?
  var order: OrderID?
  /// `nil` when Apple's payload does not contain a price in minor units.
  var money: Money?
  /// Whether it was shared with the buyer by a member of the family, who paid.
  var isShared: Bool
  var purchasedAt: Timestamp
  var receivedAt: Timestamp
  /// The reason why it is neither booked nor a plan.
  var problem: UnmatchedPurchase.Reason?
  var state: StoreKitState

  var response: UnmatchedPurchase? {
    problem.map {
      UnmatchedPurchase(
        transactionID: id, product: state.product, amount: money, userID: user, reason: $0,
        isRevoked: state.revocation != nil, purchasedAt: purchasedAt, receivedAt: receivedAt)
    }
  }
}

/// The renewal information of a subscription, as signed by Apple.
struct StoreKitRenewal: Sendable, Equatable {
  var original: String
  var signedAt: Timestamp
  var renews: Bool
  /// The product of the next period.
  var nextProduct: String?
  /// Whether Apple still tries to charge a renewal that has failed.
  var isRetrying: Bool
  var graceUntil: Timestamp?
}
