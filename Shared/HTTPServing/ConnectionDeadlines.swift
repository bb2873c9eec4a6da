import NIOCore

/// Limits for the phases and the number of connections.
public struct ConnectionLimits: Sendable {
  /// Maximum time for a request's head, from its first byte, in seconds.
  public var headSeconds = 10.0
  /// Maximum wait for a body, in seconds, in addition to its size divided by `bodyBytesPerSecond`.
  public var bodySeconds = 10.0
  public var bodyBytesPerSecond = 1024.0
  /// Maximum time between two parts of a body, in seconds, however much has been received.
  public var stallSeconds = 30.0
  /// Maximum time from the end of a request to the head of its response, in seconds; then the caller gets 503.
  public var answerSeconds = 60.0
  /// Maximum time that a caller may stall while reading its response, in seconds.
  public var writeSeconds = 15.0
  /// Maximum idle time between requests, in seconds.
  public var idleSeconds = 60.0
  /// Maximum time that a closing connection discards what its caller still sends, in seconds.
  public var lingerSeconds = 5.0
  /// Maximum number of open connections; more wait in the kernel's accept queue.
  public var maxConnections = 20_000

  public init() {}
}

/// Tracks the phases of a connection and decides when it must be closed: a value without clock or I/O. Times are
/// seconds of any monotonic clock.
package struct ConnectionClock {
  package enum Phase {
    case idle(since: Double)
    case head(since: Double)
    /// Waiting time counts only while the server is requesting bytes; a server that reads slowly is not the caller's
    /// fault.
    case body(waited: Double, askedAt: Double?, bytes: Int)
    case answering(since: Double)
    /// The head of the response has been written.
    case sending
  }

  private let limits: ConnectionLimits
  package private(set) var phase: Phase
  private var blockedSince: Double?
  /// Whether the end of the request has not arrived yet.
  package private(set) var isReceiving = false
  /// Whether the response is not complete yet.
  package private(set) var awaitsResponse = false

  package init(limits: ConnectionLimits, now: Double) {
    self.limits = limits
    phase = .head(since: now)
  }

  package mutating func received(bytes: Int, at now: Double) {
    switch phase {
    case .idle: phase = .head(since: now)
    case .body(let waited, let askedAt, let total):
      phase = .body(waited: waited + (askedAt.map { now - $0 } ?? 0), askedAt: nil, bytes: total + bytes)
    case .head, .answering, .sending: break
    }
  }

  package mutating func asked(at now: Double) {
    if case .body(let waited, nil, let bytes) = phase { phase = .body(waited: waited, askedAt: now, bytes: bytes) }
  }

  package mutating func headComplete(at now: Double) {
    (isReceiving, awaitsResponse) = (true, true)
    phase = .body(waited: 0, askedAt: now, bytes: 0)
  }

  package mutating func requestComplete(at now: Double) {
    isReceiving = false
    if !awaitsResponse {
      phase = .idle(since: now)  // the response was complete before the body had arrived
    } else if case .body = phase {
      phase = .answering(since: now)
    }
  }

  package mutating func answerBegins() { phase = .sending }

  package mutating func answerComplete(at now: Double) {
    awaitsResponse = false
    phase = isReceiving ? .body(waited: 0, askedAt: now, bytes: 0) : .idle(since: now)
  }

  package mutating func writability(_ isWritable: Bool, at now: Double) {
    if blockedSince != nil, isWritable, case .idle = phase { phase = .idle(since: now) }
    blockedSince = isWritable ? nil : now
  }

  /// The caller has read something while the connection could not take more.
  package mutating func progressed(at now: Double) { if blockedSince != nil { blockedSince = now } }

  /// Whether a deadline has passed.
  package func isOverdue(at now: Double) -> Bool {
    if let blockedSince, now - blockedSince > limits.writeSeconds { return true }
    switch phase {
    // A response may be complete long before it has been read.
    case .idle(let since): return blockedSince == nil && now - since > limits.idleSeconds
    case .head(let since): return now - since > limits.headSeconds
    case .body(let waited, let askedAt, let bytes):
      let stalled = askedAt.map { now - $0 } ?? 0
      if stalled > limits.stallSeconds { return true }
      return waited + stalled > limits.bodySeconds + Double(bytes) / limits.bodyBytesPerSecond
    case .answering(let since): return now - since > limits.answerSeconds
    case .sending: return false
    }
  }
}
