import Contracts

/// A transaction signed by Apple
/// (developer.apple.com/documentation/appstoreserverapi/jwstransactiondecodedpayload).
struct StoreKitTransaction: Decodable, Sendable {
  var transactionId: String
  var originalTransactionId: String
  var bundleId: String
  var productId: String
  var environment: String
  /// The id of the user or of the order that the purchase is for.
  var appAccountToken: String?
  /// Milliunits of the currency: 4990 is 4.99 USD.
  var price: Int64?
  var currency: String?
  var quantity: Int?
  /// In milliseconds since 1970, like all times in this payload.
  var purchaseDate: Int64
  var expiresDate: Int64?
  var revocationDate: Int64?
  /// The part of the price that was refunded, in thousandths of a percent; by default the whole.
  var revocationPercentage: Int64?
  /// Whether the customer has upgraded to another product of the subscription.
  var isUpgraded: Bool?
  /// `PURCHASED`, or `FAMILY_SHARED` when another member of the family has paid.
  var inAppOwnershipType: String?
  var signedDate: Int64

  /// The price in minor units; `nil` when it is missing or not a whole number of minor units.
  var money: Money? {
    guard let price, let currency = currency.flatMap({ Currency($0) }) else { return nil }
    return Self.money(milliunits: price, currency)
  }

  /// The transaction as it is stored.
  /// - Throws: ``Problem`` when a time cannot be represented.
  func purchase() throws(Problem) -> StoreKitPurchase {
    let signedAt = try Self.time(signedDate)
    var revocation: StoreKitState.Revocation?
    if let revocationDate {
      let share = revocationPercentage ?? StoreKitState.Revocation.whole
      revocation = .init(
        at: try Self.time(revocationDate), share: min(max(share, 0), StoreKitState.Revocation.whole))
    }
    return StoreKitPurchase(
      id: transactionId, original: originalTransactionId, money: money, isShared: inAppOwnershipType == "FAMILY_SHARED",
      purchasedAt: try Self.time(purchaseDate), receivedAt: signedAt,
      state: StoreKitState(
        signedAt: signedAt, product: productId,
        expiresAt: try expiresDate.map { (date) throws(Problem) in try Self.time(date) },
        isUpgraded: isUpgraded ?? false, revocation: revocation))
  }

  fileprivate static func time(_ milliseconds: Int64) throws(Problem) -> Timestamp {
    guard milliseconds > 0, let time = Timestamp(milliseconds: milliseconds) else {
      throw Problem(.transactionInvalid, detail: "A time is invalid.")
    }
    return time
  }

  /// Converts thousandths of the main unit to minor units of the currency, using integer arithmetic.
  static func money(milliunits: Int64, _ currency: Currency) -> Money? {
    var divisor: Int64 = 1
    for _ in 0..<max(0, 3 - currency.exponent) { divisor *= 10 }
    guard milliunits % divisor == 0 else { return nil }
    return Money(milliunits / divisor, currency)
  }
}

/// Renewal information signed by Apple
/// (developer.apple.com/documentation/appstoreserverapi/jwsrenewalinfodecodedpayload).
struct StoreKitRenewalInfo: Decodable, Sendable {
  var originalTransactionId: String
  var environment: String
  /// 1 if the subscription renews at the end of its period, 0 if the customer has turned this off.
  var autoRenewStatus: Int
  var autoRenewProductId: String?
  var isInBillingRetryPeriod: Bool?
  var gracePeriodExpiresDate: Int64?
  var signedDate: Int64

  /// The information as it is stored.
  func renewal() throws(Problem) -> StoreKitRenewal {
    var graceUntil: Timestamp?
    if let gracePeriodExpiresDate { graceUntil = try StoreKitTransaction.time(gracePeriodExpiresDate) }
    return StoreKitRenewal(
      original: originalTransactionId, signedAt: try StoreKitTransaction.time(signedDate),
      renews: autoRenewStatus == 1, nextProduct: autoRenewProductId, isRetrying: isInBillingRetryPeriod ?? false,
      graceUntil: graceUntil)
  }
}

/// A notification of the App Store Server, version 2
/// (developer.apple.com/documentation/appstoreservernotifications/responsebodyv2decodedpayload).
struct StoreKitNotification: Decodable, Sendable {
  struct Content: Decodable, Sendable {
    var bundleId: String
    var environment: String
    var appAppleId: Int?
    var signedTransactionInfo: String?
    var signedRenewalInfo: String?
  }

  var notificationType: String
  var notificationUUID: String
  var signedDate: Int64
  var data: Content?

  /// Whether it is about a request of the customer that has changed nothing: Apple asks for data on consumption before
  /// it decides about a refund, or has declined one.
  var changesNothing: Bool { ["CONSUMPTION_REQUEST", "REFUND_DECLINED"].contains(notificationType) }
}
