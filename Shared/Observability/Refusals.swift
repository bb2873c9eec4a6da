package import Contracts

/// Counts the refusals that come in bursts when someone guesses or tries out. `compose/alerts.yaml` has rules for them.
package struct Refusals: Sendable {
  /// The values of the label `kind`.
  enum Kind: String, CaseIterable {
    /// Wrong passwords, second factors, secrets of clients and mailed codes.
    case password
    /// Access and refresh tokens that auth has not issued, or that were used twice.
    case token
    /// Calls of operations for administrators and support by others.
    case staff
  }

  private let counters: [Kind: Metrics.Counter]

  package init(_ metrics: Metrics, service: String) {
    var counters: [Kind: Metrics.Counter] = [:]
    for kind in Kind.allCases {
      counters[kind] = metrics.counter(
        "security_refusals_total", help: "Wrong passwords, refused tokens, and refused calls of staff operations.",
        labels: [("service", service), ("kind", kind.rawValue)])
    }
    self.counters = counters
  }

  /// - Parameter isAdministrative: Whether the operation is for administrators and support.
  package func record(_ problem: Problem, isAdministrative: Bool) {
    if let kind = Self.kind(of: problem, isAdministrative) { counters[kind]?.increment() }
  }

  private static let passwords: Set<String> = Set(
    [.invalidCredentials, .factorWrong, .passkeyRefused, .invalidClient, .mailedTokenInvalid, .tooManyAttempts].map {
      (kind: Problem.Kind) in kind.code
    })
  private static let tokens: Set<String> = Set(
    [.tokenInvalid, .refreshTokenInvalid, .refreshTokenReused].map { (kind: Problem.Kind) in kind.code })

  static func kind(of problem: Problem, _ isAdministrative: Bool) -> Kind? {
    if passwords.contains(problem.code) { return .password }
    if tokens.contains(problem.code) { return .token }
    guard isAdministrative else { return nil }
    return problem.is(.forbidden) || problem.is(.scopeMissing) ? .staff : nil
  }
}
