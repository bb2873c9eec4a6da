package import Contracts
package import CurlClient
import HTTPTypes
import Logging
import Synchronization

/// Collects the spans of the process and sends them to an OpenTelemetry collector, by OTLP over HTTP in JSON.
///
/// Recording only appends to a bounded queue, so that no request waits for the collector; while that is away, spans are
/// kept up to the bound and further ones are dropped and counted.
package final class Tracer: Sendable {
  private struct State {
    var spans: [Span] = []
    var (sent, dropped) = (0, 0)
  }

  private static let capacity = 8192
  private static let batch = 512

  private let origin: String
  /// The largest hash of a trace that is recorded.
  private let threshold: UInt32
  private let http: CurlClient
  private let version: String
  private let instance: String
  private let state = Mutex(State())

  /// - Parameters:
  ///   - origin: Scheme, host and port of the collector.
  ///   - share: Of the traces that are recorded, from 0 to 1. Every service records the same traces.
  ///   - http: Sends the spans.
  ///   - instance: Distinguishes the processes of a service.
  package init(origin: String, share: Double, http: CurlClient, version: String, instance: String, metrics: Metrics) {
    (self.origin, self.http, self.version, self.instance) = (origin, http, version, instance)
    threshold = UInt32(share * Double(UInt32.max))
    metrics.counter("telemetry_spans_sent_total", help: "Spans that the collector has accepted.") { [state = self] in
      state.state.withLock { $0.sent }
    }
    metrics.counter("telemetry_spans_dropped_total", help: "Spans lost: the collector was away or refused them.") {
      [state = self] in state.state.withLock { $0.dropped }
    }
  }

  /// Whether the spans of a trace are recorded; the same in every process, so that traces are whole.
  package func records(_ trace: TraceContext) -> Bool {
    guard trace.isSampled, threshold > 0, let hash = UInt32(trace.traceID.suffix(8), radix: 16) else { return false }
    return hash <= threshold
  }

  /// Never waits.
  package func record(_ span: Span) {
    state.withLock { state in
      if state.spans.count < Self.capacity { state.spans.append(span) } else { state.dropped += 1 }
    }
  }

  /// Sends what is recorded.
  /// - Throws: When the collector does not accept it; the spans are kept if it may accept them later.
  package func flush() async throws {
    while true {
      let spans = state.withLock { state in
        let batch = Array(state.spans.prefix(Self.batch))
        state.spans.removeFirst(batch.count)
        return batch
      }
      if spans.isEmpty { return }
      do {
        try await send(spans)
        state.withLock { $0.sent += spans.count }
      } catch let error as Refusal {
        state.withLock { $0.dropped += spans.count }
        throw error
      } catch {
        state.withLock { state in
          let kept = spans.suffix(max(0, Self.capacity - state.spans.count))
          state.spans.insert(contentsOf: kept, at: 0)
          state.dropped += spans.count - kept.count
        }
        throw error
      }
    }
  }

  /// The collector will not accept these spans later either.
  private struct Refusal: Error, CustomStringConvertible {
    let status: Int
    var description: String { "the collector of telemetry.url refuses spans with status \(status)" }
  }

  private struct Away: Error, CustomStringConvertible {
    let reason: String
    var description: String { "the collector of telemetry.url does not accept spans: \(reason)" }
  }

  private func send(_ spans: [Span]) async throws {
    let body = try WireJSON.encode(SpanExport(spans, version: version, instance: instance))
    let response: ClientResponse
    do {
      response = try await http.execute(
        ClientRequest(
          .post, origin: origin, target: "/v1/traces", headers: [.contentType: "application/json"],
          body: .bytes(body), timeouts: .init(firstByte: 5, total: 5)))
    } catch {
      throw Away(reason: error.description)
    }
    switch response.status {
    case 200..<300: return
    // The statuses that OTLP calls retryable.
    case 429, 502, 503, 504: throw Away(reason: "status \(response.status)")
    default: throw Refusal(status: response.status)
    }
  }
}

/// The service that works at the moment and records spans, if `telemetry.url` is set.
package struct SpanScope: Sendable {
  @TaskLocal package static var current: SpanScope?

  package let tracer: Tracer
  package let service: String

  package init(tracer: Tracer, service: String) { (self.tracer, self.service) = (tracer, service) }

  /// Runs a piece of work with a span, whose context is ``TraceContext/current`` meanwhile.
  ///
  /// - Parameters:
  ///   - parent: The span that caused it; without one, a new trace begins.
  ///   - scope: Without one, the trace is passed on but nothing is recorded.
  package static func run<Value>(
    _ name: @autoclosure () -> String,
    _ kind: Span.Kind,
    after parent: TraceContext?,
    in scope: SpanScope?,
    _ attributes: @autoclosure () -> [(name: String, value: Span.Value)] = [],
    _ body: () async throws -> Value
  ) async rethrows -> Value {
    let trace = parent?.child() ?? TraceContext()
    guard let scope, scope.tracer.records(trace) else {
      return try await TraceContext.$current.withValue(trace) { try await body() }
    }
    let begin = Span.Moment.now()
    func record(_ failure: String?) {
      scope.tracer.record(
        Span(
          service: scope.service, name: name(), kind: kind, trace: trace, parent: parent?.spanID, begin: begin,
          duration: begin.elapsed, attributes: attributes(), failure: failure))
    }
    do {
      let value = try await SpanScope.$current.withValue(scope) {
        try await TraceContext.$current.withValue(trace) { try await body() }
      }
      record(nil)
      return value
    } catch {
      // Only the type: a description may contain a caller's input.
      record(String(reflecting: type(of: error)))
      throw error
    }
  }
}
