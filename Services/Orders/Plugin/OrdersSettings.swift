import Contracts
import Foundation
import ServiceKit

enum OrdersSettings {
  static let isProduction = Setting<Bool>(
    "orders.production",
    default: false,
    expects: "true or false",
    "Production mode: the test provider and Apple's sandbox are refused"
  ) { Bool($0) }
  static let payMinutes = Setting<Int>(
    "orders.payMinutes",
    default: 15,
    in: 1...1440,
    "Minutes for which stock is reserved for an unpaid order"
  )
  static let auctionPayHours = Setting<Int>(
    "orders.auctionPayHours",
    default: 48,
    in: 1...720,
    "Hours within which the winner of an auction, or the buyer of an accepted offer, must pay"
  )
  static let feeBasisPoints = Setting<Int>(
    "orders.feeBasisPoints",
    default: 1000,
    in: 0...10_000,
    "The platform's fee on sold licenses, in basis points (hundredths of a percent)"
  )
  static let testSecret = Setting<String>(
    "payments.testSecret",
    default: "test-webhook-secret",
    "The secret that signs the notifications of the test provider"
  )
  static let stripeKey = Setting<String?>(
    optional: "stripe.key",
    isSecret: true,
    "Stripe's secret key; Stripe is disabled when it is not set"
  )
  static let stripeWebhookSecret = Setting<String?>(
    optional: "stripe.webhookSecret",
    isSecret: true,
    "The secret that signs Stripe's notifications"
  )
  static let stripeURL = Setting<String>("stripe.url", default: "https://api.stripe.com", "The URL of Stripe's API")
  static let storeKitBundle = Setting<String?>(
    optional: "storekit.bundleId",
    "The app's bundle ID; StoreKit is disabled when it is not set"
  )
  static let storeKitRoot = Setting<String?>(
    optional: "storekit.rootFile",
    expects: "a file in DER or PEM format",
    "Apple Root CA - G3, the root certificate for signed transactions"
  )
  static let storeKitAppID = Setting<Int>(
    "storekit.appAppleId",
    default: 0,
    in: 0...Int.max,
    "The app's Apple ID, checked in notifications of the production environment"
  )
  static let storeKitChecksRevocation = Setting<Bool>(
    "storekit.checksRevocation",
    default: true,
    expects: "true or false",
    "Whether the revocation status of certificates is checked with Apple (OCSP)"
  ) { Bool($0) }
  static let plans = Setting<[PlanSettings]>(
    "orders.plans",
    default: [],
    expects:
      #"JSON such as [{"name":"premium","title":"Premium","price":{"amount":499,"currency":"USD"},"months":1,"#
      + #""stripePrice":"price_…","storekitProduct":"…"}]"#,
    "Premium plans"
  ) { try? WireJSON.decode([PlanSettings].self, from: $0.utf8) }

  static let all: [any SettingDescription] = [
    isProduction, payMinutes, auctionPayHours, feeBasisPoints, testSecret, stripeKey, stripeWebhookSecret, stripeURL,
    storeKitBundle, storeKitRoot, storeKitAppID, storeKitChecksRevocation, plans,
  ]
}

/// A plan with its ids at the payment providers.
struct PlanSettings: Codable, Sendable {
  var name: String
  var title: String
  var price: Money
  var months: Int
  var stripePrice: String?
  var storekitProduct: String?

  var plan: Plan { Plan(name: name, title: title, price: price, months: months) }
}
