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

  /// Whether it is the other side, or the way to it, that has failed.
  public var speaksOfTheServer: Bool {
    switch reason {
    case .couldNotResolve, .couldNotConnect, .tlsFailed, .timedOut, .connectionLost, .badResponse, .circuitOpen,
      .queueFull, .queueTimeout:
      true
    case .responseTooLarge, .uploadFailed, .refused, .invalidRequest, .cancelled, .shutDown: false
    }
  }

  /// There is nobody to send it to.
  public static let noInstance = ClientError(.couldNotResolve, mayHaveRun: false, "the service has no instance")

  public var description: String { detail.isEmpty ? reason.rawValue : "\(reason.rawValue): \(detail)" }
}
