import Contracts
import Persistence
import ServiceKit

/// Compares what a payment provider reports with the ledger, page by page: what the report contains is looked up here,
/// and what is booked here but was not in the report is looked up there.
struct Reconciliation: Sendable {
  /// A difference between a provider and the ledger.
  struct Difference: Sendable, Equatable, CustomStringConvertible {
    enum Kind: String, Sendable {
      case missingHere = "missing here"
      case missingThere = "missing there"
      case otherAmount = "other amount"
      case otherCurrency = "other currency"
      case refundMissingHere = "refund missing here"
      case refundMissingThere = "refund missing there"
      case dispute = "dispute"
      case unmatched = "unmatched"
    }

    var kind: Kind
    /// The provider's id.
    var reference: String
    var detail: String
    var isRepaired = false

    var description: String { "\(kind.rawValue): \(reference): \(detail)\(isRepaired ? " (repaired)" : "")" }
  }

  let database: any Database
  let provider: PaymentProviderName
  let since: Timestamp
  let repairs: Bool
  /// Names this comparison.
  let run: String
  let report: @Sendable (Difference) -> Void
  private let summary = Summary()

  init(
    _ core: OrdersCore, _ provider: PaymentProviderName, since: Timestamp, repairs: Bool,
    report: @escaping @Sendable (Difference) -> Void
  ) {
    (database, self.provider, self.since, self.repairs) = (core.database, provider, since, repairs)
    (run, self.report) = (core.ids.text(), report)
  }

  /// Runs a comparison, and forgets what it has seen.
  func run(_ body: () async throws -> Void) async throws -> ReconciliationSummary {
    do {
      try await body()
      try await end()
    } catch {
      try await end()
      throw error
    }
    return await summary.value
  }

  private func end() async throws {
    try await database.write { [run] tx in try ReconciliationStore.end(run, in: tx) }
  }

  func see(_ objects: [String]) async throws {
    guard !objects.isEmpty else { return }
    await summary.compared(objects.count)
    try await database.write { [run] tx in try ReconciliationStore.see(objects, run, in: tx) }
  }

  /// Reports a difference, after it was repaired where this is wanted and possible.
  /// - Parameter repair: Returns `false` when nothing could be booked.
  func differs(
    _ kind: Difference.Kind, _ reference: String, _ detail: String, repair: (() async throws -> Bool)? = nil
  ) async throws {
    var difference = Difference(kind: kind, reference: reference, detail: detail)
    if repairs, let repair { difference.isRepaired = try await repair() }
    await summary.found(difference)
    report(difference)
  }

  /// Compares what a provider received with what is booked.
  func compare(_ amount: Money, with booked: Money, _ reference: String) async throws {
    if amount.currency != booked.currency {
      try await differs(.otherCurrency, reference, "\(amount) there, \(booked) here")
    } else if amount != booked {
      try await differs(.otherAmount, reference, "\(amount) there, \(booked) here")
    }
  }

  private actor Summary {
    var value = ReconciliationSummary()

    func compared(_ count: Int) { value.compared += count }

    func found(_ difference: Difference) {
      value.differences += 1
      if difference.isRepaired { value.repaired += 1 }
    }
  }
}

/// The result of comparing a provider's report with the ledger.
public struct ReconciliationSummary: Sendable, Equatable {
  /// How many of our payments and refunds the report contained.
  public var compared = 0
  public var differences = 0
  /// How many of them have been booked.
  public var repaired = 0
}
