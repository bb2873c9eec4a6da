import Contracts
import Foundation
import Persistence
import ServiceKit

/// Compares transactions that Apple has signed with the ledger: one JWS per line, as in `signedTransactions` of the App
/// Store Server API's transaction history
/// (developer.apple.com/documentation/appstoreserverapi/get-transaction-history).
struct AppleReconciliation: Sendable {
  struct InvalidLine: Error, CustomStringConvertible {
    var number: Int
    var reason: String
    var description: String { "line \(number) is not a transaction that Apple has signed for this app: \(reason)" }
  }

  let storeKit: StoreKit
  let plans: Plans
  let comparison: Reconciliation

  /// How many transactions are looked up at once.
  private static let pageSize = 50

  func run(_ file: String) async throws {
    let lines = try LineReader(path: file)
    var page: [StoreKitTransaction] = []
    var number = 0
    while let line = try lines.next() {
      number += 1
      let text = line.trimmingCharacters(in: .whitespaces)
      if text.isEmpty { continue }
      do { page.append(try await storeKit.verified(SignedText(validating: text))) } catch {
        throw InvalidLine(number: number, reason: "\(error)")
      }
      guard page.count == Self.pageSize else { continue }
      try await compare(page)
      page = []
    }
    try await compare(page)
    try await findMissing()
  }

  private struct Stored: Sendable {
    var purchases: [String: StoreKitPurchase] = [:]
    var payments: [String: ReconciliationStore.BookedPayment] = [:]
    /// The amounts that are booked as refunded by Apple, per payment.
    var refunded: [String: Int64] = [:]
  }

  private func stored(_ ids: [String]) async throws -> Stored {
    try await comparison.database.read { db in
      var stored = Stored()
      for purchase in try StoreKitStore.find(ids, in: db) { stored.purchases[purchase.id] = purchase }
      for payment in try ReconciliationStore.payments(ids, of: .storekit, in: db) {
        if let reference = payment.reference { stored.payments[reference] = payment }
      }
      for refund in try ReconciliationStore.refunds(ofPayments: ids, of: .storekit, in: db)
      where refund.status == .succeeded {
        stored.refunded[refund.payment, default: 0] += refund.booked?.amount ?? 0
      }
      return stored
    }
  }

  private func compare(_ transactions: [StoreKitTransaction]) async throws {
    let ids = transactions.map(\.transactionId)
    let stored = try await stored(ids)
    for transaction in transactions { try await compare(transaction, stored) }
    // Some have been booked just now.
    let booked = comparison.repairs ? try await self.stored(ids) : stored
    try await comparison.see(ids.compactMap { booked.payments[$0]?.id.rawValue })
  }

  private func compare(_ transaction: StoreKitTransaction, _ stored: Stored) async throws {
    let (id, there) = (transaction.transactionId, try transaction.purchase())
    let amount = there.money.map { "\($0)" } ?? "no price"
    let repair = {
      let outcome = try await storeKit.record(transaction)
      return outcome.problem == nil
    }
    guard let here = stored.purchases[id] else {
      return try await comparison.differs(.missingHere, id, "\(amount), \(transaction.productId)", repair: repair)
    }
    if let problem = here.problem {
      return try await comparison.differs(.unmatched, id, "\(amount), \(transaction.productId): \(problem.rawValue)")
    }
    let isNewer = there.state.signedAt > here.state.signedAt
    guard let payment = stored.payments[id], let booked = payment.booked else {
      // A plan, or a purchase that was refunded before it was booked.
      let isPlan = plans.plan(storeKitProduct: transaction.productId) != nil
      // Apple signs anew whenever it is asked.
      var same = here.state
      same.signedAt = there.state.signedAt
      if isPlan ? isNewer && there.state != same : there.state.revocation == nil {
        try await comparison.differs(.missingHere, id, "\(amount), \(transaction.productId)", repair: repair)
      }
      return
    }
    if let money = there.money { try await comparison.compare(money, with: booked, id) }
    let newest = isNewer ? there.state : here.state
    let (wanted, refunded) = (newest.revocation?.part(of: booked).amount ?? 0, stored.refunded[id] ?? 0)
    guard wanted != refunded else { return }
    try await comparison.differs(
      wanted > refunded ? .refundMissingHere : .refundMissingThere, id,
      "\(Money(wanted, booked.currency)) there, \(Money(refunded, booked.currency)) here",
      repair: isNewer ? repair : nil)
  }

  private func findMissing() async throws {
    var last: ReconciliationStore.BookedPayment?
    while true {
      let page = try await comparison.database.read { [comparison, last] db in
        try ReconciliationStore.unseenPayments(
          comparison.run, of: .storekit, since: comparison.since, after: last, in: db)
      }
      for payment in page {
        guard let reference = payment.reference, let booked = payment.booked else { continue }
        try await comparison.differs(.missingThere, reference, "\(booked) of order \(payment.order)")
      }
      guard let end = page.last else { return }
      last = end
    }
  }
}
