/// Limits retries to a tenth of the requests, so that those of an outage do not become a load of their own
/// (Google, "Site Reliability Engineering", chapter 22, "Addressing Cascading Failures").
///
/// A pure value. Requests pay a tenth of a retry each; what they have paid covers the requests that one instance loses
/// when it dies.
struct RetryBudget: Sendable {
  private static let costOfRetry = 10
  /// For a service that gets few requests: retries before any request has paid.
  private static let reserve = 10 * costOfRetry
  private static let maxBalance = 1000 * costOfRetry

  private var balance = reserve
  private(set) var retries = 0
  /// Retries for which nothing was left.
  private(set) var refused = 0

  /// Counts a request that is sent for the first time.
  mutating func add() { balance = min(Self.maxBalance, balance + 1) }

  /// Takes what a retry costs; `false` when the budget is used up.
  mutating func take() -> Bool {
    guard balance >= Self.costOfRetry else {
      refused += 1
      return false
    }
    balance -= Self.costOfRetry
    retries += 1
    return true
  }
}
