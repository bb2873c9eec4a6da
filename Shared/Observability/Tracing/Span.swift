package import Contracts
import Dispatch
import Foundation

/// A finished piece of work of a trace, as OpenTelemetry describes it
/// (https://opentelemetry.io/docs/specs/otel/trace/api/#span).
package struct Span: Sendable {
  /// The numbers of OTLP's `Span.SpanKind`.
  package enum Kind: Int, Sendable {
    case `internal` = 1
    case server, client, producer, consumer
  }

  package enum Value: Sendable {
    case text(String)
    case number(Int)
  }

  /// The service whose work it is.
  let service: String
  let name: String
  let kind: Kind
  let trace: TraceContext
  /// The span that caused this one, perhaps in another process; `nil` where the trace begins.
  let parent: String?
  let begin: Moment
  /// Nanoseconds since the begin.
  let duration: UInt64
  let attributes: [(name: String, value: Value)]
  /// The reason why the work failed.
  let failure: String?
  /// A span of another trace that this one has to do with, such as that of a caller outside.
  var link: TraceContext?

  package init(
    service: String, name: String, kind: Kind, trace: TraceContext, parent: String?, begin: Moment, duration: UInt64,
    attributes: [(name: String, value: Value)], failure: String?, link: TraceContext? = nil
  ) {
    (self.service, self.name, self.kind, self.trace) = (service, name, kind, trace)
    (self.parent, self.begin, self.duration) = (parent, begin, duration)
    (self.attributes, self.failure, self.link) = (attributes, failure, link)
  }

  /// When a span begins: for its place in the trace, and for its duration, which no change of the clock falsifies.
  package struct Moment: Sendable {
    /// Nanoseconds since 1970.
    let wall: UInt64
    private let uptime: UInt64

    private init(wall: UInt64, uptime: UInt64) { (self.wall, self.uptime) = (wall, uptime) }

    package static func now() -> Moment {
      Moment(
        wall: UInt64(Date().timeIntervalSince1970 * 1_000_000) * 1000, uptime: DispatchTime.now().uptimeNanoseconds)
    }

    /// The moment so many seconds ago.
    package static func before(seconds: Double) -> Moment {
      let (now, passed) = (now(), UInt64(seconds * 1_000_000_000))
      return Moment(wall: now.wall - passed, uptime: now.uptime - passed)
    }

    /// Nanoseconds that have passed since.
    package var elapsed: UInt64 { DispatchTime.now().uptimeNanoseconds - uptime }

    /// Seconds that have passed since.
    package var seconds: Double { Double(elapsed) / 1_000_000_000 }
  }
}

/// OTLP's `ExportTraceServiceRequest` in JSON
/// (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): ids are hexadecimal, 64-bit numbers are strings.
struct SpanExport: Encodable {
  struct Resource: Encodable {
    var attributes: [Attribute]
  }

  struct ResourceSpans: Encodable {
    var resource: Resource
    var scopeSpans: [ScopeSpans]
  }

  struct Scope: Encodable {
    var name: String
  }

  struct ScopeSpans: Encodable {
    var scope: Scope
    var spans: [Item]
  }

  struct Attribute: Encodable {
    var key: String
    var value: AttributeValue
  }

  struct AttributeValue: Encodable {
    var stringValue: String?
    var intValue: String?
  }

  struct Status: Encodable {
    var code: Int
    var message: String
  }

  struct Link: Encodable {
    var traceId: String
    var spanId: String
  }

  struct Item: Encodable {
    var traceId: String
    var spanId: String
    var parentSpanId: String?
    var name: String
    var kind: Int
    var startTimeUnixNano: String
    var endTimeUnixNano: String
    var attributes: [Attribute]
    var links: [Link]?
    var status: Status?
  }

  var resourceSpans: [ResourceSpans]

  /// - Parameters:
  ///   - version: Of this build.
  ///   - instance: Distinguishes the processes of a service.
  init(_ spans: [Span], version: String, instance: String) {
    resourceSpans = Dictionary(grouping: spans, by: \.service).sorted { $0.key < $1.key }.map { service, spans in
      let facts = [("service.name", service), ("service.version", version), ("service.instance.id", instance)]
      return ResourceSpans(
        resource: Resource(attributes: facts.map { Attribute(key: $0.0, value: AttributeValue(stringValue: $0.1)) }),
        scopeSpans: [ScopeSpans(scope: Scope(name: "quintet"), spans: spans.map { Item($0) })])
    }
  }
}

extension SpanExport.Item {
  fileprivate init(_ span: Span) {
    (traceId, spanId, parentSpanId) = (span.trace.traceID, span.trace.spanID, span.parent)
    (name, kind) = (span.name, span.kind.rawValue)
    startTimeUnixNano = String(span.begin.wall)
    endTimeUnixNano = String(span.begin.wall + span.duration)
    attributes = span.attributes.map { name, value in
      switch value {
      case .text(let text): .init(key: name, value: .init(stringValue: text))
      case .number(let number): .init(key: name, value: .init(intValue: String(number)))
      }
    }
    links = span.link.map { [.init(traceId: $0.traceID, spanId: $0.spanID)] }
    // 2 is STATUS_CODE_ERROR.
    status = span.failure.map { .init(code: 2, message: $0) }
  }
}
