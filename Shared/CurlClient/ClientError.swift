/// A request that got no usable answer.
public struct ClientError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, in words that may label metrics.
  public enum Reason: String, Sendable {
    case couldNotResolve, couldNotConnect, tlsFailed, timedOut, connectionLost, badResponse, responseTooLarge
    case uploadFailed, refused, queueFull, queueTimeout, circuitOpen, invalidRequest, cancelled, shutDown
  }

  public let reason: Reason
  /// `false` when no byte of the request left this machine, so that sending it again is safe.
  public let mayHaveRun: Bool
  /// libcurl's words.
  public let detail: String

  init(_ reason: Reason, mayHaveRun: Bool, _ detail: String = "") {
    self.reason = reason
    self.mayHaveRun = mayHaveRun
    self.detail = detail
  }

  public var description: String { detail.isEmpty ? reason.rawValue : "\(reason.rawValue): \(detail)" }
}
