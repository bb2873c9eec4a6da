import Contracts

extension Exchange {
  /// The reason why there is no response.
  enum Failure {
    /// Nothing has been sent.
    case notConnected
    case lost
    case invalid
    case timedOut
    /// There is no connection for it.
    case overloaded
    /// The connection's own time for an answer is over.
    case late

    var problem: Problem {
      switch self {
      case .notConnected: Problem(.unavailable, retryAfter: 1)
      case .lost, .invalid: Problem(.upstreamFailed)
      case .timedOut: Problem(.upstreamTimeout)
      case .overloaded: Problem(.overloaded, retryAfter: 1)
      case .late: Problem(.unavailable, detail: "The response takes too long.")
      }
    }
  }
}
