import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Kept cards: setup, what they show, their end, and the contact data of payments.
@Suite(.serialized)
struct StripeMethodTests {
  private static func methods(of user: TestUser) async throws -> [PaymentMethod] {
    try await user.client.send(OrdersAPI.ListPaymentMethods()).items
  }

  private static func customer(of user: TestUser, in shop: StripeShop) async throws -> String {
    let found = try await shop.core.database.read { db in try StripeCustomerStore.find(user.id, in: db) }
    return try #require(found)
  }

  /// The token of a kept card.
  private static func token(_ id: PaymentMethodID, in shop: StripeShop) async throws -> String {
    let store = try shop.core.methods
    let token = try await shop.core.database.read { db in try store.find(id, in: db).flatMap(store.token) }
    return try #require(token).rawValue
  }

  @Test(arguments: TestDatabase.allCases)
  func keptCardsShowBrandLastFourAndExpiry(_ database: TestDatabase) async throws {
    try await StripeShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      let card = try await shop.keep("mastercard", of: ada, label: "my blue card")
      #expect(card.state == .ready)
      #expect(card.label == "my blue card")
      #expect(card.card?.brand == "mastercard")
      #expect(card.card?.lastFour == "4444")
      let expiry = try #require(card.card)
      #expect((1...12).contains(expiry.expiryMonth))
      #expect(expiry.expiryYear > 2025)
      #expect(try await Self.methods(of: ada) == [card])
      let attached = try await shop.field("customer", of: "/v1/payment_methods/\(Self.token(card.id, in: shop))")
      #expect(try await attached == Self.customer(of: ada, in: shop))
    }
  }

  @Test func aSetupMayNeedTheBanksConfirmation() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      let card = try await shop.keep("authenticationRequired", of: ada)
      #expect(card.state == .requiresAction)
      #expect(card.clientSecret?.isEmpty == false)
      let pays = await refusal { _ = try await shop.checkOut(ada, kept: card.id) }
      #expect(pays == "payment-method-not-ready")
      let setup = try #require(card.clientSecret?.split(separator: "_secret_").first)
      try await shop.authenticate(String(setup), "succeed", kind: "setup_intents")
      let ready = try await ada.client.send(OrdersAPI.RefreshPaymentMethod(id: card.id))
      #expect(ready.state == .ready)
      #expect(ready.clientSecret == nil)
      #expect(ready.card?.lastFour == "3184")
    }
  }

  @Test func aNotificationFinishesASetup() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      let (good, bad) = (
        try await shop.keep("authenticationRequired", of: ada), try await shop.keep("authenticationRequired", of: ada)
      )
      for (card, outcome) in [(good, "succeed"), (bad, "fail")] {
        let setup = try #require(card.clientSecret?.split(separator: "_secret_").first)
        try await shop.authenticate(String(setup), outcome, kind: "setup_intents")
      }
      try await shop.settle()
      let methods = try await Self.methods(of: ada)
      #expect(methods.map(\.state) == [.ready, .failed])
      #expect(methods.last?.failure == "setup_intent_authentication_failure")
    }
  }

  @Test func aRefusedCardIsNotKept() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      let card = try await shop.keep("chargeDeclined", of: ada)
      #expect(card.state == .failed)
      #expect(card.failure == "card_declined")
    }
  }

  @Test func theAppMayCollectTheCard() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      let empty = try await shop.keep(nil, of: ada)
      #expect(empty.state == .requiresAction)
      let setup = try #require(empty.clientSecret?.split(separator: "_secret_").first)
      try await shop.stripe.post("/v1/setup_intents/\(setup)/confirm", "payment_method=pm_card_visa")
      try await shop.settle()
      #expect(try await Self.methods(of: ada).map(\.state) == [.ready])
      #expect(try await shop.checkOut(ada, kept: empty.id).status == .placed)
    }
  }

  @Test func aLostResponseIsMadeUpForByTheJob() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      try await shop.stripe.fail("/v1/setup_intents", with: "status500AfterCommit")
      #expect(try await shop.keep("visa", of: ada).state == .pending)
      shop.host.time.advance(seconds: 11)
      try await shop.host.runOnce()
      #expect(try await Self.methods(of: ada).map(\.state) == [.ready])
      #expect(try await shop.stripe.get("/v1/setup_intents")["data"]?.elements.count == 1)
    }
  }

  @Test func aNewExpiryIsFollowed() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      let card = try await shop.keep("visa", of: ada)
      try await shop.stripe.post(
        "/v1/payment_methods/\(Self.token(card.id, in: shop))", "card[exp_month]=7&card[exp_year]=2041")
      try await shop.settle()
      let shown = try #require(try await Self.methods(of: ada).first?.card)
      #expect(shown.expiryMonth == 7)
      #expect(shown.expiryYear == 2041)
    }
  }

  @Test func aCardThatStripeDetachesIsGone() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      let card = try await shop.keep("visa", of: ada)
      try await shop.stripe.post("/v1/payment_methods/\(Self.token(card.id, in: shop))/detach")
      try await shop.settle()
      #expect(try await Self.methods(of: ada).isEmpty)
    }
  }

  @Test func aDeletedCardIsDetachedEvenIfStripeDoesNotRespond() async throws {
    try await StripeShop.run { shop async throws in
      let ada = try await shop.host.person()
      let card = try await shop.keep("visa", of: ada)
      let token = try await Self.token(card.id, in: shop)
      try await shop.stripe.fail("/v1/payment_methods/*/detach", with: "status500")
      _ = try await ada.client.send(OrdersAPI.DeletePaymentMethod(id: card.id))
      #expect(try await Self.methods(of: ada).isEmpty)
      for _ in 0..<2 {
        try await shop.host.runOnce()
        shop.host.time.advance(seconds: 60)
      }
      #expect(try await shop.field("customer", of: "/v1/payment_methods/\(token)") == nil)
      let bob = try await shop.host.person()
      _ = try await bob.client.send(OrdersAPI.DeletePaymentMethod(id: card.id))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletedAccountsCustomerIsDeleted(_ database: TestDatabase) async throws {
    try await StripeShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      _ = try await shop.keep("visa", of: ada)
      let customer = try await Self.customer(of: ada, in: shop)
      let plugin = try shop.host.orders
      try await plugin.core.database.write { tx in try plugin.eraseAll(of: ada.id, in: tx) }
      try await shop.host.runOnce()
      #expect(try await shop.stripe.get("/v1/customers/\(customer)")["deleted"] == .bool(true))
      let left = try await plugin.core.database.read { db in
        try db.exists("SELECT 1 FROM stripe_customers UNION SELECT 1 FROM payment_methods")
      }
      #expect(!left)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func tokensAndSecretsAreStoredEncrypted(_ database: TestDatabase) async throws {
    try await StripeShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      let card = try await shop.keep("authenticationRequired", of: ada)
      let stored = try await shop.core.database.read { db in
        try db.first("SELECT token, client_secret FROM payment_methods WHERE id = \(card.id)") { row in
          (token: try row["token"] as String, secret: try row["client_secret"] as String)
        }
      }
      let row = try #require(stored)
      #expect(row.token.hasPrefix("v1."))
      #expect(row.secret.hasPrefix("v1."))
      let plugin = try shop.host.orders
      let export = String(
        decoding: try WireJSON.encode(await plugin.export(ada.id, from: plugin.core.database)), as: UTF8.self)
      #expect(!export.contains("_secret_"))
    }
  }

  // MARK: contact data

  @Test(arguments: TestDatabase.allCases)
  func contactDataOfPaymentsIsEncryptedExportedAndErased(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (ada, bob) = (try await host.person(), try await host.person())
      let settings = PaymentSettings(
        name: ShortText(checked: "Ada Lovelace"), email: EmailAddress(checked: "ada@example.com"),
        address: TestPlatform.address)
      let put = OrdersAPI.PutPaymentSettings(name: settings.name, email: settings.email, address: settings.address)
      #expect(try await ada.client.send(put) == settings)
      #expect(try await ada.client.send(OrdersAPI.GetPaymentSettings()) == settings)
      #expect(try await bob.client.send(OrdersAPI.GetPaymentSettings()) == PaymentSettings())
      let plugin = try host.orders
      let stored = try await plugin.core.database.read { db in
        try db.values("SELECT contact FROM payment_settings", as: String.self)
      }
      #expect(stored.count == 1)
      #expect(stored.allSatisfy { $0.hasPrefix("v1.") })
      let export = try await plugin.export(ada.id, from: plugin.core.database)
      #expect(String(decoding: try WireJSON.encode(export), as: UTF8.self).contains("ada@example.com"))
      try await plugin.core.database.write { tx in try plugin.eraseAll(of: ada.id, in: tx) }
      #expect(try await ada.client.send(OrdersAPI.GetPaymentSettings()) == PaymentSettings())
    }
  }
}
