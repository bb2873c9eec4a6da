import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// SD3: sellers ask for their earnings, and the owner pays them.
@Suite(.serialized)
struct PayoutTests {
  @Test("SD3: a pay-out is held, paid once and booked", arguments: TestDatabase.allCases)
  func earningsArePaid(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (owner, seller) = (try await host.owner(), try await Seller.make(host))
      let payout = try await seller.request(1500, key: "one")
      #expect(payout.status == .requested)
      #expect(payout.account == PayoutAccount(holder: "Ada Lovelace", maskedIBAN: "DE****3000"))
      #expect(try await seller.request(1500, key: "one").id == payout.id)
      let held = Balance(kind: .earnings, available: Money(300, .usd), held: Money(1500, .usd))
      #expect(try await seller.earnings() == held)
      let due = try await owner.client.send(OrdersAPI.ListAllPayouts(status: .requested)).items
      #expect(due.map(\.id) == [payout.id])
      #expect(due.map(\.shortfall) == [nil])

      let paid = try await owner.pay(payout, "SEPA 1")
      #expect(paid.status == .paid)
      #expect(paid.reference == "SEPA 1")
      #expect(try await owner.pay(payout, "SEPA 1") == paid)
      #expect(await refusal { _ = try await owner.pay(payout, "SEPA 2") } == "payout-ended")
      #expect(await refusal { _ = try await owner.reject(payout) } == "payout-ended")
      let rest = Balance(kind: .earnings, available: Money(300, .usd), held: Money(0, .usd))
      #expect(try await seller.earnings() == rest)
      let booked = try await host.orders.core.database.read { db in
        try db.values("SELECT amount FROM ledger_transfers WHERE credit = 'shop:payouts'", as: Int64.self)
      }
      #expect(booked == [1500])
      let entry = try await seller.user.client.send(OrdersAPI.ListBalanceEntries()).items.first { $0.code == "payout" }
      #expect(entry?.amount == Money(-1500, .usd))
      #expect(try await seller.user.client.send(OrdersAPI.ListPayouts()).items == [paid])
      #expect(
        try await host.recorded(RealtimeEvent.self, by: OrdersAPI.self).count { $0.name == "payout.changed" } == 2)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("SD3: a rejected pay-out is available again", arguments: TestDatabase.allCases)
  func rejectedAmountsAreReleased(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (owner, seller) = (try await host.owner(), try await Seller.make(host))
      let payout = try await seller.request(1800)
      let rejected = try await owner.reject(payout)
      #expect(rejected.status == .rejected)
      #expect(rejected.reason == "The bank refuses it.")
      #expect(try await owner.reject(payout) == rejected)
      #expect(await refusal { _ = try await owner.pay(payout, "SEPA 1") } == "payout-ended")
      #expect(try await seller.earnings()?.available == Money(1800, .usd))
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("SD3: a pay-out needs an account, the minimum and earnings")
  func refusedRequests() async throws {
    try await TestPlatform.orders(settings: ["orders.payoutMinimum": "1500"]) { host async throws in
      let seller = try await Seller.make(host, hasAccount: false)
      #expect(await refusal { _ = try await seller.request(1800) } == "payout-account-not-found")
      #expect(
        await refusal { _ = try await seller.user.client.send(OrdersAPI.GetPayoutAccount()) }
          == "payout-account-not-found")
      _ = try await seller.putAccount(Seller.iban)
      #expect(await refusal { _ = try await seller.request(1499) } == "payout-too-small")
      #expect(await refusal { _ = try await seller.request(1801) } == "insufficient-earnings")
      let stranger = try await host.person()
      #expect(
        await refusal { _ = try await stranger.client.send(OrdersAPI.ListAllPayouts()) } == "forbidden")
      let payout = try await seller.request(1500)
      #expect(await refusal { _ = try await stranger.pay(payout, "SEPA 1") } == "forbidden")
      #expect(try await stranger.client.send(OrdersAPI.ListPayouts()).items.isEmpty)
    }
  }

  @Test("SD3: earnings are requested once, and paid once, however many ask at once", arguments: ShopInstances.allCases)
  func concurrentRequests(_ instances: ShopInstances) async throws {
    try await instances.run { pair async throws in
      let host = pair.one
      let (owner, seller) = (try await host.owner(), try await Seller.make(host))
      let answers = try await concurrently(0..<8) { number in
        let asking = Seller(host: host, user: pair.client(seller.user, of: number))
        return await refusal { _ = try await retryingUnavailable { try await asking.request(1800, key: "\(number)") } }
      }
      #expect(answers.counts == [nil: 1, "insufficient-earnings": 7])
      let payout = try #require(try await seller.user.client.send(OrdersAPI.ListPayouts()).items.first)
      // Each instance gets payments and rejections.
      let ends = try await concurrently(0..<8) { number in
        let staff = pair.client(owner, of: number)
        return await refusal {
          _ = try await retryingUnavailable {
            number % 4 < 2 ? try await staff.pay(payout, "SEPA \(number)") : try await staff.reject(payout)
          }
        }
      }
      #expect(Set(ends) == [nil, "payout-ended"])
      let end = try #require(try await seller.user.client.send(OrdersAPI.ListPayouts()).items.first)
      let left: Int64 = end.status == .paid ? 0 : 1800
      #expect(
        try await seller.earnings() == Balance(kind: .earnings, available: Money(left, .usd), held: Money(0, .usd)))
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("SD3: a pay-out that two of the staff pay at once is paid once", arguments: ShopInstances.allCases)
  func concurrentPayments(_ instances: ShopInstances) async throws {
    try await instances.run { pair async throws in
      let host = pair.one
      let (staff, seller) = ([try await host.owner(), try await host.owner()], try await Seller.make(host))
      let payout = try await seller.request(1800)
      let ends = try await concurrently(pair.clients(staff)) { person in
        await refusal { _ = try await retryingUnavailable { try await person.pay(payout, "SEPA of \(person.id)") } }
      }
      #expect(ends.counts == [nil: 1, "payout-ended": 1])
      let booked = try await host.orders.core.database.read { db in
        try db.values("SELECT amount FROM ledger_transfers WHERE credit = 'shop:payouts'", as: Int64.self)
      }
      #expect(booked == [1800])
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("SD3: after a refund, the held part stays, and paying it makes a debt", arguments: TestDatabase.allCases)
  func refundsLeaveTheHold(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (owner, seller) = (try await host.owner(), try await Seller.make(host, sales: 0))
      let order = try await seller.sell()
      let payout = try await seller.request(1800)
      try await seller.refund(order, by: owner)
      let due = try await owner.client.send(OrdersAPI.ListAllPayouts()).items
      #expect(due.map(\.shortfall) == [Money(1800, .usd)])
      #expect(try await seller.user.client.send(OrdersAPI.ListPayouts()).items.map(\.shortfall) == [nil])
      let owing = Balance(kind: .earnings, available: Money(-1800, .usd), held: Money(1800, .usd))
      #expect(try await seller.earnings() == owing)
      _ = try await owner.pay(payout, "SEPA 1")
      _ = try await seller.sell()
      #expect(await refusal { _ = try await seller.request(1000) } == "insufficient-earnings")
      let settled = Balance(kind: .earnings, available: Money(0, .usd), held: Money(0, .usd))
      #expect(try await seller.earnings() == settled)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("SD3: a bank account is checked, encrypted and shown in full only for the payment")
  func accountsAreConfidential() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, seller) = (try await host.owner(), try await Seller.make(host))
      #expect(throws: ValueError.self) { try IBAN(validating: "DE88370400440532013000") }
      #expect(throws: ValueError.self) { try IBAN(validating: "89DE370400440532013000") }
      #expect(try IBAN(validating: "gb82 WEST 1234 5698 7654 32").rawValue == "GB82WEST12345698765432")
      let wrong = #"{"holder": "Ada", "iban": "DE88370400440532013000"}"#
      #expect(try await host.send(.put, "/v1/payout-account", wrong, by: seller.user).status == 422)
      // The groups of this one look like a card number.
      let grouped = #"{"holder": "Ada", "iban": "DE84 3704 0044 0000 0001 00"}"#
      #expect(try await host.send(.put, "/v1/payout-account", grouped, by: seller.user).status == 200)
      let card = #"{"holder": "4242 4242 4242 4242", "iban": "DE89370400440532013000"}"#
      #expect(try await host.send(.put, "/v1/payout-account", card, by: seller.user).status == 422)
      #expect(try await seller.user.client.send(OrdersAPI.GetPayoutAccount()).maskedIBAN == "DE****0100")

      let payout = try await seller.request(1800)
      let stored = try await host.orders.core.database.read { db in
        try db.values("SELECT account FROM payouts UNION ALL SELECT account FROM payout_accounts", as: String.self)
      }
      #expect(stored.count == 2)
      #expect(stored.allSatisfy { $0.hasPrefix("v1.") && !$0.contains("DE84") })
      let full = try await owner.client.send(OrdersAPI.GetPayoutBankAccount(id: payout.id))
      #expect(full.iban.rawValue == "DE84370400440000000100")
      let looks = try await host.orders.core.database.read { db in
        try db.count("SELECT COUNT(*) FROM audit WHERE action = 'payout.bank-account-viewed'")
      }
      #expect(looks == 1)
      let refused = await refusal {
        _ = try await seller.user.client.send(OrdersAPI.GetPayoutBankAccount(id: payout.id))
      }
      #expect(refused == "forbidden")
    }
  }

  @Test("SD3: what a deleted account has earned stays due", arguments: TestDatabase.allCases)
  func deletedSellersAreStillPaid(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (owner, seller) = (try await host.owner(), try await Seller.make(host, sales: 2))
      let before = try await seller.request(1800)
      _ = try await owner.pay(before, "SEPA 1")
      host.time.advance(seconds: 1)
      try await host.deliver(UserDeleted(userID: seller.user.id), from: AuthAPI.self, to: OrdersAPI.self)
      let payouts = try await owner.client.send(OrdersAPI.ListAllPayouts()).items
      #expect(payouts.map(\.sellerID) == [nil, nil])
      #expect(payouts.map(\.account?.maskedIBAN) == ["DE****3000", nil])
      let due = try #require(payouts.first)
      #expect(due.amount == Money(1800, .usd))
      #expect(await refusal { _ = try await owner.reject(due) } == "payout-is-due")
      let named = try await host.orders.core.database.read { [id = seller.user.id] db in
        try db.count("SELECT COUNT(*) FROM payout_accounts WHERE user_id = \(id)")
          + db.count("SELECT COUNT(*) FROM sales WHERE seller_id = \(id)")
          + db.count("SELECT COUNT(*) FROM sales_months WHERE seller_id = \(id)")
      }
      #expect(named == 0)
      // The deletion is repeated.
      try await host.deliver(UserDeleted(userID: seller.user.id), from: AuthAPI.self, to: OrdersAPI.self)
      #expect(try await owner.client.send(OrdersAPI.ListAllPayouts()).items.count == 2)
      #expect(try await owner.client.send(OrdersAPI.GetPayoutBankAccount(id: due.id)).iban.rawValue == Seller.iban)
      _ = try await owner.pay(due, "SEPA 2")
      let gone = await refusal { _ = try await owner.client.send(OrdersAPI.GetPayoutBankAccount(id: due.id)) }
      #expect(gone == "payout-account-not-found")
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("SD3: of a deleted account's pay-out, what refunds have left stays due", arguments: TestDatabase.allCases)
  func deletedSellersInDebt(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (owner, seller) = (try await host.owner(), try await Seller.make(host))
      try await host.deliver(UserDeleted(userID: seller.user.id), from: AuthAPI.self, to: OrdersAPI.self)
      let due = try #require(try await owner.client.send(OrdersAPI.ListAllPayouts()).items.first)
      let back = Transfer(
        id: "back", from: .earnings(seller.user.id), to: .losses, amount: Money(500, .usd), code: "return")
      try await host.orders.core.database.write { tx in try LedgerStore.post([back], in: tx) }
      #expect(try await owner.reject(due).status == .rejected)
      let rest = try await owner.client.send(OrdersAPI.ListAllPayouts(status: .requested)).items
      #expect(rest.map(\.amount) == [Money(1300, .usd)])
      #expect(rest.map(\.account?.maskedIBAN) == ["DE****3000"])
      #expect(rest.map(\.shortfall) == [nil])
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("SD3: a seller's export has sales, pay-outs and the bank account")
  func export() async throws {
    try await TestPlatform.orders { host async throws in
      let seller = try await Seller.make(host)
      _ = try await seller.request(1800)
      let plugin = try host.orders
      let export = try await plugin.export(seller.user.id, from: plugin.core.database)
      #expect(export["sales"]?.elements.count == 1)
      #expect(export["payouts"]?.elements.count == 1)
      #expect(export["payoutAccount"]?["iban"] == .string(Seller.iban))
    }
  }
}
