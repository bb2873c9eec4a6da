package import Contracts
package import Logging
import Observability

/// Notes requests: a line in the log and a span for each, and counters of what is refused.
package struct RequestRecords: Sendable {
  let log: StructuredLog
  let refusals: Refusals
  /// Records the spans, if `telemetry.url` is set.
  let spans: SpanScope?

  /// Notes a request that has been answered.
  ///
  /// - Parameters:
  ///   - route: Not the path: paths contain IDs, and queries may contain personal data.
  ///   - seconds: From the head of the request to that of the response.
  ///   - trace: Of the request itself.
  ///   - parent: The caller's, if it has sent one.
  ///   - link: The trace of a caller whose requests begin traces of their own.
  package func write(
    _ level: Logger.Level, method: String, route: String, status: Int, seconds: Double, requestID: String,
    trace: TraceContext, parent: TraceContext? = nil, link: TraceContext? = nil
  ) {
    if let spans, spans.tracer.records(trace) {
      spans.tracer.record(
        Span(
          service: spans.service, name: "\(method) \(route)", kind: .server, trace: trace, parent: parent?.spanID,
          begin: .before(seconds: seconds), duration: UInt64(seconds * 1_000_000_000),
          attributes: [
            ("http.request.method", .text(method)), ("http.route", .text(route)),
            ("http.response.status_code", .number(status)), ("quintet.request_id", .text(requestID)),
          ], failure: status >= 500 ? String(status) : nil, link: link))
    }
    guard log.logLevel <= level else { return }
    log.write(
      level: level,
      message: "request",
      [
        ("method", method), ("route", route), ("status", String(status)),
        ("microseconds", String(Int(seconds * 1_000_000))), ("requestID", requestID), ("traceID", trace.traceID),
      ] + (link.map { [("callerTraceID", $0.traceID)] } ?? [])
    )
  }

  /// Counts a problem with which a request is answered.
  package func refused(_ problem: Problem, isAdministrative: Bool = false) {
    refusals.record(problem, isAdministrative: isAdministrative)
  }
}
