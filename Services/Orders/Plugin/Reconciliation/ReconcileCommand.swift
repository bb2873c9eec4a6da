public import ArgumentParser
package import Contracts
import Foundation
public import ServiceKit

/// `orders reconcile`: the comparison of a payment provider's report with the ledger.
public struct ReconcileCommand<Host: HostCommand>: AsyncParsableCommand {
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "reconcile",
      abstract: "Compare a payment provider's report with the ledger; exits with status 1 when a difference remains.",
      discussion: """
        Stripe is asked for its charges, refunds and disputes. Apple's report is a file with one signed transaction per \
        line, as in signedTransactions of the App Store Server API's transaction history. Each difference is a line: \
        missing here, missing there, other amount, other currency, refund missing here, refund missing there, dispute, \
        unmatched. With --repair, purchases, refunds and disputes that the provider has and the ledger lacks are \
        booked, as if the provider had sent its notification again.
        """
    )
  }

  @Option(help: "stripe or apple.", transform: provider) var provider: PaymentProviderName
  @Option(
    help: "The beginning of the report, such as 2026-11-01T00:00:00Z; seven days ago by default.",
    transform: time)
  var since: Timestamp?
  @Option(help: "Apple's report.") var report: String?
  @Flag(help: "Book what is missing here.") var repair = false
  @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

  public init() {}

  public func validate() throws {
    if provider == .storekit, report == nil { throw ValidationError("--report is required for apple") }
    if provider == .stripe, let report { throw ValidationError("--report \(report): Stripe is asked by its API") }
  }

  public func run() async throws {
    try await Host.operating(settings) { platform in
      guard let orders = platform.plugin(OrdersPlugin.self) else { return }
      let summary = try await orders.reconcile(provider, since: since, file: report, repairs: repair) { print($0) }
      print(
        "\(summary.compared) payments and refunds compared, \(summary.differences) differences, "
          + "\(summary.repaired) repaired")
      if summary.differences > summary.repaired { throw ExitCode.failure }
    }
  }

  private static func provider(_ name: String) throws -> PaymentProviderName {
    switch name {
    case "stripe": return .stripe
    case "apple": return .storekit
    default: throw ValidationError("must be stripe or apple")
    }
  }

  private static func time(_ text: String) throws -> Timestamp {
    guard let time = Timestamp(text) else { throw ValidationError("must be a time such as 2026-11-01T00:00:00Z") }
    return time
  }
}

extension OrdersPlugin {
  /// Compares a provider's report with the ledger.
  ///
  /// - Parameters:
  ///   - since: The beginning of the comparison; seven days ago by default.
  ///   - file: Apple's report.
  ///   - repairs: Whether what is missing here is booked.
  ///   - report: Gets each difference.
  package func reconcile(
    _ provider: PaymentProviderName, since: Timestamp? = nil, file: String? = nil, repairs: Bool = false,
    report: @escaping @Sendable (String) -> Void
  ) async throws -> ReconciliationSummary {
    let since = since ?? core.time.now().advanced(bySeconds: -7 * 86_400)
    let comparison = Reconciliation(core, provider, since: since, repairs: repairs) { report($0.description) }
    return try await comparison.run {
      if provider == .stripe {
        guard let client = core.providers.stripeSubscriptions?.client else {
          throw SettingError(OrdersSettings.stripeKey, "is not set")
        }
        try await StripeReconciliation(core, client, comparison).run()
      } else {
        guard let file, core.providers.storeKit != nil else {
          throw SettingError(OrdersSettings.storeKitBundle, "is not set")
        }
        let plans = try Plans(core)
        try await AppleReconciliation(
          storeKit: StoreKit(core, plans: plans), plans: plans, comparison: comparison
        ).run(file)
      }
    }
  }
}
