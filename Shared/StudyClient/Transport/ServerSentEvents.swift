/// An event of a stream.
public struct ServerSentEvent: Sendable, Equatable {
  public var name: String
  public var data: String
  /// The last id of the stream up to this event.
  public var id: String?

  public init(name: String, data: String, id: String? = nil) { (self.name, self.data, self.id) = (name, data, id) }
}

/// Reads a stream of server-sent events (HTML Living Standard §9.2) from bytes in any portions.
public struct ServerSentEventParser: Sendable {
  /// A line that is longer ends the stream: memory is bounded whatever the server sends.
  public static let maxLine = 1 << 20

  public struct LineTooLong: Error {}

  private var line: [UInt8] = []
  private var endsWithCarriageReturn = false
  private var isFirstLine = true
  private var name = ""
  private var data: [String] = []
  private var id: String?
  /// How long to wait before a reconnection, in milliseconds, when the server has said so.
  public private(set) var retryMilliseconds: Int?

  public init() {}

  /// - Returns: The events that are complete.
  public mutating func read(_ bytes: some Sequence<UInt8>) throws(LineTooLong) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\n") where endsWithCarriageReturn: endsWithCarriageReturn = false
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        endsWithCarriageReturn = byte == UInt8(ascii: "\r")
        if let event = endLine() { events.append(event) }
      default:
        endsWithCarriageReturn = false
        guard line.count < Self.maxLine else { throw LineTooLong() }
        line.append(byte)
      }
    }
    return events
  }

  private mutating func endLine() -> ServerSentEvent? {
    defer { line.removeAll(keepingCapacity: true) }
    if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    isFirstLine = false
    if line.isEmpty { return endEvent() }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      set(String(decoding: line, as: UTF8.self), "")
      return nil
    }
    var value = line[(colon + 1)...]
    if value.first == UInt8(ascii: " ") { value.removeFirst() }
    set(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    return nil
  }

  private mutating func set(_ field: String, _ value: String) {
    switch field {
    case "event": name = value
    case "data": data.append(value)
    case "id" where !value.utf8.contains(0): id = value
    case "retry" where !value.isEmpty && value.utf8.allSatisfy({ (48...57).contains($0) }):
      retryMilliseconds = Int(value)
    default: break
    }
  }

  private mutating func endEvent() -> ServerSentEvent? {
    defer { (name, data) = ("", []) }
    guard !data.isEmpty else { return nil }
    return ServerSentEvent(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"), id: id)
  }
}
