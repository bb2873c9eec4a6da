public import Contracts
import HTTPTypes
public import HummingbirdCore
public import Logging
import NIOCore
package import Persistence
import Threads

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
  /// The facts that the app reports about the device.
  public let device: DeviceFacts?
  /// The signed-in user, when middleware has already verified the token.
  public var user: UserCaller?
  /// The reason why the caller's token was refused, when middleware has refused it.
  public var tokenProblem: Problem?
  /// The cost of a request to the route; ``Operation/Cost/usual`` when there is no route.
  public internal(set) var cost = Operation.Cost.usual
  /// Whether the client has sent the request by HTTPS, to this process or to a trusted proxy in front of it.
  public let isSecure: Bool
  /// Values of the route's path parameters, decoded.
  public internal(set) var parameters: [String: String] = [:]
  /// `nil` for in-process calls.
  package let connection: ClientConnection?
  /// How long the caller waits for the answer to a request that has been received, in seconds.
  private let answerSeconds: Double
  private let baseLogger: Logger

  package init(
    requestID: String,
    trace: TraceContext,
    remoteAddress: String?,
    clientAddress: String?,
    userAgent: String?,
    isSecure: Bool = false,
    logger: Logger
  ) {
    self.init(
      requestID: requestID, trace: trace, remoteAddress: remoteAddress, clientAddress: clientAddress,
      userAgent: userAgent, device: nil, connection: nil, isSecure: isSecure, logger: logger)
  }

  init(
    requestID: String,
    trace: TraceContext,
    remoteAddress: String?,
    clientAddress: String?,
    userAgent: String?,
    device: DeviceFacts?,
    connection: ClientConnection?,
    isSecure: Bool,
    answerSeconds: Double = ConnectionLimits().answerSeconds,
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
    self.answerSeconds = answerSeconds
    baseLogger = logger
  }

  /// Closes the caller's connection after a response; other requests of an HTTP/2 connection are still answered.
  public func closeConnection(after response: inout Response) {
    response.headers[.connection] = "close"  // HTTP/2 connections have no such header
    connection?.closeAfterResponses()
  }

  /// For whom the handler of a request works that has been received completely. A call within the process is part of its
  /// caller's request.
  package var workload: Workload {
    if connection == nil, case .request(_?) = Workload.current { return Workload.current }
    let caller = WaitingCaller(until: .now + .seconds(answerSeconds)) { [connection] in
      connection.map { !$0.channel.isActive } ?? false
    }
    return .request(caller)
  }

  /// A logger that adds the request ID and trace ID.
  public var logger: Logger {
    var logger = baseLogger
    logger[metadataKey: "requestID"] = .string(requestID)
    logger[metadataKey: "traceID"] = .string(trace.traceID)
    return logger
  }
}
