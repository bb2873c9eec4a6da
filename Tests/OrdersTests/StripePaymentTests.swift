import Contracts
import Foundation
import HTTPTypes
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Payments as Stripe makes them: foreign events, customers, and the bank's confirmation.
@Suite(.serialized)
struct StripePaymentTests {
  // MARK: foreign events

  private static func succeeded(_ intent: String, metadata: String = "{}") -> String {
    """
    {"id":"evt_\(UUID().uuidString)","type":"payment_intent.succeeded","created":1767225600,"data":{"object":\
    {"id":"\(intent)","status":"succeeded","amount":499,"currency":"usd","metadata":\(metadata)}}}
    """
  }

  @Test("M1: an intent of an invoice, which has no metadata of ours, is received without effect")
  func intentsOfInvoicesAreReceived() async throws {
    try await StripeShop.run { shop async throws in
      #expect(try await shop.notify(Self.succeeded("pi_invoice")) == 200)
    }
  }

  @Test("M1: only an id made a moment ago, whose row may follow, is asked for again")
  func onlyOurOwnNewPaymentsAreAskedForAgain() async throws {
    try await StripeShop.run { shop async throws in
      let id: PaymentID = try shop.core.ids.make()
      let metadata = #"{"payment":"\#(id)"}"#
      #expect(try await shop.notify(Self.succeeded("pi_new", metadata: metadata)) == 503)
      // An installation with the same account has made it.
      shop.host.time.advance(seconds: 3601)
      #expect(try await shop.notify(Self.succeeded("pi_new", metadata: metadata)) == 200)
    }
  }

