import Contracts
import CurlClient
import Foundation
import HTTPTypes
import Logging
import NIOCore
import Persistence
import Synchronization
import TestKit
import Testing

@testable import HTTPServing
@testable import Observability
@testable import ServiceKit

/// The spans that a collector of OpenTelemetry receives, and what the private port shows.
struct TracingTests {
  private static let auth = ["services.auth.url": "http://127.0.0.1:1"]

  /// The spans that a collector has accepted, and the statuses of its next answers.
  private final class Received: Sendable {
    private let state: Mutex<(bodies: [[UInt8]], statuses: [String])>

    init(statuses: [String]) { state = Mutex(([], statuses)) }

    /// The status of the answer to a request.
    func take(_ body: [UInt8]) -> String {
      state.withLock { state in
        let status = state.statuses.isEmpty ? "200 OK" : state.statuses.removeFirst()
        if status == "200 OK" { state.bodies.append(body) }
        return status
      }
    }

    /// The spans with the names of their services.
    func spans() throws -> [(service: String, span: JSONValue)] {
      try state.withLock { $0.bodies }.flatMap { body in
        try #require(try WireJSON.decode(JSONValue.self, from: body)["resourceSpans"]).elements.flatMap { resource in
          let facts = resource["resource"]?["attributes"]?.elements ?? []
          let service = facts.first { $0["key"]?.string == "service.name" }?["value"]?["stringValue"]?.string
          let scopes = resource["scopeSpans"]?.elements ?? []
          return scopes.flatMap { $0["spans"]?.elements ?? [] }.map { (service ?? "", $0) }
        }
      }
    }
  }

  private func collecting(
    statuses: [String] = [], _ body: (String, Received) async throws -> Void
  ) async throws {
    let received = Received(statuses: statuses)
    let server = try ScriptedServer { connection in
      while true {
        let head = connection.readHead().lowercased()
        guard head.hasPrefix("post /v1/traces "), head.contains("content-type: application/json"),
          let length = head.firstMatch(of: /content-length: ([0-9]+)/).flatMap({ Int($0.output.1) })
        else { return }
        connection.answer("{}", status: received.take(connection.readBody(length)))
      }
    }
    defer { server.stop() }
    try await body(server.origin, received)
  }

  @Test(arguments: TestDatabase.allCases)
  func aRequestAndItsTransactionAreSpansOfTheCallersTrace(_ kind: TestDatabase) async throws {
    try await collecting { origin, received in
      let settings = Self.auth.merging(["telemetry.url": origin]) { $1 }
      try await TestPlatform.run([GuestbookPlugin.self], settings: settings, database: kind) { test in
        let tracer = try #require(test.platform.tracer)
        try await tracer.flush()
        let caller = TraceContext()
        _ = try await TraceContext.$current.withValue(caller) {
          try await test.platform.client().send(GuestbookAPI.AddEntry(text: "hello"), idempotencyKey: "one")
        }
        try await tracer.flush()
        let spans = try received.spans().filter { $0.span["traceId"]?.string == caller.traceID }
        #expect(spans.allSatisfy { $0.service == "guestbook" })
        let request = try #require(spans.first { $0.span["name"]?.string == "POST /v1/entries" }).span
        #expect(request["parentSpanId"]?.string == caller.spanID)
        #expect(request["kind"] == .integer(2))
        let transaction = try #require(spans.first { $0.span["name"]?.string == "write guestbook" }).span
        #expect(transaction["parentSpanId"]?.string == request["spanId"]?.string)
        let begin = try #require(transaction["startTimeUnixNano"]?.string.flatMap { UInt64($0) })
        let end = try #require(transaction["endTimeUnixNano"]?.string.flatMap { UInt64($0) })
        #expect(begin < end)
        let text = test.platform.metrics.text()
        #expect(text.contains("\ndb_commit_seconds_bucket{service=\"guestbook\",le=\"0.005\"} "))
        #expect(text.contains("\ndb_queue_seconds_count{service=\"guestbook\"} "))
      }
    }
  }

  /// Machines ask again and again; only what they ask on behalf of someone belongs to a trace.
  @Test func routineRequestsBeginNoTrace() async throws {
    try await collecting { origin, received in
      let settings = Self.auth.merging(["telemetry.url": origin]) { $1 }
      try await TestPlatform.run([GuestbookPlugin.self], settings: settings) { test in
        let tracer = try #require(test.platform.tracer)
        func probe() async throws {
          let request = WireRequest(
            method: .get, target: "/readyz", headers: [], body: nil, isRepeatable: true, seconds: 60)
          _ = try await test.platform.transport(to: "guestbook").send(request, headers: [])
        }
        try await tracer.flush()
        let before = try received.spans().count
        try await probe()
        try await tracer.flush()
        #expect(try received.spans().count == before)
        let caller = TraceContext()
        try await TraceContext.$current.withValue(caller) { try await probe() }
        try await tracer.flush()
        let spans = try received.spans().filter { $0.span["traceId"]?.string == caller.traceID }
        let request = try #require(spans.first { $0.span["name"]?.string == "GET /readyz" }).span
        #expect(request["parentSpanId"]?.string == caller.spanID)
      }
    }
  }

  /// A transaction applies events of several traces; what each of them causes belongs to its own one.
  @Test(arguments: TestDatabase.allCases)
  func whatAnEventCausesBelongsToItsTrace(_ kind: TestDatabase) async throws {
    try await TestPlatform.run([GuestbookPlugin.self], settings: Self.auth, database: kind) { test in
      let database = try #require(test.platform.database(of: "guestbook"))
      let (delivery, first, second) = (TraceContext(), TraceContext(), TraceContext())
      try await TraceContext.$current.withValue(delivery) {
        try await database.write { tx in
          try tx.traced(by: first) { try tx.record(Counted(subject: "a", number: 1)) }
          try tx.traced(by: second) { try tx.record(Counted(subject: "a", number: 2)) }
          try tx.traced(by: nil) { try tx.record(Counted(subject: "a", number: 3)) }
        }
      }
      let stored = try await database.read { db in
        try db.values("SELECT traceparent FROM outbox ORDER BY sequence", as: String.self)
      }
      #expect(stored == [first, second, delivery].map(\.traceparent))
    }
  }

  /// A job belongs to the trace of what has caused it.
  @Test func aJobIsASpan() async throws {
    try await collecting { origin, received in
      try await TestPlatform.run([GuestbookPlugin.self], settings: Self.auth.merging(["telemetry.url": origin]) { $1 })
      {
        test in
        let tracer = try #require(test.platform.tracer)
        let cause = TraceContext()
        let seen = await SpanScope.run(
          "job test", .consumer, after: cause, in: SpanScope(tracer: tracer, service: "guestbook")
        ) { TraceContext.current?.traceID }
        #expect(seen == cause.traceID)
        try await tracer.flush()
        let job = try #require(try received.spans().first { $0.span["name"]?.string == "job test" }).span
        #expect(job["traceId"]?.string == cause.traceID)
        #expect(job["parentSpanId"]?.string == cause.spanID)
        #expect(job["kind"] == .integer(5))
      }
    }
  }

  /// A caller outside has a trace of its own.
  @Test func theTraceOfACallerOutsideIsALink() async throws {
    try await collecting { origin, received in
      try await CurlClient.running { http in
        let metrics = Metrics()
        let tracer = Tracer(origin: origin, share: 1, http: http, version: "1", instance: "i", metrics: metrics)
        let records = RequestRecords(
          log: StructuredLog(label: "test", level: .critical, format: .json, sink: LogSink()),
          refusals: Refusals(metrics, service: "test"), spans: SpanScope(tracer: tracer, service: "test"))
        let (trace, caller) = (TraceContext(), TraceContext(isSampled: false))
        records.write(
          .info, method: "GET", route: "/", status: 200, seconds: 0, requestID: "1", trace: trace, link: caller)
        try await tracer.flush()
        let span = try #require(try received.spans().first).span
        #expect(span["traceId"]?.string == trace.traceID)
        #expect(span["parentSpanId"] == nil)
        #expect(span["links"]?.elements.map { $0["traceId"]?.string } == [caller.traceID])
        #expect(span["links"]?.elements.map { $0["spanId"]?.string } == [caller.spanID])
      }
    }
  }

  @Test func whatTheCollectorRefusesForNowIsSentAgain() async throws {
    try await collecting(statuses: ["503 Service Unavailable", "200 OK", "400 Bad Request"]) { origin, received in
      try await CurlClient.running { http in
        let metrics = Metrics()
        let tracer = Tracer(origin: origin, share: 1, http: http, version: "1", instance: "i", metrics: metrics)
        let scope = SpanScope(tracer: tracer, service: "test")
        await SpanScope.run("kept", .internal, after: nil, in: scope) {}
        await #expect(throws: (any Error).self) { try await tracer.flush() }
        try await tracer.flush()
        #expect(try received.spans().map { $0.span["name"]?.string } == ["kept"])
        await SpanScope.run("refused", .internal, after: nil, in: scope) {}
        await #expect(throws: (any Error).self) { try await tracer.flush() }
        try await tracer.flush()
        #expect(metrics.text().contains("\ntelemetry_spans_sent_total 1\n"))
        #expect(metrics.text().contains("\ntelemetry_spans_dropped_total 1\n"))
      }
    }
  }

  /// Without a collector, requests go on, and memory is bounded.
  @Test func spansThatCannotBeSentAreDroppedAndCounted() async throws {
    try await CurlClient.running { http in
      let metrics = Metrics()
      let tracer = Tracer(
        origin: "http://127.0.0.1:1", share: 1, http: http, version: "1", instance: "i", metrics: metrics)
      let scope = SpanScope(tracer: tracer, service: "test")
      for _ in 0..<8200 { await SpanScope.run("work", .internal, after: nil, in: scope) {} }
      #expect(metrics.text().contains("\ntelemetry_spans_dropped_total 8\n"))
      await #expect(throws: (any Error).self) { try await tracer.flush() }
      #expect(metrics.text().contains("\ntelemetry_spans_dropped_total 8\n"))
    }
  }

  @Test func everyServiceRecordsTheSameShareOfTheTraces() async throws {
    try await CurlClient.running { http in
      func tracer(_ share: Double) -> Tracer {
        Tracer(origin: "http://127.0.0.1:1", share: share, http: http, version: "1", instance: "i", metrics: Metrics())
      }
      let (none, all) = (tracer(0), tracer(1))
      let (one, other) = (tracer(0.25), tracer(0.25))
      let low = try #require(TraceContext(traceparent: "00-000000000000000000000001" + "3fffffff-0000000000000001-01"))
      let high = try #require(TraceContext(traceparent: "00-000000000000000000000001" + "40000000-0000000000000001-01"))
      let silent = try #require(
        TraceContext(traceparent: "00-000000000000000000000001" + "00000001-0000000000000001-00"))
      #expect([low, high].map { one.records($0) } == [true, false])
      #expect([low, high].map { other.records($0) } == [true, false])
      #expect([low, high, silent].map { all.records($0) } == [true, true, false])
      let lowest = try #require(
        TraceContext(traceparent: "00-000000000000000000000001" + "00000000-0000000000000001-01"))
      #expect([lowest, low, high].map { none.records($0) } == [false, false, false])
    }
    for wrong in ["collector:4318", "http://", "http://collector/v1", "ftp://collector", "http://user@collector"] {
      #expect(throws: SettingError.self) { try Settings(["telemetry.url": wrong])[PlatformSettings.telemetryURL] }
    }
  }

  @Test func theStatusPageIsForSupport() async throws {
    let settings = Self.auth.merging(["build.version": "7<&"]) { $1 }
    try await TestPlatform.listen([GuestbookPlugin.self], settings: settings) { _, web in
      func page(_ accept: String) async throws -> (type: String?, text: String) {
        let response = try await web.http.send(
          ClientRequest(origin: web.privateURL, target: "/status", headers: [.accept: accept]))
        #expect(response.status == 200)
        guard case .bytes(let buffer) = response.body else { return (nil, "") }
        return (response.headers[.contentType], String(buffer: buffer))
      }
      let html = try await page("text/html,application/xhtml+xml")
      #expect(html.type == "text/html; charset=utf-8")
      #expect(html.text.contains("Version 7&lt;&amp;, "))
      #expect(html.text.contains("[+] database ok"))
      let json = try WireJSON.decode(JSONValue.self, from: Array(try await page("*/*").text.utf8))
      #expect(json["version"]?.string == "7<&")
      #expect(json["services"]?.elements.first?["name"]?.string == "guestbook")
      let metrics = try await web.http.send(ClientRequest(origin: web.privateURL, target: "/metrics"))
      guard case .bytes(let buffer) = metrics.body else { return }
      let text = String(buffer: buffer)
      for name in ["build_info{version=\"7<&\"", "process_cpu_seconds_total", "process_resident_memory_bytes"] {
        #expect(text.contains("\n\(name)"))
      }
      #expect(text.contains("\nhttp_client_request_duration_seconds_count{service=\"auth\"} "))
    }
  }
}
