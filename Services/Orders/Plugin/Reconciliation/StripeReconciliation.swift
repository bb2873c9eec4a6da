import Contracts
import Persistence
import ServiceKit

/// Compares Stripe's charges, refunds and disputes with the ledger. What is missing is booked by the functions that also
/// apply Stripe's notifications, so that nothing is booked twice.
struct StripeReconciliation: Sendable {
  let report: StripeReport
  let core: OrdersCore
  let comparison: Reconciliation

  init(_ core: OrdersCore, _ client: StripeClient, _ comparison: Reconciliation) {
    self.core = core
    report = StripeReport(client: client)
    self.comparison = comparison
  }

  private typealias BookedPayment = ReconciliationStore.BookedPayment
  private typealias BookedRefund = ReconciliationStore.BookedRefund

  func run() async throws {
    try await report.charges(since: comparison.since) { try await compare($0) }
    try await report.refunds(since: comparison.since) { try await compare($0.compactMap { $0.report() }) }
    try await report.disputes(since: comparison.since) { try await compare($0) }
    try await findMissingPayments()
    try await findMissingRefunds()
  }

  // MARK: payments

  private func compare(_ charges: [StripeReport.Charge]) async throws {
    let received = charges.compactMap { charge in
      charge.received.flatMap { amount in charge.paymentIntent.map { (charge: charge, intent: $0, amount: amount) } }
    }
    let (intents, ids) = (received.map(\.intent), received.compactMap(\.charge.payment))
    let (byIntent, byID) = try await comparison.database.read { db in
      let byIntent = try ReconciliationStore.payments(intents, of: .stripe, in: db)
      let byID = try ReconciliationStore.payments(ids, of: .stripe, in: db)
      return (
        Dictionary(byIntent.map { ($0.reference ?? "", $0) }) { $1 }, Dictionary(byID.map { ($0.id, $0) }) { $1 }
      )
    }
    var seen: [String] = []
    for (charge, intent, amount) in received {
      // Charges without an id of ours are those of plans, or of others with the same account.
      guard let known = byIntent[intent] ?? charge.payment.flatMap({ byID[$0] }) else {
        if let id = charge.payment {
          try await comparison.differs(.missingHere, intent, "\(amount) for the unknown payment \(id)")
        }
        continue
      }
      seen.append(known.id.rawValue)
      if let booked = known.booked {
        try await comparison.compare(amount, with: booked, intent)
      } else if amount != known.amount {
        try await comparison.differs(
          .missingHere, intent, "\(amount) for order \(known.order), whose payment is \(known.amount)")
      } else {
        try await comparison.differs(.missingHere, intent, "\(amount) for order \(known.order)") {
          try await book(intent, for: known.id)
        }
      }
    }
    try await comparison.see(seen)
  }

  private func book(_ intent: String, for id: PaymentID) async throws -> Bool {
    try await comparison.database.write { tx in
      guard let payment = try core.payments.find(id, in: tx) else { return false }
      try core.transitions.paid(payment, .succeeded(reference: intent), in: tx)
      try core.queue.schedule(payment.orderID, in: tx)
      return true
    }
  }

  private func findMissingPayments() async throws {
    var last: BookedPayment?
    while true {
      let page = try await comparison.database.read { [last] db in
        try ReconciliationStore.unseenPayments(
          comparison.run, of: .stripe, since: comparison.since, after: last, in: db)
      }
      for payment in page {
        guard let reference = payment.reference, let booked = payment.booked else { continue }
        // Its charge may be older than the report.
        if let received = try await report.received(for: reference) {
          try await comparison.compare(received, with: booked, reference)
        } else {
          try await comparison.differs(.missingThere, reference, "\(booked) of order \(payment.order)")
        }
      }
      guard let end = page.last else { return }
      last = end
    }
  }

  // MARK: refunds

  private func booked(_ payments: [String]) async throws -> (known: Set<String>, refunds: [BookedRefund]) {
    try await comparison.database.read { db in
      let known = try ReconciliationStore.payments(payments, of: .stripe, in: db).compactMap(\.reference)
      return (Set(known), try ReconciliationStore.refunds(ofPayments: payments, of: .stripe, in: db))
    }
  }

  private func compare(_ refunds: [ProviderRefund]) async throws {
    let (known, booked) = try await booked(refunds.map(\.payment))
    var seen: [String] = []
    for refund in refunds where known.contains(refund.payment) {
      let ours = booked.first {
        $0.payment == refund.payment && ($0.id == refund.id || $0.reference == refund.reference)
      }
      if let ours { seen.append(ours.id.rawValue) }
      let repair = { try await apply(refund) }
      switch (refund.outcome, ours?.status) {
      case (.refused(let reason), .succeeded?):
        try await comparison.differs(
          .refundMissingThere, refund.reference, "\(refund.amount) of \(refund.payment) failed: \(reason)",
          repair: repair)
      case (.refused, _), (.pending, .some): continue
      case (_, .succeeded?):
        guard let amount = ours?.booked else { continue }
        try await comparison.compare(refund.amount, with: amount, refund.reference)
      default:
        try await comparison.differs(
          .refundMissingHere, refund.reference, "\(refund.amount) of \(refund.payment)", repair: repair)
      }
    }
    try await comparison.see(seen)
  }

  private func apply(_ refund: ProviderRefund) async throws -> Bool {
    try await comparison.database.write { tx in
      guard let order = try core.refunds.apply([refund], from: .stripe, in: tx) else { return false }
      try core.queue.schedule(order, in: tx)
      return true
    }
  }

  private func compare(_ disputes: [StripeDispute]) async throws {
    let moved = disputes.filter { !$0.status.hasPrefix("warning") }.compactMap { $0.report(isReturned: false) }
    let (known, booked) = try await booked(moved.map(\.payment))
    var seen: [String] = []
    for dispute in moved where known.contains(dispute.payment) {
      let ours = booked.first { $0.payment == dispute.payment && $0.reference == dispute.reference }
      if let ours { seen.append(ours.id.rawValue) }
      guard dispute.isTakenBack != (ours?.status == .succeeded) else {
        if dispute.isTakenBack, let amount = ours?.booked {
          try await comparison.compare(dispute.amount, with: amount, dispute.reference)
        }
        continue
      }
      let detail = "\(dispute.amount) of \(dispute.payment) \(dispute.isTakenBack ? "taken back" : "returned") there"
      try await comparison.differs(.dispute, dispute.reference, detail) {
        try await comparison.database.write { tx in
          guard let order = try core.refunds.apply(dispute, from: .stripe, in: tx) else { return false }
          try core.queue.schedule(order, in: tx)
          return true
        }
      }
    }
    try await comparison.see(seen)
  }

  private func findMissingRefunds() async throws {
    var last: BookedRefund?
    while true {
      let page = try await comparison.database.read { [last] db in
        try ReconciliationStore.unseenRefunds(
          comparison.run, of: .stripe, since: comparison.since, after: last, in: db)
      }
      for refund in page {
        guard let booked = refund.booked else { continue }
        // It may be older than the report.
        if let reference = refund.reference, try await report.contains(reference) { continue }
        try await comparison.differs(
          .refundMissingThere, refund.reference ?? "\(refund.id)", "\(booked) of \(refund.payment)")
      }
      guard let end = page.last else { return }
      last = end
    }
  }
}