  @Test func eventsOfUnknownTypesAreReceivedWithoutEffect() async throws {
    try await StripeShop.run { shop async throws in
      let event = #"{"id":"evt_1","type":"tax_rate.created","created":1,"data":{"object":{"id":"txr_1"}}}"#
      #expect(try await shop.notify(event) == 200)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  // MARK: customers

  @Test("M5: a kept card pays again and again", arguments: TestDatabase.allCases)
  func keptCardsPayAgain(_ database: TestDatabase) async throws {
    try await StripeShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      let card = try await shop.keep("visa", of: ada)
      #expect(card.state == .ready)
      for _ in 0..<3 { #expect(try await shop.checkOut(ada, kept: card.id).status == .placed) }
      #expect(try await shop.books().count == 3)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test("M5: all payments of a user are those of one customer")
  func usersHaveOneCustomer() async throws {
    try await StripeShop.run { shop async throws in
      let (ada, bob) = (try await shop.host.person(), try await shop.host.person())
      _ = try await shop.keep("visa", of: ada)
      var customers: [String?] = []
      for buyer in [ada, ada, bob] {
        let order = try await shop.checkOut(buyer, "visa")
        customers.append(try await shop.field("customer", of: "/v1/payment_intents/\(shop.intent(of: order))"))
      }
      #expect(customers[0]?.hasPrefix("cus_") == true)
      #expect(customers[0] == customers[1])
      #expect(customers[1] != customers[2])
      #expect(try await shop.stripe.get("/v1/customers")["data"]?.elements.count == 2)
    }
  }

  @Test("M11: a refund of a payment whose success was never reported is booked, and so is the payment")
  func refundsOfUnreportedPaymentsAreBooked() async throws {
    try await StripeShop.run { shop async throws in
      let buyer = try await shop.host.person()
      let order = try await shop.checkOut(buyer)
      let intent = try await shop.intent(of: order)
      try await shop.stripe.post("/v1/payment_intents/\(intent)/confirm", "payment_method=pm_card_visa")
      let refund = #"{"id":"re_1","amount":2499,"currency":"usd","payment_intent":"\#(intent)","status":"succeeded"}"#
      let event = #"{"id":"evt_1","type":"refund.updated","created":1,"data":{"object":\#(refund)}}"#
      // The order is paid, and is placed first.
      #expect(try await shop.notify(event) == 503)
      shop.host.time.advance(seconds: 60)
      try await shop.host.runOnce()
      #expect(try await shop.notify(event) == 200)
      #expect(try await shop.host.order(order.id, buyer).paymentStatus == .refunded)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  // MARK: the bank's confirmation

  @Test(arguments: TestDatabase.allCases)
  func buyersConfirmAtTheirBank(_ database: TestDatabase) async throws {
    try await StripeShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      let order = try await shop.checkOut(ada, "authenticationRequired")
      #expect(order.status == .pendingPayment)
      #expect(order.payment?.status == .requiresAction)
      #expect(order.payment?.clientSecret?.isEmpty == false)
      try await shop.authenticate(shop.intent(of: order), "succeed")
      #expect(try await shop.host.order(order.id, ada).status == .pendingPayment)
      try await shop.settle()
      let paid = try await shop.host.order(order.id, ada)
      #expect(paid.status == .placed)
      #expect(paid.payment?.clientSecret == nil)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test func onlyTheBuyerSeesTheClientSecret() async throws {
    try await StripeShop.run { shop async throws in
      let order = try await shop.checkOut(shop.host.person(), "authenticationRequired")
      let seen = try await shop.host.order(order.id, shop.owner)
      #expect(seen.payment?.status == .requiresAction)
      #expect(seen.payment?.clientSecret == nil)
    }
  }

  @Test func buyersWhoReturnAreNotKeptWaitingForTheNotification() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      let order = try await shop.checkOut(ada, "authenticationRequired")
      #expect(try await shop.refresh(order, ada).payment?.status == .requiresAction)
      try await shop.authenticate(shop.intent(of: order), "succeed")
      // Stripe was asked a moment ago.
      #expect(try await shop.refresh(order, ada).status == .pendingPayment)
      shop.host.time.advance(seconds: 3)
      #expect(try await shop.refresh(order, ada).status == .placed)
      let bob = try await shop.host.person()
      #expect(await refusal { _ = try await shop.refresh(order, bob) } == "order-not-found")
      try await shop.settle()
      #expect(try await shop.books().count == 1)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test func whoFailsAtTheBankPaysAgain() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      let order = try await shop.checkOut(ada, "authenticationRequired")
      try await shop.authenticate(shop.intent(of: order), "fail")
      try await shop.settle()
      let failed = try await shop.host.order(order.id, ada)
      #expect(failed.paymentStatus == .failed)
      #expect(failed.payment?.failure == "payment_intent_authentication_failure")
      #expect(try await shop.pay(order, ada, "visa").status == .placed)
      try await shop.settle()
      // The app cannot repeat the first attempt any more.
      #expect(try await shop.field("status", of: "/v1/payment_intents/\(shop.intent(of: order))") == "canceled")
      #expect(try await shop.books().count == 1)
    }
  }

  @Test func aPaymentIsContinuedWithoutATokenAndReplacedWithOne() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      let order = try await shop.checkOut(ada, "authenticationRequired")
      let continued = try await shop.pay(order, ada)
      #expect(continued.payment == order.payment)
      let replaced = try await shop.pay(order, ada, "visa")
      #expect(replaced.status == .placed)
      try await shop.settle()
      #expect(try await shop.field("status", of: "/v1/payment_intents/\(shop.intent(of: order))") == "canceled")
      #expect(try await shop.books().count == 1)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func intentsOfEndedOrdersAreCanceled(_ database: TestDatabase) async throws {
    try await StripeShop.run(database) { shop async throws in
      let (ada, bob) = (try await shop.host.person(), try await shop.host.person())
      let (expired, canceled) = (try await shop.checkOut(ada, "authenticationRequired"), try await shop.checkOut(bob))
      _ = try await bob.client.send(OrdersAPI.CancelOrder(id: canceled.id))
      shop.host.time.advance(seconds: 17 * 60)
      try await shop.settle()
      #expect(try await shop.host.order(expired.id, ada).status == .expired)
      for order in [expired, canceled] { #expect(try await shop.status(of: order) == "canceled") }
      #expect(try await shop.books().count == 0)
    }
  }

  @Test func aSuccessThatCancellationMissesIsRefunded() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      let order = try await shop.checkOut(ada, "authenticationRequired")
      let intent = try await shop.intent(of: order)
      _ = try await ada.client.send(OrdersAPI.CancelOrder(id: order.id))
      try await shop.authenticate(intent, "succeed")
      try await shop.settle()
      let books = try await shop.books()
      #expect(books.charges == order.total.amount)
      #expect(books.refunds == order.total.amount)
      #expect(try await shop.host.order(order.id, ada).status == .canceled)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test func anOrderThatStripeKnowsToBePaidDoesNotExpire() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      let order = try await shop.checkOut(ada, "authenticationRequired")
      try await shop.authenticate(shop.intent(of: order), "succeed")
      shop.host.time.advance(seconds: 17 * 60)
      try await shop.host.runOnce()
      #expect(try await shop.host.order(order.id, ada).status == .placed)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aSuccessThatOnlyTheCancellationFindsIsRefunded(_ database: TestDatabase) async throws {
    try await StripeShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      let order = try await shop.checkOut(ada)
      let (intent, core) = (try await shop.intent(of: order), try shop.core)
      let payment = try #require(order.payment)
      shop.host.time.advance(seconds: 17 * 60)
      try await shop.host.orders.runOnce("order")
      #expect(try await shop.host.order(order.id, ada).status == .expired)
      try await shop.stripe.post("/v1/payment_intents/\(intent)/confirm", "payment_method=pm_card_visa")
      // Its cancellation finds that it has succeeded.
      try await shop.host.runOnce()
      #expect(try await shop.host.order(order.id, ada).payment?.status == .succeeded)
      let books = try await shop.books()
      #expect(books.charges == payment.amount.amount)
      #expect(books.refunds == payment.amount.amount)
      #expect(try await LedgerReconciliation.discrepancies(in: core.database) == [])
    }
  }

  @Test func anAttemptThatFailedMayNeedTheBankWhenTheAppRepeatsIt() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      let order = try await shop.checkOut(ada, "chargeDeclined")
      #expect(order.payment?.status == .failed)
      let intent = try await shop.intent(of: order)
      try await shop.stripe.post(
        "/v1/payment_intents/\(intent)/confirm", "payment_method=pm_card_authenticationRequired")
      try await shop.settle()
      #expect(try await shop.host.order(order.id, ada).payment?.status == .requiresAction)
      try await shop.authenticate(intent, "succeed")
      try await shop.settle()
      #expect(try await shop.host.order(order.id, ada).status == .placed)
    }
  }

  // MARK: keys

  @Test("M19: restricted live keys count as live", arguments: ["sk_live_1", "rk_live_1"])
  func testPaymentsAreRefusedWithLiveKeys(_ key: String) async throws {
    let settings = ["stripe.key": key, "stripe.webhookSecret": "whsec_live"]
    await #expect(throws: SettingError.self) {
      try await TestPlatform.orders(settings: settings) { _ async throws in }
    }
    try await TestPlatform.orders(settings: settings.merging(["payments.test": "false"]) { $1 }) {
      _ async throws in
    }
  }

  @Test("M19: without its secret, the test provider accepts no notification")
  func theTestSecretHasNoDefault() async throws {
    #expect(TestProvider(secret: nil).secret == nil)
    #expect(throws: Problem.self) {
      _ = try TestProvider(secret: nil).notification([:], Array(#"{"id":"1"}"#.utf8))
    }
  }
}
