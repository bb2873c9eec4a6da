public import Contracts
import HTTPTypes
public import HummingbirdCore
public import Logging

/// Metadata of a request.
public struct RequestContext: Sendable {
  /// Assigned by the gateway, or by the first service that receives the request; appears in logs and in `X-Request-ID`.
  public let requestID: String
  public let trace: TraceContext
  /// The peer address of the connection; `nil` for in-process calls.
  public let remoteAddress: String?
  /// The caller's address as seen by the edge.
  public let clientAddress: String?
  /// The `User-Agent` header, truncated to 200 characters.
  public let userAgent: String?
  /// What the app reports about the device.
  public let device: DeviceFacts?
  /// The signed-in user, when middleware has already verified the token.
  public var user: UserCaller?
  /// Why the caller's token was refused, when middleware has refused it.
  public var tokenProblem: Problem?
  /// What a request to the route costs; ``Operation/Cost/usual`` when there is no route.
  public internal(set) var cost = Operation.Cost.usual
  /// Whether the client has sent the request by HTTPS, to this process or to a trusted proxy in front of it.
  public let isSecure: Bool
  /// Values of the route's path parameters, decoded.
  public internal(set) var parameters: [String: String] = [:]
  /// `nil` for in-process calls.
  let connection: ClientConnection?
  private let baseLogger: Logger

  init(
    requestID: String,
    trace: TraceContext,
    remoteAddress: String?,
    clientAddress: String?,
    userAgent: String?,
    device: DeviceFacts? = nil,
    connection: ClientConnection? = nil,
    isSecure: Bool = false,
    logger: Logger
  ) {
    self.requestID = requestID
    self.trace = trace
    self.remoteAddress = remoteAddress
    self.clientAddress = clientAddress
    self.userAgent = userAgent.map { String($0.prefix(200)) }
    self.device = device
    self.connection = connection
    self.isSecure = isSecure
    baseLogger = logger
  }

  /// Closes the caller's connection after a response; other requests of an HTTP/2 connection are still answered.
  public func closeConnection(after response: inout Response) {
    response.headers[.connection] = "close"  // HTTP/2 connections have no such header
    connection?.closeAfterResponses()
  }

  /// A logger that adds the request ID and trace ID.
  public var logger: Logger {
    var logger = baseLogger
    logger[metadataKey: "requestID"] = .string(requestID)
    logger[metadataKey: "traceID"] = .string(trace.traceID)
    return logger
  }
}
