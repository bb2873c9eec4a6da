public import HTTPTypes
public import NIOCore

/// One HTTP request.
public struct ClientRequest: Sendable {
  /// The request body.
  public enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// Read with backpressure while it is sent; chunked when the length is unknown. Cannot be sent twice.
    case stream(length: Int?, any AsyncSequence<ByteBuffer, any Error> & Sendable)
  }

  /// When the response is returned.
  public enum Delivery: Sendable {
    /// When it is complete, with the body as one buffer.
    case whole
    /// When its head is received; the body is streamed with backpressure. A small body that came with it is buffered.
    case streaming
  }

  /// Timeouts in seconds; `nil` disables one. Time in the queue counts toward `total`.
  public struct Timeouts: Sendable {
    public var connect: Double
    /// Maximum time from the end of the request to the head of the response.
    public var firstByte: Double?
    public var total: Double?
    /// Maximum time without progress while a body is transferred.
    public var stall: Double?

    public init(connect: Double = 2, firstByte: Double? = 10, total: Double? = 30, stall: Double? = nil) {
      self.connect = connect
      self.firstByte = firstByte
      self.total = total
      self.stall = stall
    }
  }

  public var method: HTTPRequest.Method
  /// Scheme, host and port, such as `http://127.0.0.1:8081`; requests of one origin share limits and connections.
  public var origin: String
  /// `address:port` to connect to instead of the origin's host, such as one of several instances behind a name; limits
  /// and connections are then separate for this address.
  public var address: String?
  /// Path and query, exactly as sent.
  public var target: String
  public var headers: HTTPFields
  public var body: Body
  public var delivery: Delivery
  public var timeouts: Timeouts
  /// Maximum response body size in bytes after decompression; a larger body aborts the transfer.
  public var responseLimit: Int
  /// Whether compressed responses are requested and decompressed.
  public var decompresses: Bool
  /// Whether a request can safely be retried after it may have been processed.
  public var isRepeatable: Bool
  /// Maximum number of attempts, when lower than the client's configuration.
  public var attempts: Int?
  /// Maximum number of redirects to follow; 0 returns a redirect as the response.
  public var redirects: Int

  public init(
    _ method: HTTPRequest.Method = .get,
    origin: String,
    address: String? = nil,
    target: String = "/",
    headers: HTTPFields = [:],
    body: Body = .none,
    delivery: Delivery = .whole,
    timeouts: Timeouts = Timeouts(),
    responseLimit: Int = 8 << 20,
    decompresses: Bool = false,
    isRepeatable: Bool = false,
    redirects: Int = 0
  ) {
    self.method = method
    self.origin = origin
    self.address = address
    self.target = target
    self.headers = headers
    self.body = body
    self.delivery = delivery
    self.timeouts = timeouts
    self.responseLimit = responseLimit
    self.decompresses = decompresses
    self.isRepeatable = isRepeatable
    self.redirects = redirects
  }

  /// Whether the body can be sent only once.
  public var isStreamed: Bool { if case .stream = body { true } else { false } }

  /// The key by which limits and connections are shared.
  var destination: String { address.map { "\(origin) \($0)" } ?? origin }
}
