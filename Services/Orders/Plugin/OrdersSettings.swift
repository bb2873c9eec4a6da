import Contracts
import Foundation
import ServiceKit

/// Settings of the orders service.
enum OrdersSettings {
  static let isProduction = Setting<Bool>(
    "orders.production",
    default: false,
    expects: "true or false",
    "Real customers pay: the test provider and Apple's sandbox are refused"
  ) { Bool($0) }
  static let payMinutes = Setting<Int>(
    "orders.payMinutes",
    default: 15,
    in: 1...1440,
    "Minutes for which an unpaid order keeps its stock"
  )
  static let auctionPayHours = Setting<Int>(
    "orders.auctionPayHours",
    default: 48,
    in: 1...720,
    "Hours in which the winner of an auction, or the buyer of an accepted offer, has to pay"
  )
  static let feeBasisPoints = Setting<Int>(
    "orders.feeBasisPoints",
    default: 1000,
    in: 0...10_000,
    "The platform's share of sold licences, in hundredths of a percent"
  )
  static let testSecret = Setting<String>(
    "payments.testSecret",
    default: "test-webhook-secret",
    "Signs the notifications of the test provider"
  )
  static let stripeKey = Setting<String?>(
    optional: "stripe.key",
    isSecret: true,
    "Stripe's secret key; unset: no Stripe"
  )
  static let stripeWebhookSecret = Setting<String?>(
    optional: "stripe.webhookSecret",
    isSecret: true,
    "Signs Stripe's notifications"
  )
  static let stripeURL = Setting<String>("stripe.url", default: "https://api.stripe.com", "Stripe's API")
  static let storeKitBundle = Setting<String?>(
    optional: "storekit.bundleID",
    "The app's bundle id; unset: no StoreKit"
  )
  static let storeKitRoot = Setting<String?>(
    optional: "storekit.rootFile",
    expects: "a file in DER or PEM",
    "Apple Root CA - G3, to which signed transactions have to lead"
  )
  static let storeKitAppID = Setting<Int>(
    "storekit.appAppleID",
    default: 0,
    in: 0...Int.max,
    "The app's Apple ID, checked in notifications of the production environment"
  )
  static let storeKitChecksRevocation = Setting<Bool>(
    "storekit.checksRevocation",
    default: true,
    expects: "true or false",
    "Whether Apple is asked (OCSP) if the certificates still hold"
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

/// A plan with its names at the providers.
struct PlanSettings: Codable, Sendable {
  var name: String
  var title: String
  var price: Money
  var months: Int
  var stripePrice: String?
  var storekitProduct: String?

  var plan: Plan { Plan(name: name, title: title, price: price, months: months) }
}
