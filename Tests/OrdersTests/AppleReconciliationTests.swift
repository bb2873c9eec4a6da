import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// `orders reconcile --provider apple`, with transactions signed by a test certificate chain.
@Suite(.serialized)
struct AppleReconciliationTests {
  private static func reconcile(
    _ transactions: [String], _ shop: StoreKitTests.Shop, repairs: Bool = false
  ) async throws -> [String] {
    try await TemporaryFolder.run { folder in
      let file = "\(folder)/report.txt"
      let signed = try transactions.map { try shop.apple.sign($0) }
      try signed.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
      let lines = Lines()
      let summary = try await shop.host.orders.reconcile(.storekit, file: file, repairs: repairs) { lines.add($0) }
      #expect(summary.differences == lines.all.count)
      return lines.all
    }
  }

  @Test("Apple's purchases and refunds that are missing are found and booked", arguments: TestDatabase.allCases)
  func differences(_ database: TestDatabase) async throws {
    try await StoreKitTests.run(database: database) { shop async throws in
      let seller = try await shop.host.person()
      let buyers = try await shop.host.people(60)
      var orders: [Order] = []
      for buyer in buyers { orders.append(try await shop.pendingBeat(seller, buyer).1) }
      func bought(_ index: Int, signedAt: Double = 0, revoked: Bool = false, price: Int64 = 20_000) -> String {
        shop.transaction(
          "t\(index)", token: orders[index].id.rawValue, price: price, signedAt: signedAt, revoked: revoked)
      }
      for index in 0..<56 {
        _ = try await shop.submit(shop.apple.sign(bought(index)), orders[index], by: buyers[index])
      }
      #expect(try await Self.reconcile((0..<56).map { bought($0) }, shop).isEmpty)
      // A wrong price, an unknown order, a refund and a purchase that were not reported, and one that Apple does not have.
      _ = await refusal {
        _ = try await shop.submit(shop.apple.sign(bought(57, price: 990)), orders[57], by: buyers[57])
      }
      let stray = shop.transaction("t99", token: buyers[0].id.rawValue)
      var report = (1..<56).map { bought($0) }
      report[0] = bought(1, signedAt: 5, revoked: true)
      report[1] = bought(2, price: 10_000)
      report += [bought(56), bought(57, price: 990), stray]
      let wanted = [
        "missing here: t56: 20.00 USD, beat", "missing here: t99: 20.00 USD, beat",
        "missing there: t0: 20.00 USD of order \(orders[0].id)", "other amount: t2: 10.00 USD there, 20.00 USD here",
        "refund missing here: t1: 20.00 USD there, 0.00 USD here", "unmatched: t57: 0.99 USD, beat: price",
      ]
      #expect(try await Self.reconcile(report, shop).sorted() == wanted)
      let repaired = try await Self.reconcile(report, shop, repairs: true)
      #expect(repaired.count { $0.hasSuffix("(repaired)") } == 2)
      shop.host.time.advance(seconds: 11)
      try await shop.host.runOnce()
      #expect(try await shop.host.order(orders[56].id, buyers[56]).status == .placed)
      #expect(try await shop.host.order(orders[1].id, buyers[1]).paymentStatus == .refunded)
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test("A reported line that Apple has not signed ends the comparison with its number")
  func forgedLines() async throws {
    try await StoreKitTests.run { shop async throws in
      let other = try StoreKitTests.Apple(at: shop.host.time.source.now())
      try await TemporaryFolder.run { folder in
        let file = "\(folder)/report.txt"
        let lines = [try shop.apple.sign(shop.transaction("t1", token: "x")), try other.sign("{}")]
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        await #expect { _ = try await shop.host.orders.reconcile(.storekit, file: file) { _ in } } throws: { error in
          (error as? AppleReconciliation.InvalidLine)?.number == 2
        }
      }
    }
  }
}
