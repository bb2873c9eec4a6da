import Contracts
import Foundation
import Logging
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// Refunds by Apple that were booked before orders-033.
@Suite(.serialized)
struct EarlierAppleRefundTests {
  /// Stores what the version before stored of an order of one exclusive license for 20.00, of which Apple has made
  /// refunds.
  private static func insert(_ order: String, refunds: Int, isReversed: Bool, in tx: Transaction) throws {
    let refunded = isReversed ? 0 : 2000
    let (payment, status) = ("p-\(order)", isReversed ? "paid" : "refunded")
    let revokedAt = isReversed ? nil : Int64(5_000_000)
    try tx.execute(
      """
      INSERT INTO orders
        (id, source, status, payment_status, currency, subtotal, tax, shipping, total, credit, refunded, stock,
         created_at, placed_at, version)
      VALUES (\(order), 'cart', 'placed', \(status), 'USD', 2000, 0, 0, 2000, 0, \(refunded), 'none', 1, 2, 3)
      """)
    try tx.execute(
      """
      INSERT INTO order_lines
        (order_id, position, listing_id, license, seller_id, title, quantity, unit_amount, tax_rate, net, tax, gross)
      VALUES (\(order), 0, \("l-\(order)"), 'exclusive', 'seller', 'Beat', 1, 2000, 0, 2000, 0, 2000)
      """)
    try tx.execute(
      """
      INSERT INTO licenses
        (id, listing_id, kind, order_id, amount, currency, status, granted_at, terms, terms_hash, files, audio,
         prior_licenses)
      VALUES (\("license-\(order)"), \("l-\(order)"), 'exclusive', \(order), 2000, 'USD',
              \(isReversed ? "active" : "revoked"), 2, '', '', '', '', 0)
      """)
    try tx.execute(
      """
      INSERT INTO ledger_transfers (id, debit, credit, amount, currency, code, order_id, created_at)
      VALUES (\("\(order):sale:2"), \("order:\(order)"), 'shop:fees', 200, 'USD', 'sale', \(order), 2)
      """)
    try tx.execute(
      """
      INSERT INTO payments (id, order_id, provider, status, amount, currency, reference, created_at)
      VALUES (\(payment), \(order), 'storekit', 'succeeded', 2000, 'USD', \("t-\(order)"), 1)
      """)
    try tx.execute(
      """
      INSERT INTO storekit_transactions (id, original_id, product_id, order_id, revoked_at, signed_at)
      VALUES (\("t-\(order)"), \("t-\(order)"), 'beat', \(order), \(revokedAt), 6000000)
      """)
    for number in 0..<refunds {
      try tx.execute(
        """
        INSERT INTO refunds (id, order_id, payment_id, amount, currency, is_surplus, status, reason, created_at)
        VALUES (\("r\(number)-\(order)"), \(order), \(payment), 2000, 'USD', 0, 'succeeded', 'refunded by Apple', 4)
        """)
    }
  }

  /// A database of the version before with orders that Apple has refunded, upgraded.
  private static func run(_ kind: TestDatabase, _ body: (any Database) async throws -> Void) async throws {
    try await kind.run { database async throws in
      let (logger, added) = (Logger(label: "test"), Set(PaymentMigrations.all.map(\.name)))
      let before = Array(OrdersMigrations.all.prefix { !added.contains($0.name) })
      try await database.migrate(PlatformMigrations.all + before, logger: logger)
      try await database.write { tx in
        try insert("refunded", refunds: 1, isReversed: false, in: tx)
        try insert("reversed", refunds: 1, isReversed: true, in: tx)
        try insert("again", refunds: 2, isReversed: false, in: tx)
      }
      try await database.migrate(PlatformMigrations.all + OrdersMigrations.all, logger: logger)
      try await body(database)
    }
  }

  private static func refunds(of order: String, in database: any Database) async throws -> [StoredRefund] {
    try await database.read { try RefundStore.list(of: OrderID(trusted: order), in: $0) }
  }

  @Test("A refund that Apple made before the upgrade can be reversed and repeated", arguments: TestDatabase.allCases)
  func refundsAreKnown(_ kind: TestDatabase) async throws {
    try await Self.run(kind) { database async throws in
      let refund = try #require(try await Self.refunds(of: "refunded", in: database).first)
      #expect(refund.isByProvider)
      #expect(refund.status == .succeeded)
      #expect(refund.reference == "t-refunded@5000000")
      let parts = try await database.read { try RefundStore.parts(of: [refund.id], in: $0) }
      let share = Shares(proceeds: 1800, fee: 200, tax: 0)
      #expect(parts[refund.id] == [RefundPart(position: 0, shares: share, quantity: 1, revokes: true)])
    }
  }

  @Test("Refunds that Apple had reversed before the upgrade no longer count", arguments: TestDatabase.allCases)
  func reversalsAreKnown(_ kind: TestDatabase) async throws {
    try await Self.run(kind) { database async throws in
      #expect(try await Self.refunds(of: "reversed", in: database).map(\.status) == [.reversed])
      let both = try await Self.refunds(of: "again", in: database)
      #expect(both.map(\.status) == [.reversed, .succeeded])
      #expect(both.map(\.reference) == [nil, "t-again@5000000"])
      let refunded = try await database.read { db in
        (
          try RefundStore.refunded(of: OrderID(trusted: "reversed"), in: db),
          try RefundStore.refunded(of: OrderID(trusted: "again"), in: db)
        )
      }
      #expect(refunded == (0, 2000))
    }
  }

  @Test("Refunds by Apple are named as orders-033 names those from before")
  func namesAgree() async throws {
    try await StoreKitTests.run { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (_, order) = try await shop.pendingBeat(seller, ada)
      let token = order.id.rawValue
      _ = try await shop.submit(shop.apple.sign(shop.transaction("t1", token: token)), order, by: ada)
      #expect(try await shop.notify("REFUND", shop.transaction("t1", token: token, signedAt: 10, revoked: true)) == nil)
      let (refund, revokedAt) = try await shop.host.orders.core.database.read { db in
        (
          try RefundStore.list(of: order.id, in: db).first,
          try StoreKitStore.find("t1", in: db)?.state.revocation?.at.microseconds
        )
      }
      #expect(refund?.reference == "t1@\(try #require(revokedAt))")
    }
  }
}
