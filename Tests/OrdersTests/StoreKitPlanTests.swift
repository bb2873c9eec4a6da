import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Plans that are bought in the App Store.
@Suite(.serialized)
struct StoreKitPlanTests {
  private static let month = 30 * 86_400.0
  private static let plans = #"""
    [{"name":"premium","title":"Premium","price":{"amount":499,"currency":"USD"},"months":1,"storekitProduct":"premium"},
     {"name":"gold","title":"Gold","price":{"amount":999,"currency":"USD"},"months":1,"storekitProduct":"gold"}]
    """#

  private struct Subscriber: Sendable {
    let shop: StoreKitTests.Shop
    let user: TestUser

    func transaction(
      _ id: String, _ product: String, signedAt: Double, boughtAt: Double = 0, until: Double, revoked: Bool = false,
      isUpgraded: Bool = false
    ) -> String {
      shop.transaction(
        id, token: user.id.rawValue, product: product, signedAt: signedAt, revoked: revoked, expires: until,
        original: "o1", boughtAt: boughtAt, extra: isUpgraded ? #","isUpgraded":true"# : "")
    }

    func renewal(
      _ status: Int, next: String = "premium", signedAt: Double, isRetrying: Bool = false, grace: Double? = nil
    ) -> String {
      let now = shop.host.time.source.now().unixSeconds * 1000
      let until = grace.map { #","gracePeriodExpiresDate":\#(now + Int64($0 * 1000))"# } ?? ""
      return """
        {"originalTransactionId":"o1","environment":"Sandbox","autoRenewStatus":\(status),\
        "autoRenewProductId":"\(next)","isInBillingRetryPeriod":\(isRetrying)\(until),\
        "signedDate":\(now + Int64(signedAt * 1000))}
        """
    }

    func plan() async throws -> Subscription {
      let all = try await user.client.send(OrdersAPI.ListSubscriptions()).items
      #expect(all.count == 1)
      return try #require(all.first)
    }
  }

  private static func run(_ body: (Subscriber) async throws -> Void) async throws {
    try await StoreKitTests.run(settings: ["orders.plans": plans]) { shop async throws in
      let subscriber = Subscriber(shop: shop, user: try await shop.host.person())
      let first = subscriber.transaction("s1", "premium", signedAt: 0, until: month)
      #expect(try await shop.submit(shop.apple.sign(first), by: subscriber.user).subscription?.plan == "premium")
      try await body(subscriber)
    }
  }

  @Test("M14: an upgrade changes the plan, in any order of its notifications", arguments: [false, true])
  func upgrade(_ isReversed: Bool) async throws {
    try await Self.run { subscriber async throws in
      let old = subscriber.transaction("s1", "premium", signedAt: 10, until: Self.month, isUpgraded: true)
      let new = subscriber.transaction("s2", "gold", signedAt: 10, boughtAt: 10, until: Self.month)
      let renewal = subscriber.renewal(1, next: "gold", signedAt: 10)
      for state in isReversed ? [new, old] : [old, new] {
        #expect(try await subscriber.shop.notify("DID_CHANGE_RENEWAL_PREF", state, renewal: renewal) == nil)
      }
      let plan = try await subscriber.plan()
      #expect(plan.plan == "gold")
      #expect(plan.isActive)
      #expect(plan.renews)
    }
  }

  @Test("M14: a downgrade begins with the next period")
  func downgrade() async throws {
    try await Self.run { subscriber async throws in
      let state = subscriber.transaction("s1", "premium", signedAt: 10, until: Self.month)
      let renewal = subscriber.renewal(1, next: "gold", signedAt: 10)
      #expect(try await subscriber.shop.notify("DID_CHANGE_RENEWAL_PREF", state, renewal: renewal) == nil)
      #expect(try await subscriber.plan().plan == "premium")
      #expect(try await subscriber.plan().nextPlan == "gold")
      let next = subscriber.transaction(
        "s2", "gold", signedAt: Self.month, boughtAt: Self.month, until: 2 * Self.month)
      let renewed = subscriber.renewal(1, next: "gold", signedAt: Self.month)
      #expect(try await subscriber.shop.notify("DID_RENEW", next, renewal: renewed) == nil)
      #expect(try await subscriber.plan().plan == "gold")
      #expect(try await subscriber.plan().nextPlan == nil)
    }
  }

  @Test("M14: the renewal in the newest renewal information is shown")
  func renewalStatus() async throws {
    try await Self.run { subscriber async throws in
      for (status, signedAt, renews) in [(0, 10.0, false), (1, 5, false), (1, 20, true)] {
        let state = subscriber.transaction("s1", "premium", signedAt: signedAt, until: Self.month)
        let renewal = subscriber.renewal(status, signedAt: signedAt)
        #expect(try await subscriber.shop.notify("DID_CHANGE_RENEWAL_STATUS", state, renewal: renewal) == nil)
        #expect(try await subscriber.plan().renews == renews)
      }
    }
  }

  @Test("M14: after a failed renewal the plan stays active in Apple's grace period, and ends after it")
  func grace() async throws {
    try await Self.run { subscriber async throws in
      let (shop, host) = (subscriber.shop, subscriber.shop.host)
      host.time.advance(seconds: Self.month + 60)
      let state = subscriber.transaction("s1", "premium", signedAt: 0, boughtAt: -Self.month - 60, until: -60)
      let failed = subscriber.renewal(1, signedAt: 0, isRetrying: true, grace: 86_400 * 6)
      #expect(try await shop.notify("DID_FAIL_TO_RENEW", state, renewal: failed) == nil)
      var plan = try await subscriber.plan()
      #expect(plan.isActive)
      #expect(plan.status == .pastDue)
      #expect(plan.graceUntil == host.time.source.now().advanced(bySeconds: 86_400 * 6))
      host.time.advance(seconds: 86_400 * 6 + 1)
      try await host.runOnce()
      let late = subscriber.transaction("s1", "premium", signedAt: 0, boughtAt: -Self.month, until: -7 * 86_400)
      let retrying = subscriber.renewal(1, signedAt: 0, isRetrying: true)
      #expect(try await shop.notify("GRACE_PERIOD_EXPIRED", late, renewal: retrying) == nil)
      plan = try await subscriber.plan()
      #expect(!plan.isActive)
      #expect(plan.status == .pastDue)
      let ended = subscriber.transaction("s1", "premium", signedAt: 10, boughtAt: -Self.month, until: -7 * 86_400)
      #expect(try await shop.notify("EXPIRED", ended, renewal: subscriber.renewal(0, signedAt: 10)) == nil)
      #expect(try await subscriber.plan().status == .ended)
      #expect(try await subscriber.plan().renews == false)
    }
  }

  @Test("M14: a revoked plan ends, and a reversal restores it", arguments: ["REFUND", "REVOKE"])
  func revoked(_ type: String) async throws {
    try await Self.run { subscriber async throws in
      for (name, signedAt, isRevoked) in [(type, 10.0, true), ("REFUND_DECLINED", 15, false)] {
        let state = subscriber.transaction(
          "s1", "premium", signedAt: signedAt, until: Self.month, revoked: isRevoked)
        #expect(try await subscriber.shop.notify(name, state) == nil)
        #expect(try await subscriber.plan().isActive == false)
      }
      let reversed = subscriber.transaction("s1", "premium", signedAt: 20, until: Self.month)
      #expect(try await subscriber.shop.notify("REFUND_REVERSED", reversed) == nil)
      #expect(try await subscriber.plan().isActive)
    }
  }

  @Test("M14: an extended period counts; a price increase, an offer and a test change nothing")
  func others() async throws {
    try await Self.run { subscriber async throws in
      for type in ["PRICE_INCREASE", "OFFER_REDEEMED", "SUBSCRIBED"] {
        let state = subscriber.transaction("s1", "premium", signedAt: 10, until: Self.month)
        #expect(try await subscriber.shop.notify(type, state, renewal: subscriber.renewal(1, signedAt: 10)) == nil)
        #expect(try await subscriber.plan().isActive)
      }
      let extended = subscriber.transaction("s1", "premium", signedAt: 20, until: Self.month + 86_400)
      #expect(try await subscriber.shop.notify("RENEWAL_EXTENDED", extended) == nil)
      let until = subscriber.shop.host.time.source.now().advanced(bySeconds: Self.month + 86_400)
      #expect(try await subscriber.plan().until == until)
      let test =
        #"{"notificationType":"TEST","notificationUUID":"n","signedDate":1,"data":{"bundleId":"app.archived","#
        + #""environment":"Sandbox"}}"#
      let body = RawBody(Array(#"{"signedPayload":"\#(try subscriber.shop.apple.sign(test))"}"#.utf8))
      _ = try await subscriber.shop.host.client.send(OrdersAPI.ReceiveWebhook(provider: .storekit, body: body))
    }
  }
}
