import Contracts
import Foundation
import ServiceKit

enum OrdersSettings {
  static let payMinutes = Setting<Int>(
    "orders.payMinutes",
    default: 15,
    in: 1...1440,
    "Minutes within which a cart, or a buy-now of an auction, must be paid; stock is reserved for so long"
  )
  static let auctionPayHours = Setting<Int>(
    "orders.auctionPayHours",
    default: 48,
    in: 1...720,
    "Hours within which the winner of an auction, or the buyer of an accepted offer, must pay"
  )
  static let auctionStrikes = Setting<Int>(
    "orders.auctionStrikes",
    default: 3,
    in: 1...100,
    "Unpaid auctions and offers, strikes included, with which a user may not bid, buy now, or make or accept an offer"
  )
  static let auctionLeads = Setting<Int>(
    "orders.auctionLeads",
    default: 10,
    in: 1...1000,
    "Running auctions that a user may lead at once"
  )
  static let feeBasisPoints = Setting<Int>(
    "orders.feeBasisPoints",
    default: 1000,
    in: 0...10_000,
    "The platform's fee on sold licenses, in basis points (hundredths of a percent)"
  )
  static let payoutMinimum = Setting<Int>(
    "orders.payoutMinimum",
    default: 1000,
    in: 1...100_000_000,
    "The smallest pay-out that sellers may request, in minor units of its currency"
  )
  static let acceptsTestPayments = Setting<Bool>(
    "payments.test",
    default: false,
    expects: "true or false",
    "Whether payments of the test provider are accepted, which move no money; refused with a live key of Stripe, and "
      + "with storekit.bundleId unless storekit.sandbox is true"
  ) { Bool($0) }
  static let testSecret = Setting<String?>(
    optional: "payments.testSecret",
    isSecret: true,
    "The secret that signs the notifications of the test provider; it accepts none when it is not set"
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
  static let acceptsSandbox = Setting<Bool>(
    "storekit.sandbox",
    default: false,
    expects: "true or false",
    "Whether purchases in Apple's sandbox and in Xcode are accepted, which move no money"
  ) { Bool($0) }
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
      + #""stripePrice":"price_…","storekitProduct":"…","features":["study.fitting"],"seats":30}]"#,
    "Premium plans; those with seats are group plans"
  ) { try? WireJSON.decode([PlanSettings].self, from: $0.utf8) }

  static let planGraceDays = Setting<Int>(
    "orders.planGraceDays",
    default: 7,
    in: 0...90,
    "Days for which a plan stays active after a renewal could not be charged"
  )

  static let all: [any SettingDescription] = [
    payMinutes, auctionPayHours, auctionStrikes, auctionLeads, feeBasisPoints, payoutMinimum, acceptsTestPayments,
    testSecret,
    stripeKey, stripeWebhookSecret, stripeURL, storeKitBundle, storeKitRoot, storeKitAppID, acceptsSandbox,
    storeKitChecksRevocation, plans, planGraceDays,
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
  var features: [FeatureName]?
  var seats: Int?

  var plan: Plan {
    Plan(name: name, title: title, price: price, months: months, features: features ?? [], seats: seats)
  }
}
