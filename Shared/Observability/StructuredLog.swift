public import Contracts
public import Logging

/// The format of log lines.
public enum LogFormat: String, Sendable, CaseIterable {
  /// For people.
  case text
  /// One JSON object per line, for machines.
  case json
}

/// A swift-log handler that writes text or JSON lines to a ``LogSink``, each with the request ID and trace ID.
public struct StructuredLog: LogHandler {
  public var metadata: Logger.Metadata = [:]
  public var logLevel: Logger.Level
  private let label: String
  private let format: LogFormat
  private let sink: LogSink
  private let time: TimeSource

  public init(label: String, level: Logger.Level, format: LogFormat, sink: LogSink, time: TimeSource = .system) {
    self.label = label
    self.format = format
    self.sink = sink
    self.time = time
    logLevel = level
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    var fields = metadata.merging(event.metadata ?? [:]) { $1 }
    if fields["traceID"] == nil, let trace = TraceContext.current { fields["traceID"] = .string(trace.traceID) }
    let pairs = fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
    write(level: event.level, message: event.message.description, pairs)
    if event.level == .critical { sink.flush() }
  }

  /// Writes one line; the access log uses it directly to avoid the cost of metadata dictionaries.
  package func write(level: Logger.Level, message: String, _ fields: [(String, String)]) {
    let now = time.now().description
    sink.append { line in
      switch format {
      case .text:
        line += "\(now) \(level.rawValue) \(label): ".utf8
        Self.append(printable: message, to: &line)
        for (name, value) in fields {
          line += " \(name)=".utf8
          Self.append(printable: value, to: &line)
        }
      case .json:
        line += "{\"time\":\"\(now)\",\"level\":\"\(level.rawValue)\",\"service\":\"\(label)\",\"message\":".utf8
        Self.append(quoted: message, to: &line)
        for (name, value) in fields {
          line.append(UInt8(ascii: ","))
          Self.append(quoted: name, to: &line)
          line.append(UInt8(ascii: ":"))
          Self.append(quoted: value, to: &line)
        }
        line.append(UInt8(ascii: "}"))
      }
    }
  }

  /// Replaces control characters, which could forge log lines or control a terminal (CWE-117).
  private static func append(printable text: String, to line: inout [UInt8]) {
    for byte in text.utf8 { line.append(byte < 0x20 || byte == 0x7F ? UInt8(ascii: " ") : byte) }
  }

  private static func append(quoted text: String, to line: inout [UInt8]) {
    line += (try? WireJSON.encode(text)) ?? Array("\"\"".utf8)
  }
}
