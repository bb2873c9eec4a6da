package import Contracts
package import Logging

/// Notes requests: a line in the log for each, and counters of what is refused.
package struct RequestRecords: Sendable {
  let log: StructuredLog
  let refusals: Refusals

  /// Writes the line of a request.
  ///
  /// - Parameters:
  ///   - route: Not the path: paths contain IDs, and queries may contain personal data.
  ///   - seconds: From the head of the request to that of the response.
  package func write(
    _ level: Logger.Level, method: String, route: String, status: Int, seconds: Double, requestID: String,
    traceID: String
  ) {
    guard log.logLevel <= level else { return }
    log.write(
      level: level,
      message: "request",
      [
        ("method", method), ("route", route), ("status", String(status)),
        ("microseconds", String(Int(seconds * 1_000_000))), ("requestID", requestID), ("traceID", traceID),
      ]
    )
  }

  /// Counts a problem with which a request is answered.
  package func refused(_ problem: Problem, isAdministrative: Bool = false) {
    refusals.record(problem, isAdministrative: isAdministrative)
  }
}
