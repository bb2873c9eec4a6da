public import HTTPTypes
public import NIOCore

/// One HTTP request.
public struct ClientRequest: Sendable {
  /// What is sent after the head.
  public enum Body: Sendable {
    case none
    case bytes(ByteBuffer)
    /// Pulled with back-pressure while it is sent; chunked when the length is not known. Cannot be sent twice.
    case stream(length: Int?, any AsyncSequence<ByteBuffer, any Error> & Sendable)
  }

  /// When the response is handed over.
  public enum Delivery: Sendable {
    /// When it is complete, as one buffer.
    case whole
    /// When its head is there; the body follows with back-pressure. A small body that came with the head is whole.
    case streaming
  }

  /// Limits in time, in seconds; `nil` leaves one out. Waiting for a place counts towards `total`.
  public struct Timeouts: Sendable {
    public var connect: Double
    /// From the end of the request to the head of the response.
    public var firstByte: Double?
    public var total: Double?
    /// Longest silence inside a body.
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
  /// `address:port` that is connected to instead of the origin's host, such as one of several behind its name; limits and
  /// connections are then this address's own.
  public var address: String?
  /// Path and query as they stand on the wire.
  public var target: String
  public var headers: HTTPFields
  public var body: Body
  public var delivery: Delivery
  public var timeouts: Timeouts
  /// Largest accepted response body in bytes after decompression; more ends the transfer.
  public var responseLimit: Int
  /// Whether compressed responses are asked for and unpacked.
  public var decompresses: Bool
  /// Whether a request that may have run can be sent again.
  public var isRepeatable: Bool
  /// Attempts in all, when fewer than the client's configuration allows.
  public var attempts: Int?
  /// How many redirects are followed; 0 hands a redirect over as it is.
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

  /// What limits and connections belong to.
  var place: String { address.map { "\(origin) \($0)" } ?? origin }
}
