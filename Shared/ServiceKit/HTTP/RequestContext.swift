public import Contracts
public import Logging

/// What is known of a request besides its bytes.
public struct RequestContext: Sendable {
  /// Given by the gateway, or by the first service that sees the request; in logs and in `X-Request-ID`.
  public let requestID: String
  public let trace: TraceContext
  /// The address of the caller's end of the connection; `nil` for calls inside the process.
  public let remoteAddress: String?
  /// The caller's address as the public door saw it.
  public let clientAddress: String?
  /// What the caller says of itself, cut to a sensible length.
  public let userAgent: String?
  /// The signed-in user, when what stands around the routes has verified the token already.
  public var user: UserCaller?
  /// Values of the route's path parameters, decoded.
  public internal(set) var parameters: [String: String] = [:]
  private let baseLogger: Logger

  init(
    requestID: String,
    trace: TraceContext,
    remoteAddress: String?,
    clientAddress: String?,
    userAgent: String?,
    logger: Logger
  ) {
    self.requestID = requestID
    self.trace = trace
    self.remoteAddress = remoteAddress
    self.clientAddress = clientAddress
    self.userAgent = userAgent.map { String($0.prefix(200)) }
    baseLogger = logger
  }

  /// Logs with the ids of request and trace.
  public var logger: Logger {
    var logger = baseLogger
    logger[metadataKey: "requestID"] = .string(requestID)
    logger[metadataKey: "traceID"] = .string(trace.traceID)
    return logger
  }
}
