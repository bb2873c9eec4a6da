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
  var signedDate: Int64

  /// The price in minor units; `nil` when it is missing or not a whole number of minor units.
  var money: Money? {
    guard let price, let currency = currency.flatMap({ Currency($0) }) else { return nil }
    return Self.money(milliunits: price, currency)
  }

  /// Converts thousandths of the main unit to minor units of the currency, using integer arithmetic.
  static func money(milliunits: Int64, _ currency: Currency) -> Money? {
    var divisor: Int64 = 1
    for _ in 0..<max(0, 3 - currency.exponent) { divisor *= 10 }
    guard milliunits % divisor == 0 else { return nil }
    return Money(milliunits / divisor, currency)
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
  }

  var notificationType: String
  var notificationUUID: String
  var signedDate: Int64
  var data: Content?
}
