/// A request that received no usable response.
public struct ClientError: Error, Sendable, CustomStringConvertible {
  /// The cause of the failure; the raw values may be used as metric labels.
  public enum Reason: String, Sendable {
    case couldNotResolve, couldNotConnect, tlsFailed, timedOut, connectionLost, badResponse, responseTooLarge
    case uploadFailed, refused, queueFull, queueTimeout, circuitOpen, invalidRequest, cancelled, shutDown
  }

  public let reason: Reason
  /// `false` when the server cannot have processed the request, so that retrying it is safe.
  public let mayHaveRun: Bool
  /// libcurl's message, or further details.
  public let detail: String

  init(_ reason: Reason, mayHaveRun: Bool, _ detail: String = "") {
    self.reason = reason
    self.mayHaveRun = mayHaveRun
    self.detail = detail
  }

  /// Whether the failure is attributed to the server or to the network path to it.
  public var speaksOfTheServer: Bool {
    switch reason {
    case .couldNotResolve, .couldNotConnect, .tlsFailed, .timedOut, .connectionLost, .badResponse, .circuitOpen,
      .queueFull, .queueTimeout:
      true
    case .responseTooLarge, .uploadFailed, .refused, .invalidRequest, .cancelled, .shutDown: false
    }
  }

  /// The service has no instance to send the request to.
  public static let noInstance = ClientError(.couldNotResolve, mayHaveRun: false, "the service has no instances")

  public var description: String { detail.isEmpty ? reason.rawValue : "\(reason.rawValue): \(detail)" }
}
