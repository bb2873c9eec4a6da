import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// M4: what Apple has charged is never lost, however late and for whatever it is handed in.
@Suite(.serialized)
struct LatePurchaseTests {
  private static func expire(_ shop: StoreKitTests.Shop) async throws {
    shop.host.time.advance(seconds: 16 * 60)
    try await shop.host.runOnce()
  }

  private static func credit(_ user: TestUser) async throws -> Money? {
    try await user.client.send(OrdersAPI.GetBalance()).items.first { $0.kind == .credit }?.available
  }

  @Test("M4: a payment after the order has expired places it if the right is free", arguments: TestDatabase.allCases)
  func placedLate(_ database: TestDatabase) async throws {
    try await StoreKitTests.run(database: database) { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (beat, order) = try await shop.pendingBeat(seller, ada)
      try await Self.expire(shop)
      #expect(try await shop.host.order(order.id, ada).status == .expired)
      let signed = try shop.apple.sign(shop.transaction("t1", token: order.id.rawValue))
      let result = try await shop.submit(signed, order, by: ada)
      #expect(result.order?.status == .placed)
      #expect(result.credited == nil)
      #expect(try await ada.client.send(OrdersAPI.ListLicenses()).items.map(\.status) == [.active])
      #expect(try await shop.submit(signed, order, by: ada) == result)
      let eve = try await shop.host.person()
      #expect(await refusal { try await shop.host.add(beat, .exclusive, to: eve) } == "listing-not-for-sale")
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test("M4: a payment after the order has expired ends an auction of the right that has no bids")
  func placedDuringAnAuction() async throws {
    try await StoreKitTests.run { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (beat, order) = try await shop.pendingBeat(seller, ada)
      try await Self.expire(shop)
      let auction = try await shop.host.auction(beat, seller)
      let signed = try shop.apple.sign(shop.transaction("t1", token: order.id.rawValue))
      #expect(try await shop.submit(signed, order, by: ada).order?.status == .placed)
      #expect(try await ada.auction(auction).status == .canceled)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test("M4: Apple's notification alone places the order that its token names", arguments: TestDatabase.allCases)
  func placedByNotification(_ database: TestDatabase) async throws {
    try await StoreKitTests.run(database: database) { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (_, order) = try await shop.pendingBeat(seller, ada)
      try await Self.expire(shop)
      let bought = shop.transaction("t1", token: order.id.rawValue)
      #expect(try await shop.notify("ONE_TIME_CHARGE", bought) == nil)
      #expect(try await shop.host.order(order.id, ada).status == .placed)
      #expect(try await shop.submit(shop.apple.sign(bought), order, by: ada).order?.status == .placed)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test("M4: if the right is sold meanwhile, the amount becomes store credit, once", arguments: TestDatabase.allCases)
  func creditedWhenSold(_ database: TestDatabase) async throws {
    try await StoreKitTests.run(database: database) { shop async throws in
      let (seller, ada, bob) = (
        try await shop.host.person(), try await shop.host.person(), try await shop.host.person()
      )
      let (beat, order) = try await shop.pendingBeat(seller, ada)
      try await Self.expire(shop)
      try await shop.host.add(beat, .exclusive, to: bob)
      let sold = try await shop.host.checkOut(bob, nil)
      _ = try await shop.submit(shop.apple.sign(shop.transaction("t1", token: sold.id.rawValue)), sold, by: bob)
      let late = try shop.apple.sign(shop.transaction("t2", token: order.id.rawValue))
      for _ in 0..<3 {
        let result = try await shop.submit(late, order, by: ada)
        #expect(result.order?.status == .expired)
        #expect(result.credited == Money(2000, .usd))
      }
      #expect(try await Self.credit(ada) == Money(2000, .usd))
      #expect(try await bob.client.send(OrdersAPI.ListLicenses()).items.map(\.status) == [.active])
      let pushed = try await shop.host.orders.core.database.read { db in
        try db.values("SELECT data FROM outbox WHERE type = \(PushRequested.type)", as: String.self)
      }
      #expect(pushed.count { $0.contains(ada.id.rawValue) } == 1)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test("M4: a payment for an order that its buyer has canceled becomes store credit")
  func creditedWhenCanceled() async throws {
    try await StoreKitTests.run { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (_, order) = try await shop.pendingBeat(seller, ada)
      _ = try await ada.client.send(OrdersAPI.CancelOrder(id: order.id))
      let signed = try shop.apple.sign(shop.transaction("t1", token: order.id.rawValue))
      #expect(try await shop.submit(signed, order, by: ada).credited == Money(2000, .usd))
      #expect(try await Self.credit(ada) == Money(2000, .usd))
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test("Store credit for a late payment is taken back when Apple refunds it, and returned with a reversal")
  func refundedCredit() async throws {
    try await StoreKitTests.run { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (_, order) = try await shop.pendingBeat(seller, ada)
      _ = try await ada.client.send(OrdersAPI.CancelOrder(id: order.id))
      let token = order.id.rawValue
      _ = try await shop.submit(shop.apple.sign(shop.transaction("t1", token: token)), order, by: ada)
      for (signedAt, revoked, left) in [(10.0, true, Int64(0)), (20, false, 2000), (30, true, 0), (40, false, 2000)] {
        let state = shop.transaction("t1", token: token, signedAt: signedAt, revoked: revoked)
        #expect(try await shop.notify(revoked ? "REFUND" : "REFUND_REVERSED", state) == nil)
        #expect(try await Self.credit(ada) == Money(left, .usd), "\(signedAt)")
        #expect(try await shop.host.order(order.id, ada).status == .canceled)
        #expect(try await shop.host.ledgerBalances(), "\(signedAt)")
      }
    }
  }

  @Test("M4: a second purchase for an order that is paid becomes store credit")
  func creditedWhenPaid() async throws {
    try await StoreKitTests.run { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (_, order) = try await shop.pendingBeat(seller, ada)
      for id in ["t1", "t2"] {
        let signed = try shop.apple.sign(shop.transaction(id, token: order.id.rawValue))
        _ = try await shop.submit(signed, order, by: ada)
      }
      #expect(try await Self.credit(ada) == Money(2000, .usd))
      #expect(try await shop.host.order(order.id, ada).paymentStatus == .paid)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test("M4: what fits no order is kept for staff, and booked when the app names the right order")
  func unmatched() async throws {
    try await StoreKitTests.run { shop async throws in
      let owner = try await shop.host.owner()
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (_, order) = try await shop.pendingBeat(seller, ada)
      let cheap = shop.transaction("t1", token: ada.id.rawValue, price: 990)
      #expect(
        await refusal { _ = try await shop.submit(shop.apple.sign(cheap), order, by: ada) } == "transaction-mismatch")
      let early = shop.transaction("t2", token: ada.id.rawValue)
      #expect(try await shop.notify("ONE_TIME_CHARGE", early) == nil)
      let gold = shop.transaction("t3", token: ada.id.rawValue, product: "gold", expires: 86_400)
      #expect(try await shop.notify("SUBSCRIBED", gold) == nil)
      func kept() async throws -> [String] {
        try await owner.client.send(OrdersAPI.ListUnmatchedPurchases()).items
          .map { "\($0.transactionID) \($0.reason.rawValue)" }.sorted()
      }
      #expect(try await kept() == ["t1 price", "t2 orderMissing", "t3 product"])
      #expect(try await shop.submit(shop.apple.sign(early), order, by: ada).order?.status == .placed)
      #expect(try await kept() == ["t1 price", "t3 product"])
      let first = try await owner.client.send(OrdersAPI.ListUnmatchedPurchases(limit: PageSize(checked: 1)))
      let second = try await owner.client.send(OrdersAPI.ListUnmatchedPurchases(cursor: first.nextCursor))
      #expect(Set((first.items + second.items).map(\.transactionID)) == ["t1", "t3"])
      #expect(await refusal { _ = try await ada.client.send(OrdersAPI.ListUnmatchedPurchases()) } == "forbidden")
      #expect(try await shop.host.ledgerBalances())
    }
  }
}
