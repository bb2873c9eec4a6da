import CNATS
import Foundation

/// The reason why NATS has not done what was asked.
public struct NATSError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable {
    /// There is no connection now; the client goes on trying.
    case disconnected
    /// The server has not answered in time: what was sent may have had its effect.
    case timeout
    /// The server does not accept the credentials, or the certificate.
    case refused
    /// The files for TLS cannot be used, or the server's certificate is not trusted.
    case insecure
    /// The stream or consumer does not exist, or the subject has no responders.
    case notFound
    /// The message is larger than the server accepts.
    case tooLarge
    /// Too much waits in this process.
    case overloaded
    /// The client was closed.
    case closed
    /// JetStream has refused with a code of its own, as in `nats-server`'s `errors.json`.
    case refusedByStream(code: Int)
    case other
  }

  public let kind: Kind
  public let reason: String

  public init(_ kind: Kind, _ reason: String) { (self.kind, self.reason) = (kind, reason) }

  public var description: String { reason }

  /// Whether the request can have had an effect although it has failed.
  public var isUnknown: Bool { kind == .timeout || kind == .disconnected }
}

extension NATSError {
  /// Requires success of a function of the library, by the thread that has called it.
  static func check(_ status: natsStatus, _ code: jsErrCode = jsErrCode(0)) throws(NATSError) {
    guard status != NATS_OK else { return }
    // The text belongs to the last failure of the thread.
    var last = NATS_OK
    var text = nats_GetLastError(&last).map { String(cString: $0) } ?? ""
    if last != status || text.isEmpty { text = natsStatus_GetText(status).map { String(cString: $0) } ?? "" }
    // It begins with a place in the library's source, such as "(conn.c:773): ".
    if text.hasPrefix("("), let end = text.range(of: "): ") { text.removeSubrange(..<end.upperBound) }
    throw NATSError(kind(of: status, code), text)
  }

  private static func kind(of status: natsStatus, _ code: jsErrCode) -> Kind {
    // The library gives it a code too: that JetStream is not enabled, which it may only not be yet.
    if status == NATS_NO_RESPONDERS { return .notFound }
    switch code {
    case jsErrCode(0): break
    case JSStreamNotFoundErr, JSConsumerNotFoundErr: return .notFound
    default: return .refusedByStream(code: Int(code.rawValue))
    }
    switch status {
    case NATS_TIMEOUT: return .timeout
    case NATS_NO_SERVER, NATS_CONNECTION_DISCONNECTED, NATS_CONNECTION_CLOSED, NATS_STALE_CONNECTION, NATS_IO_ERROR,
      NATS_INSUFFICIENT_BUFFER, NATS_INVALID_SUBSCRIPTION:
      return .disconnected
    case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED: return .refused
    case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_WANTED, NATS_SECURE_CONNECTION_REQUIRED: return .insecure
    case NATS_NOT_FOUND: return .notFound
    case NATS_MAX_PAYLOAD: return .tooLarge
    default: return .other
    }
  }
}
