import Contracts
public import CurlClient
import HTTPTypes
import Observability

extension Upstreams {
  /// Sends a request to one of a service's instances, and once more to another one when it fails, unless it may have been
  /// executed and is not repeatable, or its streamed body has been consumed. Both tries share the request's time, and
  /// second tries the service's ``RetryBudget``. Measures the call and records a span.
  public func execute(_ request: ClientRequest, on instances: Instances) async throws(ClientError) -> ClientResponse {
    let begin = Span.Moment.now()
    defer { instances.latency.record(seconds: begin.seconds) }
    guard let parent = TraceContext.current, let scope = SpanScope.current, scope.tracer.records(parent) else {
      return try await send(request, on: instances)
    }
    let trace = parent.child()
    var traced = request
    traced.headers[.traceparent] = trace.traceparent
    func record(_ status: Int?, _ failure: String?) {
      let method = request.method.rawValue
      var attributes: [(name: String, value: Span.Value)] = [("http.request.method", .text(method))]
      if let origin = instances.all.first?.origin { attributes.append(("server.address", .text(origin))) }
      if let status { attributes.append(("http.response.status_code", .number(status))) }
      scope.tracer.record(
        Span(
          service: scope.service, name: method, kind: .client, trace: trace, parent: parent.spanID, begin: begin,
          duration: begin.elapsed, attributes: attributes, failure: failure))
    }
    do {
      let response = try await send(traced, on: instances)
      // Clients count 4xx as failures, too.
      record(response.status, response.status >= 400 ? String(response.status) : nil)
      return response
    } catch {
      record(nil, error.description)
      throw error
    }
  }
}
